public import NIOCore

/// How long a request may take to arrive and an answer to be taken, and how many connections an address may have.
public struct ConnectionLimits: Hashable, Sendable {
    /// How long the first head of a connection may take from when it is opened; at least a millisecond.
    public var head: TimeAmount
    /// How long a body may take before its pace counts.
    public var bodyGrace: TimeAmount
    /// How many bytes a second of a body must have come on average once ``bodyGrace`` is over.
    public var bodyPace: Int
    /// How long a body may take however quick it is.
    public var body: TimeAmount
    /// The most connections from one address at a time, the /64 of an IPv6 one; behind a trusted proxy, whose address
    /// is that of everybody, there is no such limit.
    public var perAddress: Int
    /// How long a client may take no byte of an answer that waits for it; exports and streams have rules of their own.
    public var answerIdle: TimeAmount
    /// How long an answer may wait for its client before the pace counts.
    public var answerGrace: TimeAmount
    /// How many bytes a second of an answer a client must take on average once ``answerGrace`` is over.
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

    /// Whether a body of which so many bytes came in this time is given up.
    package func isTooSlow(bytes: Int, after elapsed: TimeAmount) -> Bool {
        guard elapsed < body else { return true }
        let counted = elapsed - bodyGrace
        guard counted.nanoseconds >= 0 else { return false }
        return Double(bytes) < Double(bodyPace) * max(1, Double(counted.nanoseconds) / 1e9)
    }
}
