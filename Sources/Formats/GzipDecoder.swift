import CZlib

/// Decompresses a gzip stream of one or more members that arrives in pieces.
///
/// This is a class because zlib stores the address of its state. It is not safe for concurrent use.
public final class GzipDecoder {
    private let stream: UnsafeMutablePointer<z_stream>
    private let limit: Int
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    private var produced = 0
    private var state = State.betweenMembers
    private var members = 0

    private enum State {
        case betweenMembers
        case insideMember
        case padding
    }

    /// Creates a decoder with at most `limit` bytes of output.
    ///
    /// - Throws: ``Gzip/Failure/outOfMemory``.
    public init(limit: Int) throws(Gzip.Failure) {
        self.limit = limit
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            stream.deallocate()
            throw .outOfMemory
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Decompresses the next piece and appends the output.
    ///
    /// - Throws: ``Gzip/Failure`` if the data is damaged or the total output exceeds the limit; earlier output remains
    ///   in `output`.
    public func decode(_ piece: [UInt8], into output: inout [UInt8]) throws(Gzip.Failure) {
        var rest = piece[...]
        while !rest.isEmpty {
            if try skipPadding(&rest) { return }
            state = .insideMember
            // avail_in has 32 bits: long inputs are processed in pieces.
            let step = Gzip.run(stream, rest.prefix(1 << 30), &buffer) { inflate($0, Z_NO_FLUSH) }
            rest = rest.dropFirst(step.consumed)
            produced += step.produced
            guard produced <= limit else { throw .tooLarge(limit: limit) }
            output.append(contentsOf: buffer[..<step.produced])
            try advance(step)
        }
        try drain(into: &output)
    }

    /// Checks that the stream ended at a valid point.
    ///
    /// - Throws: ``Gzip/Failure/truncated`` if the input was empty or ended within a member.
    public func finish() throws(Gzip.Failure) {
        guard state != .insideMember, members > 0 else { throw .truncated }
    }

    /// Returns whether the rest is only padding: zeros after the last member, as on tapes.
    private func skipPadding(_ rest: inout ArraySlice<UInt8>) throws(Gzip.Failure) -> Bool {
        guard members > 0, state == .padding || (state == .betweenMembers && rest.first == 0) else { return false }
        state = .padding
        guard rest.allSatisfy({ $0 == 0 }) else { throw .corrupt }
        return true
    }

    private func advance(_ step: Gzip.Step) throws(Gzip.Failure) {
        switch step.status {
        case Z_OK, Z_BUF_ERROR: return
        case Z_STREAM_END:
            members += 1
            state = .betweenMembers
            guard inflateReset(stream) == Z_OK else { throw .corrupt }
        case Z_MEM_ERROR: throw .outOfMemory
        default: throw .corrupt
        }
    }

    /// Appends the output that zlib still holds after all input is read.
    private func drain(into output: inout [UInt8]) throws(Gzip.Failure) {
        while state == .insideMember {
            let step = Gzip.run(stream, [], &buffer) { inflate($0, Z_NO_FLUSH) }
            produced += step.produced
            guard produced <= limit else { throw .tooLarge(limit: limit) }
            output.append(contentsOf: buffer[..<step.produced])
            try advance(step)
            if step.produced == 0 { return }
        }
    }
}

@available(*, unavailable)
extension GzipDecoder: Sendable {}
