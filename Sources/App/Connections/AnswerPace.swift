package import NIOCore

/// How quickly a client takes answers that are written whole and wait for it.
///
/// Exports and live streams have rules of their own.
package struct AnswerPace: Hashable, Sendable {
    /// What is to be done about a client.
    package enum Verdict: Hashable, Sendable {
        /// Nothing waits for it any more.
        case done
        /// It takes what waits for it.
        case goesOn
        /// It takes nothing, or so little that others pay for it.
        case givenUp
    }

    /// When something began to wait.
    package let start: NIODeadline
    /// The bytes written since.
    private var written = 0
    /// The bytes it had taken when it was last looked at.
    private var taken = 0

    package init(start: NIODeadline) { self.start = start }

    /// Notes that so many bytes were written.
    package mutating func add(_ bytes: Int) { written += bytes }

    /// Looks at a client for which so many bytes still wait.
    package mutating func look(waiting: Int, at now: NIODeadline, limits: ConnectionLimits) -> Verdict {
        guard waiting > 0 else { return .done }
        let (last, elapsed) = (taken, now - start)
        taken = written - waiting
        guard taken > last else { return .givenUp }
        guard elapsed >= limits.answerGrace else { return .goesOn }
        return Double(taken) < Double(limits.answerPace) * Double(elapsed.nanoseconds) / 1e9 ? .givenUp : .goesOn
    }
}
