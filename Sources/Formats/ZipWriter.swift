import CZlib

/// Writes a zip archive (PKWARE APPNOTE 6.3) sequentially, to an output that cannot seek.
///
/// Every entry is deflated and followed by a data descriptor, so its size need not be known beforehand; libzip, which
/// needs a seekable file, would require the whole archive on disk first. No time is recorded: the same content gives
/// the same bytes.
public final class ZipWriter {
    /// The reason an archive could not be written.
    public enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
        /// An entry not declared as large has 4 GiB or more.
        case tooLarge
        /// zlib could not allocate memory.
        case outOfMemory

        /// One sentence without a full stop.
        public var description: String {
            switch self {
            case .tooLarge: "an entry of the zip archive reached 4 GiB"
            case .outOfMemory: "not enough memory to pack the zip archive"
            }
        }
    }

    private struct Entry {
        let name: [UInt8]
        let offset: UInt64
        let isLarge: Bool
        var checksum: UInt32 = 0
        var size: UInt64 = 0
        var packedSize: UInt64 = 0
    }

    private var output: [UInt8] = []
    /// The number of bytes already taken with ``takeOutput()``.
    private var written: UInt64 = 0
    private var entries: [Entry] = []
    private var current: Entry?
    private var deflater: RawDeflater?

    /// Creates an empty archive.
    public init() {}

    /// Takes the bytes that are ready to be sent.
    public func takeOutput() -> [UInt8] {
        defer { output = [] }
        written += UInt64(output.count)
        return output
    }

    /// Ends the previous entry and begins a new one; an entry that could reach 4 GiB must be declared as large (Zip64).
    ///
    /// - Throws: ``Failure``.
    public func begin(_ name: String, isLarge: Bool = false) throws(Failure) {
        try endEntry()
        let entry = Entry(name: Array(name.utf8), offset: written + UInt64(output.count), isLarge: isLarge)
        append(Signature.local)
        appendVersionAndFlags(isLarge: isLarge)
        // Checksum and sizes follow in the data descriptor. For a large entry, the header marks the sizes as stored in
        // the extra field, so that the sizes in the descriptor have 8 bytes (APPNOTE 4.3.9.2).
        append(UInt32(0))
        append(isLarge ? UInt32.max : 0)
        append(isLarge ? UInt32.max : 0)
        append(UInt16(entry.name.count))
        append(UInt16(isLarge ? 20 : 0))
        output += entry.name
        if isLarge {
            append(UInt16(1))
            append(UInt16(16))
            append(UInt64(0))
            append(UInt64(0))
        }
        current = entry
        deflater = try RawDeflater()
    }

    /// Adds bytes to the current entry; does nothing if there is none.
    ///
    /// - Throws: ``Failure``.
    public func write(_ bytes: [UInt8]) throws(Failure) {
        guard var entry = current, let deflater else { return }
        entry.checksum = ZipWriter.checksum(entry.checksum, bytes)
        entry.size += UInt64(bytes.count)
        entry.packedSize += UInt64(try deflater.deflate(bytes, into: &output, finish: false))
        guard entry.isLarge || max(entry.size, entry.packedSize) < UInt64(UInt32.max) else { throw .tooLarge }
        current = entry
    }

    /// Ends the archive with its directory; the remaining output is then ready.
    ///
    /// - Throws: ``Failure``.
    public func finish() throws(Failure) {
        try endEntry()
        let start = written + UInt64(output.count)
        for entry in entries { appendDirectory(entry) }
        let size = written + UInt64(output.count) - start
        let limit = UInt64(UInt32.max)
        if start + size >= limit || entries.count >= Int(UInt16.max) { appendLargeEnd(start: start, size: size) }
        append(Signature.end)
        append(UInt16(0))
        append(UInt16(0))
        append(UInt16(clamping: entries.count))
        append(UInt16(clamping: entries.count))
        append(UInt32(clamping: size))
        append(UInt32(clamping: start))
        append(UInt16(0))
    }

    private func endEntry() throws(Failure) {
        guard var entry = current, let deflater else { return }
        entry.packedSize += UInt64(try deflater.deflate([], into: &output, finish: true))
        append(Signature.descriptor)
        append(entry.checksum)
        if entry.isLarge {
            append(entry.packedSize)
            append(entry.size)
        } else {
            append(UInt32(clamping: entry.packedSize))
            append(UInt32(clamping: entry.size))
        }
        entries.append(entry)
        current = nil
        self.deflater = nil
    }

    private func appendDirectory(_ entry: Entry) {
        let limit = UInt64(UInt32.max)
        let needsLong = entry.isLarge || entry.offset >= limit
        append(Signature.directory)
        // Made by Unix, so that the permissions below apply: readable only by the owner.
        append(UInt16(3 << 8 | 45))
        appendVersionAndFlags(isLarge: needsLong)
        append(entry.checksum)
        append(needsLong ? UInt32.max : UInt32(clamping: entry.packedSize))
        append(needsLong ? UInt32.max : UInt32(clamping: entry.size))
        append(UInt16(entry.name.count))
        append(UInt16(needsLong ? 28 : 0))
        append(UInt16(0))
        append(UInt16(0))
        append(UInt16(0))
        append(UInt32(0o100600) << 16)
        append(needsLong ? UInt32.max : UInt32(clamping: entry.offset))
        output += entry.name
        guard needsLong else { return }
        append(UInt16(1))
        append(UInt16(24))
        append(entry.size)
        append(entry.packedSize)
        append(entry.offset)
    }

    private func appendLargeEnd(start: UInt64, size: UInt64) {
        let position = written + UInt64(output.count)
        append(Signature.largeEnd)
        append(UInt64(44))
        append(UInt16(3 << 8 | 45))
        append(UInt16(45))
        append(UInt32(0))
        append(UInt32(0))
        append(UInt64(entries.count))
        append(UInt64(entries.count))
        append(size)
        append(start)
        append(Signature.largeEndLocator)
        append(UInt32(0))
        append(position)
        append(UInt32(1))
    }

    /// Appends the version needed to extract, the flags (a descriptor follows; the name is UTF-8), compression method 8
    /// and the earliest possible time.
    private func appendVersionAndFlags(isLarge: Bool) {
        append(UInt16(isLarge ? 45 : 20))
        append(UInt16(1 << 3 | 1 << 11))
        append(UInt16(8))
        append(UInt16(0))
        append(UInt16(1 << 5 | 1))
    }

    private func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { output.append(contentsOf: $0) }
    }

    private enum Signature {
        static let local: UInt32 = 0x0403_4B50
        static let descriptor: UInt32 = 0x0807_4B50
        static let directory: UInt32 = 0x0201_4B50
        static let end: UInt32 = 0x0605_4B50
        static let largeEnd: UInt32 = 0x0606_4B50
        static let largeEndLocator: UInt32 = 0x0706_4B50
    }

    /// Extends a CRC-32 by more bytes.
    private static func checksum(_ before: UInt32, _ bytes: [UInt8]) -> UInt32 {
        var value = UInt(before)
        // The length has 32 bits: long pieces are processed in parts.
        for start in stride(from: 0, to: bytes.count, by: 1 << 30) {
            let part = bytes[start..<min(start + 1 << 30, bytes.count)]
            value = part.withUnsafeBufferPointer { crc32(value, $0.baseAddress, UInt32($0.count)) }
        }
        return UInt32(truncatingIfNeeded: value)
    }
}

