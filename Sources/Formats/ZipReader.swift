import CZlib

/// Reads the entries of a zip archive (PKWARE APPNOTE 6.3) one by one, in pieces.
///
/// Supports stored and deflated entries and Zip64; encrypted ones are rejected. Only the directory is held in memory.
public struct ZipReader: Sendable {
    /// The reason an archive could not be read.
    public enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
        /// The file is not a zip archive, or its end is missing.
        case notAnArchive
        /// Part of the archive lies outside the file, or its content differs from the directory.
        case damaged
        /// An entry is larger than the caller allows.
        case tooLarge(entry: String)
        /// An entry is compressed or encrypted in an unsupported way.
        case unsupported(entry: String)

        /// One sentence without a full stop.
        public var description: String {
            switch self {
            case .notAnArchive: "the file is not a zip archive, or it is incomplete"
            case .damaged: "the zip archive is damaged"
            case .tooLarge(let entry): "the entry \(entry) is too large"
            case .unsupported(let entry): "the entry \(entry) uses an unsupported compression or is encrypted"
            }
        }
    }

    /// A file in the archive.
    public struct Entry: Hashable, Sendable {
        /// Its path, with slashes; the path of a folder ends in a slash.
        public let name: String
        /// Its uncompressed size in bytes.
        public let size: Int
        let packedSize: Int
        let offset: Int
        let method: Int
        let isEncrypted: Bool
    }

    /// The entries in directory order.
    public let entries: [Entry]
    private let length: Int
    private let read: @Sendable (_ offset: Int, _ count: Int) throws -> [UInt8]

    /// The maximum size of the directory, in bytes.
    private static let longestDirectory = 64 << 20
    private static let piece = 1 << 18

    /// Reads the directory of an archive.
    ///
    /// - Parameters:
    ///   - length: the size of the archive in bytes.
    ///   - read: returns `count` bytes from `offset` in the archive, fewer only at its end.
    /// - Throws: ``Failure``, or any error of `read`.
    public init(length: Int, read: @escaping @Sendable (_ offset: Int, _ count: Int) throws -> [UInt8]) throws {
        self.length = length
        self.read = read
        let tail = try read(max(0, length - 65_557), min(length, 65_557))
        guard
            let end = stride(from: tail.count - 22, through: 0, by: -1)
                .first(where: { tail.number($0, 4) == 0x0605_4B50 })
        else { throw Failure.notAnArchive }
        var size = tail.number(end + 12, 4)
        var start = tail.number(end + 16, 4)
        if end >= 20, tail.number(end - 20, 4) == 0x0706_4B50 {
            let place = tail.number(end - 20 + 8, 8)
            guard place >= 0, place <= length - 56 else { throw Failure.damaged }
            let large = try read(place, 56)
            guard large.count == 56, large.number(0, 4) == 0x0606_4B50 else { throw Failure.damaged }
            size = large.number(40, 8)
            start = large.number(48, 8)
        }
        guard start >= 0, size >= 0, size <= Self.longestDirectory, start <= length - size else {
            throw Failure.damaged
        }
        entries = try Self.directory(try read(start, size))
    }

    /// Reads the directory of an archive in memory.
    ///
    /// - Throws: ``Failure``.
    public init(_ bytes: [UInt8]) throws {
        try self.init(length: bytes.count) { offset, count in
            let start = min(max(0, offset), bytes.count)
            return Array(bytes[start..<(start + min(max(0, count), bytes.count - start))])
        }
    }

    /// Returns the content of an entry, of at most `limit` bytes.
    ///
    /// - Throws: ``Failure``, or any error of reading the archive.
    public func bytes(of entry: Entry, limit: Int) throws -> [UInt8] {
        guard (0...limit).contains(entry.size) else { throw Failure.tooLarge(entry: entry.name) }
        let next = try content(of: entry)
        var output: [UInt8] = []
        while let piece = try next() { output += piece }
        return output
    }

    private static func directory(_ bytes: [UInt8]) throws(Failure) -> [Entry] {
        var entries: [Entry] = []
        var at = 0
        while at + 46 <= bytes.count, bytes.number(at, 4) == 0x0201_4B50 {
            let nameLength = bytes.number(at + 28, 2)
            let extraLength = bytes.number(at + 30, 2)
            let next = at + 46 + nameLength + extraLength + bytes.number(at + 32, 2)
            guard next <= bytes.count else { throw .damaged }
            var size = bytes.number(at + 24, 4)
            var packed = bytes.number(at + 20, 4)
            var offset = bytes.number(at + 42, 4)
            var field = at + 46 + nameLength
            while field + 4 <= at + 46 + nameLength + extraLength {
                var value = field + 4
                if bytes.number(field, 2) == 1 {
                    if size == 0xFFFF_FFFF { (size, value) = (bytes.number(value, 8), value + 8) }
                    if packed == 0xFFFF_FFFF { (packed, value) = (bytes.number(value, 8), value + 8) }
                    if offset == 0xFFFF_FFFF { offset = bytes.number(value, 8) }
                }
                field += 4 + bytes.number(field + 2, 2)
            }
            entries.append(
                Entry(
                    name: String(decoding: bytes[(at + 46)..<(at + 46 + nameLength)], as: UTF8.self),
                    size: size,
                    packedSize: packed,
                    offset: offset,
                    method: bytes.number(at + 10, 2),
                    isEncrypted: bytes.number(at + 8, 2) & 1 == 1
                )
            )
            at = next
        }
        return entries
    }

    /// Returns a function that reads the content of an entry piece by piece, and returns `nil` at the end.
    ///
    /// The output never exceeds the size in the directory.
    /// - Throws: ``Failure``, or any error of reading the archive; the returned function throws the same errors.
    public func content(of entry: Entry) throws -> () throws -> [UInt8]? {
        guard !entry.isEncrypted, entry.method == 0 || entry.method == 8 else {
            throw Failure.unsupported(entry: entry.name)
        }
        guard entry.offset >= 0, entry.offset <= length - 30 else { throw Failure.damaged }
        let header = try read(entry.offset, 30)
        guard header.count == 30, header.number(0, 4) == 0x0403_4B50 else { throw Failure.damaged }
        let start = entry.offset + 30 + header.number(26, 2) + header.number(28, 2)
        guard entry.packedSize >= 0, start <= length - entry.packedSize else { throw Failure.damaged }
        let inflater = entry.method == 8 ? try RawInflater() : nil
        var at = start
        let end = start + entry.packedSize
        var left = entry.size
        return {
            while left > 0 {
                var output: [UInt8] = []
                if let inflater {
                    if inflater.isEmpty {
                        guard at < end else { throw Failure.damaged }
                        let piece = try self.read(at, min(Self.piece, end - at))
                        guard !piece.isEmpty else { throw Failure.damaged }
                        at += piece.count
                        inflater.feed(piece)
                    }
                    guard !inflater.isEnded else { throw Failure.damaged }
                    output = try inflater.next()
                } else {
                    output = try self.read(at, min(Self.piece, left, end - at))
                    guard !output.isEmpty else { throw Failure.damaged }
                    at += output.count
                }
                guard output.count <= left else { throw Failure.damaged }
                left -= output.count
                if !output.isEmpty { return output }
            }
            return nil
        }
    }
}

