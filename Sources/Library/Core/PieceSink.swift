/// A destination for the pieces of a long answer.
public protocol PieceSink {
    /// Sends one piece, and returns once there is room for the next.
    @concurrent mutating func send(_ bytes: [UInt8]) async throws
}
