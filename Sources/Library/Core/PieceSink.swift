/// Where the pieces of a long answer go.
public protocol PieceSink {
    /// Sends one piece, and returns when there is room for the next.
    @concurrent mutating func send(_ bytes: [UInt8]) async throws
}
