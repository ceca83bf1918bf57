public import Stories

/// The schedule of retries: ten attempts over about 76 hours, then the delivery is dead.
public struct RetryPolicy: Hashable, Sendable {
    /// The wait before each attempt in seconds, counted from the previous failure; the first attempt is immediate.
    public let delays: [Int64]
    /// The maximum random extension of a wait, as a fraction of it: 0.1 adds up to a tenth.
    public let jitter: Double

    /// Creates the policy of the Standard Webhooks specification: 0, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and
    /// 24 h.
    public init() {
        self.init(delays: [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400], jitter: 0.1)
    }

    /// Creates a policy; `delays` are clamped to 0...31,536,000 seconds (a year), and `jitter` to 0...1.
    public init(delays: [Int64], jitter: Double) {
        self.delays = delays.map { min(max(0, $0), 31_536_000) }
        self.jitter = jitter >= 0 ? min(1, jitter) : 0
    }

    /// Returns the time of the next attempt.
    ///
    /// - Parameters:
    ///   - attempts: the number of failed attempts so far; 0 returns the time of the first attempt.
    ///   - now: the time of the last failure.
    ///   - generator: randomizes the time, to spread the retries of many deliveries.
    /// - Returns: `nil` if there are no further attempts: the delivery is dead.
    public func next(
        afterAttempts attempts: Int,
        at now: Timestamp,
        using generator: inout some RandomNumberGenerator
    ) -> Timestamp? {
        guard attempts >= 0, attempts < delays.count else { return nil }
        let delay = Double(delays[attempts]) * 1000
        let chance = Double(generator.next() >> 11) * 0x1p-53
        return now.advanced(byMilliseconds: Int64(delay + delay * jitter * chance))
    }

    /// Returns the time after which a message is no longer sent through a channel, or `nil` if it never expires.
    public static func deadline(of message: ChannelMessage, on kind: ChannelKind) -> Timestamp? {
        kind.isExpiring ? message.expiresAt : nil
    }

    /// How long a push about nearby stories is useful, in seconds.
    public static let nearbyLifetime: Int64 = 900
}
