/// Reads CBOR (RFC 8949) of definite lengths from front to back, as CTAP2 writes it.
struct CBORReader {
    /// The kinds of items.
    enum Major: UInt8 {
        case unsigned, negative, data, text, array, map, tag, simple
    }

    private static let maxDepth = 16

    private let bytes: [UInt8]
    private var position = 0

    /// Begins at the front.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether everything is read.
    var isAtEnd: Bool { position == bytes.count }

    /// The kind of the next item; `nil` at the end.
    var next: Major? { position < bytes.count ? Major(rawValue: bytes[position] >> 5) : nil }

    /// Reads the beginning of an item: its kind, and its value, length or count.
    mutating func head() throws(PasskeyError) -> (major: Major, argument: UInt64) {
        guard let first = try take(1 as Int).first, let major = Major(rawValue: first >> 5) else { throw .unreadable }
        switch first & 31 {
        case let small where small < 24: return (major, UInt64(small))
        case let size where size < 28:
            let value = try take(1 << Int(size - 24) as Int).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return (major, value)
        default: throw .unreadable
        }
    }

    /// Reads a text.
    mutating func text() throws(PasskeyError) -> String {
        guard let text = String(validating: try string(of: .text), as: UTF8.self) else { throw .unreadable }
        return text
    }

    /// Reads a string of bytes.
    mutating func data() throws(PasskeyError) -> [UInt8] { Array(try string(of: .data)) }

    /// Skips one item with everything in it.
    mutating func skip(depth: Int = 0) throws(PasskeyError) {
        guard depth < CBORReader.maxDepth else { throw .unreadable }
        let head = try head()
        switch head.major {
        case .unsigned, .negative, .simple: break
        case .data, .text: _ = try take(head.argument)
        case .tag: try skip(depth: depth + 1)
        case .array, .map:
            // Every item takes a byte at least, so no count can make this long.
            guard head.argument <= UInt64(bytes.count) else { throw .unreadable }
            for _ in 0..<head.argument * (head.major == .map ? 2 : 1) { try skip(depth: depth + 1) }
        }
    }

    private mutating func string(of major: Major) throws(PasskeyError) -> ArraySlice<UInt8> {
        let head = try head()
        guard head.major == major else { throw .unreadable }
        return try take(head.argument)
    }

    private mutating func take(_ count: UInt64) throws(PasskeyError) -> ArraySlice<UInt8> {
        guard let count = Int(exactly: count) else { throw .unreadable }
        return try take(count)
    }

    /// Reads this number of bytes.
    mutating func take(_ count: Int) throws(PasskeyError) -> ArraySlice<UInt8> {
        guard count <= bytes.count - position else { throw .unreadable }
        defer { position += count }
        return bytes[position..<position + count]
    }
}
