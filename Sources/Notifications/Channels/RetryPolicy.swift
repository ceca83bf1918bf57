public import Stories

/// When a failed delivery is tried again: ten attempts over some 76 hours, then it is dead.
public struct RetryPolicy: Hashable, Sendable {
    /// The wait before each attempt in seconds, counted from the failure before; the first is made at once.
    public let delays: [Int64]
    /// The most that a wait is lengthened by chance, as a share of it: 0.1 spreads retries over a tenth.
    public let jitter: Double

    /// Creates the policy of the Standard Webhooks specification: 0, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h.
    public init() {
        self.init(delays: [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400], jitter: 0.1)
    }

    /// Creates a policy; negative delays count as none, `jitter` is clamped into 0...1.
    public init(delays: [Int64], jitter: Double) {
        self.delays = delays.map { min(max(0, $0), 31_536_000) }
        self.jitter = jitter >= 0 ? min(1, jitter) : 0
    }

    /// When to try after so many attempts have failed.
    ///
    /// - Parameters:
    ///   - attempts: how many were made, at least one; 0 asks for the first.
    ///   - now: when the last one failed.
    ///   - generator: spreads the retries of many.
    /// - Returns: `nil` when there is no further attempt: the delivery is dead.
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

    /// After when a message is not sent through a channel any more, or `nil` when it is of use for ever.
    public static func deadline(of message: ChannelMessage, on kind: ChannelKind) -> Timestamp? {
        kind.isExpiring ? message.expiresAt : nil
    }

    /// How long a push about stories nearby is of use, in seconds.
    public static let nearbyLifetime: Int64 = 900
}
