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
        /// The groups of writes of which it is not stored yet until when they lasted, in their order; the last one may
        /// still be being written.
        var unsettled: [CommitSpan] = []
        /// Whether it is.
        var isWriting = false
        /// Whether anything in it is stamped.
        var isStamped = false
        /// The latest instant of an answer.
        var latestAnswer: Int64 = 0

        /// The next stamp, without giving it out.
        var next: Int64 { max(now, latest + 1) }
        /// The first stamp of the millisecond it is.
        var now: Int64 { StoreClock.stamp(source()) }

        /// Ends the spans that were open when the store was opened: nobody can miss them from here on.
        mutating func endOpenSpans() {
            for index in unsettled.indices.dropLast(isWriting ? 1 : 0) where unsettled[index].until == .max {
                unsettled[index].until = max(now, latestAnswer)
            }
        }
    }

    private let state = Mutex(State())

    /// The first stamp of a millisecond; instants beyond what fits, thousands of years away, become the last that does.
    static func stamp(_ instant: Timestamp) -> Int64 {
        let (product, overflow) = max(0, instant.milliseconds).multipliedReportingOverflow(by: 1_000_000)
        return overflow ? .max / 2 : min(product, .max / 2)
    }

    /// Reads the time from another clock from here on; what a crash left open has ended by it.
    func use(_ source: @escaping @Sendable () -> Timestamp) {
        state.withLock { state in
            state.source = source
            state.endOpenSpans()
        }
    }

    /// The time as the clock has it.
    var time: Timestamp { state.withLock { $0.source() } }

    /// A stamp after all given before.
    func stamp() -> Int64 {
        state.withLock { state in
            state.latest = state.next
            state.isStamped = true
            return state.latest
        }
    }

    /// Goes on from what a store holds: gives no stamp up to `stamp` any more, and ends what a crash left open.
    func resume(after stamp: Int64, open spans: [CommitSpan]) {
        state.withLock { state in
            state.latest = max(state.latest, stamp)
            state.unsettled = spans
        }
    }

    /// The groups of writes of which the database does not know yet until when they lasted.
    ///
    /// Ask before a view of the database is taken: what is stored by then is in it.
    var unsettled: [CommitSpan] { state.withLock { $0.unsettled } }

    /// Says that a group of writes begins, the only one until ``endWriting(isDurable:)``.
    func beginWriting() {
        state.withLock { state in
            state.unsettled.append(CommitSpan(from: state.next))
            state.isWriting = true
            state.isStamped = false
        }
    }

    /// What the group being written has to store of spans, last of all; nothing for most that change no story.
    func spanChanges() -> CommitSpanChanges? {
        state.withLock { state in
            guard state.isWriting, let current = state.unsettled.last else { return nil }
            state.endOpenSpans()
            let ended = state.unsettled.dropLast()
            // Nobody needs a span that no answer falls into. One that can still be answered in, because its last
            // millisecond is not over, is kept: what becomes of it must not depend on when the next group comes.
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

    /// Says that the group is durable and what it stored with it, or that it is undone.
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

    /// The instant of an answer: now, and never before `earlier`, should the clock have been put back.
    func answerInstant(after earlier: Timestamp?) -> Timestamp {
        state.withLock { state in
            let instant = max(state.source(), earlier ?? Timestamp(milliseconds: 0))
            let stamp = StoreClock.stamp(instant)
            state.endOpenSpans()
            // Later stamps come after what was promised here, whatever the clock says.
            state.latest = max(state.latest, stamp - 1)
            state.latestAnswer = max(state.latestAnswer, stamp)
            for index in state.unsettled.indices { state.unsettled[index].note(answer: stamp) }
            return instant
        }
    }
}