/// Decompresses raw deflate (RFC 1951) piece by piece.
private final class RawInflater {
    /// On the heap, because zlib stores the address of its stream.
    private let stream: UnsafeMutablePointer<z_stream>
    private var input: [UInt8] = []
    private var consumed = 0
    private var buffer = [UInt8](repeating: 0, count: 1 << 18)
    private var mayHoldMore = false
    /// Whether the compressed data has ended.
    private(set) var isEnded = false

    init() throws(ZipReader.Failure) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard inflateInit2_(stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            stream.deallocate()
            throw .damaged
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Whether it needs more input.
    var isEmpty: Bool { consumed == input.count && !mayHoldMore }

    func feed(_ piece: [UInt8]) { (input, consumed) = (piece, 0) }

    func next() throws(ZipReader.Failure) -> [UInt8] {
        let step = Gzip.run(stream, input[consumed...], &buffer) { inflate($0, Z_NO_FLUSH) }
        guard step.status == Z_OK || step.status == Z_STREAM_END || step.status == Z_BUF_ERROR else { throw .damaged }
        // If this step made no progress, no further step can.
        guard step.consumed > 0 || step.produced > 0 || step.status == Z_STREAM_END || consumed == input.count else {
            throw .damaged
        }
        consumed += step.consumed
        isEnded = step.status == Z_STREAM_END
        mayHoldMore = step.status == Z_OK && step.produced == buffer.count
        return Array(buffer[..<step.produced])
    }
}

extension [UInt8] {
    /// Returns a little-endian number, or -1 if its bytes are missing or it is too large.
    fileprivate func number(_ offset: Int, _ length: Int) -> Int {
        guard offset >= 0, offset + length <= count else { return -1 }
        var value: UInt64 = 0
        for index in (0..<length).reversed() { value = value << 8 | UInt64(self[offset + index]) }
        return Int(exactly: value) ?? -1
    }
}