@available(*, unavailable)
extension ZipWriter: Sendable {}

/// A raw deflate stream (RFC 1951), which uses earlier input as its dictionary.
private final class RawDeflater {
    /// On the heap, because zlib stores the address of its stream.
    private let stream: UnsafeMutablePointer<z_stream>
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    init() throws(ZipWriter.Failure) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let size = Int32(MemoryLayout<z_stream>.size)
        // A negative window size: without the zlib or gzip wrapper.
        guard deflateInit2_(stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK else {
            throw .outOfMemory
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// Compresses bytes, appends the output and returns its size.
    func deflate(_ bytes: [UInt8], into output: inout [UInt8], finish: Bool) throws(ZipWriter.Failure) -> Int {
        var consumed = 0
        var produced = 0
        while true {
            let piece = min(bytes.count - consumed, 1 << 30)
            let isLast = finish && consumed + piece == bytes.count
            let step = Gzip.run(stream, bytes[consumed..<(consumed + piece)], &buffer) {
                CZlib.deflate($0, isLast ? Z_FINISH : Z_NO_FLUSH)
            }
            guard step.status == Z_OK || step.status == Z_STREAM_END || step.status == Z_BUF_ERROR else {
                throw .outOfMemory
            }
            consumed += step.consumed
            produced += step.produced
            output.append(contentsOf: buffer[..<step.produced])
            if step.status == Z_STREAM_END { return produced }
            // The buffer was not filled: zlib has consumed everything and waits for more.
            if !finish, consumed == bytes.count, step.produced < buffer.count { return produced }
        }
    }
}
