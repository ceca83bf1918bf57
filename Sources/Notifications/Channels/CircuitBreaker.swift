public import Stories

/// Keeps attempts away from an endpoint that fails again and again.
///
/// After ten straight failures it opens; then one attempt a minute probes whether the endpoint is back. A value: whoever
/// keeps it stores ``failures`` and ``probeAt``.
public struct CircuitBreaker: Hashable, Sendable {
    /// So many straight failures open it.
    public static let threshold = 10
    /// The time between two probes, in milliseconds.
    public static let probeInterval: Int64 = 60_000

    /// Straight failures so far.
    public private(set) var failures: Int
    /// When the next probe may be made; `nil` while it is closed.
    public private(set) var probeAt: Timestamp?

    /// Creates a closed breaker, or continues a stored one.
    public init(failures: Int = 0, probeAt: Timestamp? = nil) {
        self.failures = max(0, failures)
        self.probeAt = probeAt
    }

    /// Whether it is open.
    public var isOpen: Bool { probeAt != nil }

    /// Whether an attempt may begin now.
    public func allows(at now: Timestamp) -> Bool { probeAt.map { $0 <= now } ?? true }

    /// Notes that an attempt begins: while open, the next one must wait a minute.
    public mutating func begin(at now: Timestamp) {
        if isOpen { probeAt = now.advanced(byMilliseconds: CircuitBreaker.probeInterval) }
    }

    /// Notes an attempt that the endpoint answered.
    public mutating func succeed() {
        failures = 0
        probeAt = nil
    }

    /// Notes an attempt that failed.
    public mutating func fail(at now: Timestamp) {
        if failures < .max { failures += 1 }
        if failures >= CircuitBreaker.threshold {
            probeAt = now.advanced(byMilliseconds: CircuitBreaker.probeInterval)
        }
    }
}
