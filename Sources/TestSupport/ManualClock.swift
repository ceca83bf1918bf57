public import Stories
import Synchronization

/// A clock that stands still until a test moves it.
public final class ManualClock: Sendable {
    private let milliseconds: Mutex<Int64>

    /// Creates a clock at an instant, by default 2026-11-21T12:00:00Z.
    public init(_ milliseconds: Int64 = 1_795_262_400_000) {
        self.milliseconds = Mutex(milliseconds)
    }

    /// The instant it stands at.
    public var now: Timestamp { Timestamp(milliseconds: milliseconds.withLock { $0 }) }

    /// Moves it on.
    public func advance(seconds: Double) {
        milliseconds.withLock { $0 += Int64(seconds * 1_000) }
    }
}
