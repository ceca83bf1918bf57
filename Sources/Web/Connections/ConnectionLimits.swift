public import NIOCore

/// Time limits for receiving requests and sending answers, and the number of connections per address.
public struct ConnectionLimits: Hashable, Sendable {
    /// The maximum time from the opening of a connection to the end of its first request head; at least a millisecond.
    public var head: TimeAmount
    /// How long a body may take before its pace is checked.
    public var bodyGrace: TimeAmount
    /// The minimum average bytes per second of a body once ``bodyGrace`` is over.
    public var bodyPace: Int
    /// The maximum time for a body at any pace.
    public var body: TimeAmount
    /// The maximum number of simultaneous connections from one address, or from the /64 of an IPv6 address.
    ///
    /// Behind a trusted proxy, whose address is the same for everyone, there is no such limit.
    public var perAddress: Int
    /// How long a client may read none of the bytes that are waiting for it; exports and streams have rules of their
    /// own.
    public var answerIdle: TimeAmount
    /// How long an answer may wait for its client before the pace is checked.
    public var answerGrace: TimeAmount
    /// The minimum average bytes per second a client must read of an answer once ``answerGrace`` is over.
    public var answerPace: Int

    /// Creates limits.
    public init(
        head: TimeAmount = .seconds(10),
        bodyGrace: TimeAmount = .seconds(10),
        bodyPace: Int = 4_096,
        body: TimeAmount = .minutes(5),
        perAddress: Int = 3_000,
        answerIdle: TimeAmount = .seconds(30),
        answerGrace: TimeAmount = .seconds(60),
        answerPace: Int = 1_024
    ) {
        self.head = head
        self.bodyGrace = bodyGrace
        self.bodyPace = bodyPace
        self.body = body
        self.perAddress = perAddress
        self.answerIdle = answerIdle
        self.answerGrace = answerGrace
        self.answerPace = answerPace
    }

    /// Returns whether a body is so slow that it is aborted: `bytes` bytes have arrived in the time `elapsed`.
    package func isTooSlow(bytes: Int, after elapsed: TimeAmount) -> Bool {
        guard elapsed < body else { return true }
        let counted = elapsed - bodyGrace
        guard counted.nanoseconds >= 0 else { return false }
        return Double(bytes) < Double(bodyPace) * max(1, Double(counted.nanoseconds) / 1e9)
    }
}
