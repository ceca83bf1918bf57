public import Stories
import Synchronization

/// A clock that changes only when a test advances it.
public final class ManualClock: Sendable {
    private let milliseconds: Mutex<Int64>

    /// Creates a clock set to an instant in milliseconds since 1970, by default 2026-11-21T12:00:00Z.
    public init(_ milliseconds: Int64 = 1_795_262_400_000) {
        self.milliseconds = Mutex(milliseconds)
    }

    /// The current time of the clock.
    public var now: Timestamp { Timestamp(milliseconds: milliseconds.withLock { $0 }) }

    /// Advances the clock.
    public func advance(seconds: Double) {
        milliseconds.withLock { $0 += Int64(seconds * 1_000) }
    }
}
