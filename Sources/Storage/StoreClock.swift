import Foundation
import Stories
import Synchronization

/// Stamps changes: in units of which a million make a millisecond, later with every transaction whatever the clock says.
///
/// Stamps order what happened within one millisecond, so that "at the same time" is never mistaken for "together". They
/// stay inside the store; what leaves it are whole milliseconds.
final class StoreClock: Sendable {
    private struct State {
        var source: @Sendable () -> Timestamp = {
            Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1_000).rounded(.down)))
        }
        /// No stamp up to here is given any more.
        var latest: Int64 = 0
        /// No stamp of the transaction being written lies before this one.
        var writingSince: Int64?

        /// The next stamp, without giving it out.
        var next: Int64 { max(StoreClock.stamp(source()), latest + 1) }
    }

    private let state = Mutex(State())

    /// The first stamp of a millisecond; instants beyond what fits, thousands of years away, become the last that does.
    static func stamp(_ instant: Timestamp) -> Int64 {
        let (product, overflow) = max(0, instant.milliseconds).multipliedReportingOverflow(by: 1_000_000)
        return overflow ? .max / 2 : min(product, .max / 2)
    }

    /// Reads the time from another clock from here on.
    func use(_ source: @escaping @Sendable () -> Timestamp) {
        state.withLock { $0.source = source }
    }

    /// Gives no stamp up to `stamp` any more.
    func advance(to stamp: Int64) {
        state.withLock { $0.latest = max($0.latest, stamp) }
    }

    /// A stamp after all given before.
    func stamp() -> Int64 {
        state.withLock { state in
            state.latest = state.next
            return state.latest
        }
    }

    /// Says that a transaction begins, the only one until ``endWriting()``.
    func beginWriting() {
        state.withLock { $0.writingSince = $0.next }
    }

    /// Says that the transaction is durable, or undone.
    func endWriting() {
        state.withLock { $0.writingSince = nil }
    }

    /// The millisecond before which nothing is stamped any more that is not durable by now.
    func horizon() -> Timestamp {
        state.withLock { state in
            let instant = Timestamp(milliseconds: (state.writingSince ?? state.next) / 1_000_000)
            // Should the clock be put back, later stamps come after what was promised here all the same.
            state.latest = max(state.latest, StoreClock.stamp(instant) - 1)
            return instant
        }
    }
}
