/// Temporary storage during compilation, usually a file; it is filled first and read afterwards.
///
/// It is not kept in memory, so that a gazetteer of any size can be compiled with little memory.
public protocol Scratch: AnyObject {
    /// The number of bytes appended.
    var count: Int { get }
    /// Appends bytes.
    func append(_ bytes: [UInt8]) throws
    /// Returns `count` bytes from `offset`, fewer at the end.
    func read(from offset: Int, count: Int) throws -> [UInt8]
}

/// Temporary storage in memory, for small data.
public final class MemoryScratch: Scratch {
    private var bytes: [UInt8] = []

    /// Creates empty storage.
    public init() {}

    /// The number of bytes appended.
    public var count: Int { bytes.count }

    /// Appends bytes.
    public func append(_ bytes: [UInt8]) { self.bytes += bytes }

    /// Returns `count` bytes from `offset`, fewer at the end.
    public func read(from offset: Int, count: Int) -> [UInt8] {
        let start = min(max(0, offset), bytes.count)
        return Array(bytes[start..<min(bytes.count, start + max(0, count))])
    }
}

@available(*, unavailable)
extension MemoryScratch: Sendable {}

/// A source of temporary storage, with a limit on the data buffered in memory before it is moved there.
public struct ScratchSpace {
    /// The number of bytes buffered in memory before they are moved to storage.
    let gathered: Int
    /// Creates empty storage.
    let make: () throws -> any Scratch

    /// Creates a source of temporary storage.
    ///
    /// - Parameters:
    ///   - gathered: the number of bytes of names, or of data derived from them, sorted in memory at once.
    ///   - make: creates empty storage; its contents may be deleted when it is released.
    public init(gathered: Int = 64 << 20, make: @escaping () throws -> any Scratch) {
        self.gathered = max(1 << 10, gathered)
        self.make = make
    }

    /// Temporary storage in memory only.
    public static var memory: ScratchSpace { ScratchSpace { MemoryScratch() } }

    func writer() throws -> ScratchWriter { ScratchWriter(to: try make()) }
}

@available(*, unavailable)
extension ScratchSpace: Sendable {}

/// Appends to temporary storage in large pieces.
struct ScratchWriter {
    private static let piece = 1 << 16

    private let scratch: any Scratch
    private var held: [UInt8] = []

    init(to scratch: any Scratch) {
        self.scratch = scratch
        held.reserveCapacity(Self.piece + 512)
    }

    /// The number of bytes appended.
    var count: Int { scratch.count + held.count }

    mutating func append(_ value: some FixedWidthInteger) throws {
        held.append(littleEndian: value)
        if held.count >= Self.piece { try flush() }
    }

    mutating func append(_ bytes: some Collection<UInt8>) throws {
        held.append(contentsOf: bytes)
        if held.count >= Self.piece { try flush() }
    }

    /// Appends a large array without copying it.
    mutating func append(stretch: [UInt8]) throws {
        try flush()
        try scratch.append(stretch)
    }

    mutating func append(words: some Collection<UInt32>) throws { for word in words { try append(word) } }

    /// Returns the storage with all appended bytes.
    mutating func finish() throws -> any Scratch {
        try flush()
        return scratch
    }

    private mutating func flush() throws {
        guard !held.isEmpty else { return }
        try scratch.append(held)
        held.removeAll(keepingCapacity: true)
    }
}

/// Reads temporary storage from its beginning, in large pieces.
struct ScratchReader {
    private let scratch: any Scratch
    private let piece: Int
    private var held: [UInt8] = []
    private var position = 0
    private var offset = 0

    init(_ scratch: any Scratch, piece: Int = 1 << 18) {
        self.scratch = scratch
        self.piece = piece
    }

    /// Whether everything was read.
    var isAtEnd: Bool { position == held.count && offset == scratch.count }

    /// Buffers at least the next `count` bytes; fewer only at the end of the storage.
    private mutating func prepare(_ count: Int) throws {
        guard held.count - position < count else { return }
        held = Array(held[position...])
        position = 0
        while held.count < count, offset < scratch.count {
            let more = try scratch.read(from: offset, count: max(piece, count))
            guard !more.isEmpty else { return }
            offset += more.count
            held += more
        }
    }

    /// Returns the next integer, zero past the end.
    @inline(__always)
    mutating func next<T: FixedWidthInteger>(_ type: T.Type = T.self) throws -> T {
        let size = MemoryLayout<T>.size
        if held.count - position < size { try prepare(size) }
        guard held.count - position >= size else {
            position = held.count
            return 0
        }
        defer { position += size }
        return held.withUnsafeBytes { T(littleEndian: $0.loadUnaligned(fromByteOffset: position, as: T.self)) }
    }

    /// Replaces the contents of `bytes` with the next `count` bytes; fewer only at the end of the storage.
    @inline(__always)
    mutating func next(_ count: Int, into bytes: inout [UInt8]) throws {
        if held.count - position < count { try prepare(count) }
        let taken = min(count, held.count - position)
        bytes.removeAll(keepingCapacity: true)
        bytes.append(contentsOf: held[position..<(position + taken)])
        position += taken
    }
}
