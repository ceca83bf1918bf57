public import Stories

/// Prevents attempts to an endpoint that keeps failing.
///
/// It opens after ten consecutive failures; then one attempt a minute probes whether the endpoint is back. It is a
/// value: the caller stores ``failures`` and ``probeAt``.
public struct CircuitBreaker: Hashable, Sendable {
    /// The number of consecutive failures that opens it.
    public static let threshold = 10
    /// The time between two probes, in milliseconds.
    public static let probeInterval: Int64 = 60_000

    /// The number of consecutive failures so far.
    public private(set) var failures: Int
    /// The time of the next probe; `nil` while closed.
    public private(set) var probeAt: Timestamp?

    /// Creates a closed breaker, or continues a stored one.
    public init(failures: Int = 0, probeAt: Timestamp? = nil) {
        self.failures = max(0, failures)
        self.probeAt = probeAt
    }

    /// Whether the breaker is open.
    public var isOpen: Bool { probeAt != nil }

    /// Returns whether an attempt may start now.
    public func allows(at now: Timestamp) -> Bool { probeAt.map { $0 <= now } ?? true }

    /// Records the start of an attempt; while the breaker is open, the next attempt must wait a minute.
    public mutating func begin(at now: Timestamp) {
        if isOpen { probeAt = now.advanced(byMilliseconds: CircuitBreaker.probeInterval) }
    }

    /// Records an attempt that the endpoint answered.
    public mutating func succeed() {
        failures = 0
        probeAt = nil
    }

    /// Records a failed attempt.
    public mutating func fail(at now: Timestamp) {
        if failures < .max { failures += 1 }
        if failures >= CircuitBreaker.threshold {
            probeAt = now.advanced(byMilliseconds: CircuitBreaker.probeInterval)
        }
    }
}
