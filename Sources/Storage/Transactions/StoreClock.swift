import Foundation
import Stories
import Synchronization

/// The source of stamps for changes, in millionths of a millisecond: every stamp is later than all before it, whatever
/// the clock says.
///
/// Stamps put transactions in order even within one millisecond, so that two transactions are never mistaken for one.
/// They stay inside the store; only whole milliseconds leave it.
final class StoreClock: Sendable {
    private struct State {
        var source: @Sendable () -> Timestamp = {
            Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1_000).rounded(.down)))
        }
        /// No stamp up to this one is issued again.
        var latest: Int64 = 0
        /// The write groups whose end is not stored yet, in order; the last one may still be in progress.
        var unsettled: [CommitSpan] = []
        /// Whether the last group is in progress.
        var isWriting = false
        /// Whether anything in it is stamped.
        var isStamped = false
        /// The latest instant of an answer.
        var latestAnswer: Int64 = 0

        /// The next stamp, without issuing it.
        var next: Int64 { max(now, latest + 1) }
        /// The first stamp of the current millisecond.
        var now: Int64 { StoreClock.stamp(source()) }

        /// Ends the spans that were open when the store was opened; answers from now on cannot miss their write groups.
        mutating func endOpenSpans() {
            for index in unsettled.indices.dropLast(isWriting ? 1 : 0) where unsettled[index].until == .max {
                unsettled[index].until = max(now, latestAnswer)
            }
        }
    }

    private let state = Mutex(State())

    /// Returns the first stamp of a millisecond, clamped to the range from 0 to half of `Int64.max`: 1970 to 2116.
    static func stamp(_ instant: Timestamp) -> Int64 {
        let (product, overflow) = max(0, instant.milliseconds).multipliedReportingOverflow(by: 1_000_000)
        return overflow ? .max / 2 : min(product, .max / 2)
    }

    /// Switches to another clock and ends the spans left open by a crash at its current time.
    func use(_ source: @escaping @Sendable () -> Timestamp) {
        state.withLock { state in
            state.source = source
            state.endOpenSpans()
        }
    }

    /// The current time of the clock.
    var time: Timestamp { state.withLock { $0.source() } }

    /// Issues a stamp greater than all stamps issued before.
    func stamp() -> Int64 {
        state.withLock { state in
            state.latest = state.next
            state.isStamped = true
            return state.latest
        }
    }

    /// Resumes from the state of a store: issues no stamp up to `stamp`, and takes over the spans left open by a crash,
    /// to end them later.
    func resume(after stamp: Int64, open spans: [CommitSpan]) {
        state.withLock { state in
            state.latest = max(state.latest, stamp)
            state.unsettled = spans
        }
    }

    /// The write groups whose end the database does not know yet.
    ///
    /// Read it before taking a view of the database, so that the view contains all ends stored by then.
    var unsettled: [CommitSpan] { state.withLock { $0.unsettled } }

    /// Records that a write group starts, the only one until ``endWriting(isDurable:)``.
    func beginWriting() {
        state.withLock { state in
            state.unsettled.append(CommitSpan(from: state.next))
            state.isWriting = true
            state.isStamped = false
        }
    }

    /// Returns the span changes that the current group must store after its other changes; `nil` if there are none, as
    /// for most groups that change no story.
    func spanChanges() -> CommitSpanChanges? {
        state.withLock { state in
            guard state.isWriting, let current = state.unsettled.last else { return nil }
            state.endOpenSpans()
            let ended = state.unsettled.dropLast()
            // A span in which no answer was given is not needed. A span whose last millisecond is not over can still
            // get an answer, so it is kept: the outcome must not depend on when the next group arrives.
            let isNeeded = { [now = state.now] (span: CommitSpan) in
                span.isAnswered || (span.until >= now && span.until > span.from)
            }
            let begun = state.isStamped ? current.from : nil
            guard begun != nil || !ended.isEmpty else { return nil }
            return CommitSpanChanges(
                begun: begun,
                ended: ended.filter(isNeeded),
                dropped: ended.filter { !isNeeded($0) }.map(\.from)
            )
        }
    }

    /// Records that the group, and the spans stored with it, are durable, or that it was rolled back.
    func endWriting(isDurable: Bool) {
        state.withLock { state in
            state.isWriting = false
            guard var span = state.unsettled.popLast(), isDurable else { return }
            state.unsettled = []
            guard state.isStamped else { return }
            span.until = max(state.now, state.latestAnswer)
            state.unsettled = [span]
        }
    }

    /// Returns the instant for an answer: now, and never before `earlier`, in case the clock was set back.
    func answerInstant(after earlier: Timestamp?) -> Timestamp {
        state.withLock { state in
            let instant = max(state.source(), earlier ?? Timestamp(milliseconds: 0))
            let stamp = StoreClock.stamp(instant)
            state.endOpenSpans()
            // Later stamps come after the instant promised here, whatever the clock says.
            state.latest = max(state.latest, stamp - 1)
            state.latestAnswer = max(state.latestAnswer, stamp)
            for index in state.unsettled.indices { state.unsettled[index].note(answer: stamp) }
            return instant
        }
    }
}
