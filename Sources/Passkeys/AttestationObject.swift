/// Finds the authenticator's data in the CBOR map that a browser returns for a new passkey (WebAuthn §6.5.4).
///
/// Written here because libfido2 reads this map only from version 1.13 on, and Debian 12 has 1.12. It reads no more than
/// the map itself: texts, byte strings, and what has to be skipped.
struct AttestationObject: Sendable {
    /// The maximum size of an attestation object in bytes.
    static let maxBytes = 16_384

    /// The authenticator's data.
    let authenticatorData: [UInt8]

    /// Reads the whole object.
    ///
    /// The statement of the authenticator's maker is skipped: the service asks for none (`attestation: "none"`), and
    /// would trust none.
    ///
    /// - Throws: ``PasskeyError/unreadable`` if anything is missing, repeated, or left over.
    init(_ bytes: [UInt8]) throws(PasskeyError) {
        guard bytes.count <= AttestationObject.maxBytes else { throw .unreadable }
        var reader = CBORReader(bytes)
        var (data, hasFormat, hasStatement): ([UInt8]?, Bool, Bool) = (nil, false, false)
        let head = try reader.head()
        guard head.major == .map, head.argument == 3 else { throw .unreadable }
        for _ in 0..<3 {
            switch try reader.text() {
            case "fmt" where !hasFormat:
                _ = try reader.text()
                hasFormat = true
            case "attStmt" where !hasStatement:
                guard reader.next == .map else { throw .unreadable }
                try reader.skip()
                hasStatement = true
            case "authData" where data == nil: data = try reader.data()
            default: throw .unreadable
            }
        }
        guard let data, reader.isAtEnd else { throw .unreadable }
        authenticatorData = data
    }
}

/// Reads CBOR (RFC 8949) of definite lengths from front to back, as CTAP2 writes it.
private struct CBORReader {
    /// The kinds of items.
    enum Major: UInt8 {
        case unsigned, negative, data, text, array, map, tag, simple
    }

    private static let maxDepth = 16

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

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

    mutating func text() throws(PasskeyError) -> String {
        guard let text = String(validating: try string(of: .text), as: UTF8.self) else { throw .unreadable }
        return text
    }

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

    private mutating func take(_ count: Int) throws(PasskeyError) -> ArraySlice<UInt8> {
        guard count <= bytes.count - position else { throw .unreadable }
        defer { position += count }
        return bytes[position..<position + count]
    }
}
