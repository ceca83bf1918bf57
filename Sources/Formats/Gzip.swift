import CZlib

/// Gzip (RFC 1952), using zlib.
public enum Gzip: Sendable {
    /// The reason bytes could not be read or written as gzip.
    public enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
        /// The bytes are not gzip, or are damaged.
        case corrupt
        /// The bytes are incomplete.
        case truncated
        /// The output would exceed the limit.
        case tooLarge(limit: Int)
        /// zlib could not allocate memory.
        case outOfMemory

        /// One sentence without a full stop.
        public var description: String {
            switch self {
            case .corrupt: "the data is damaged or is not gzip"
            case .truncated: "the gzip data ends in the middle; the file is probably incomplete"
            case .tooLarge(let limit): "the unpacked data is larger than the limit of \(limit) bytes"
            case .outOfMemory: "not enough memory to pack or unpack gzip"
            }
        }
    }

    /// Returns whether bytes begin like gzip.
    public static func isGzip(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.starts(with: [0x1F, 0x8B])
    }

    /// Decompresses all members of a gzip file into at most `limit` bytes.
    ///
    /// The limit applies to the actual output, whatever size the file declares.
    /// - Throws: ``Failure``.
    public static func decompress(_ bytes: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
        let decoder = try GzipDecoder(limit: limit)
        var output: [UInt8] = []
        try decoder.decode(bytes, into: &output)
        try decoder.finish()
        return output
    }

    /// Compresses bytes; the same bytes, level and version of zlib always give the same result, because no time or name
    /// is recorded.
    ///
    /// The level ranges from 0 (store) to 9 (smallest); other values are clamped.
    /// - Throws: ``Failure/outOfMemory``.
    public static func compress(_ bytes: [UInt8], level: Int = 6) throws(Failure) -> [UInt8] {
        var stream = z_stream()
        let effort = Int32(min(9, max(0, level)))
        let size = Int32(MemoryLayout<z_stream>.size)
        // zlib stores the address of the stream, so everything happens inside one call that pins it.
        return try withUnsafeMutablePointer(to: &stream) { pointer throws(Failure) in
            guard
                deflateInit2_(pointer, effort, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
            else { throw .outOfMemory }
            defer { deflateEnd(pointer) }
            return try pump(pointer, bytes)
        }
    }

    private static func pump(_ stream: UnsafeMutablePointer<z_stream>, _ bytes: [UInt8]) throws(Failure) -> [UInt8] {
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var consumed = 0
        while true {
            // avail_in has 32 bits: long inputs are processed in pieces.
            let piece = min(bytes.count - consumed, 1 << 30)
            let isLast = consumed + piece == bytes.count
            let step = run(stream, bytes[consumed..<(consumed + piece)], &buffer) {
                deflate($0, isLast ? Z_FINISH : Z_NO_FLUSH)
            }
            guard step.status == Z_OK || step.status == Z_STREAM_END || step.status == Z_BUF_ERROR else {
                throw .outOfMemory
            }
            consumed += step.consumed
            output.append(contentsOf: buffer[..<step.produced])
            if step.status == Z_STREAM_END { return output }
        }
    }

    /// The result of one call to zlib.
    struct Step {
        let status: Int32
        let consumed: Int
        let produced: Int
    }

    /// Calls zlib once with input and an output buffer.
    static func run(
        _ stream: UnsafeMutablePointer<z_stream>,
        _ input: ArraySlice<UInt8>,
        _ output: inout [UInt8],
        _ call: (UnsafeMutablePointer<z_stream>) -> Int32
    ) -> Step {
        input.withUnsafeBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                // zlib never writes through next_in; its type lacks const unless ZLIB_CONST is defined.
                stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
                stream.pointee.avail_in = UInt32(source.count)
                stream.pointee.next_out = target.baseAddress
                stream.pointee.avail_out = UInt32(target.count)
                let status = call(stream)
                let consumed = source.count - Int(stream.pointee.avail_in)
                let produced = target.count - Int(stream.pointee.avail_out)
                stream.pointee.next_in = nil
                stream.pointee.next_out = nil
                return Step(status: status, consumed: consumed, produced: produced)
            }
        }
    }
}
