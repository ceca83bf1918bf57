package import NIOCore

/// How fast a client reads an answer that is written as a whole and waits for it.
///
/// Exports and live streams have rules of their own.
package struct AnswerPace: Hashable, Sendable {
    /// The decision about a client.
    package enum Verdict: Hashable, Sendable {
        /// Nothing is waiting for it any more.
        case done
        /// It is reading the waiting bytes.
        case goesOn
        /// It reads nothing, or too little in relation to the resources it occupies.
        case givenUp
    }

    /// When bytes started waiting.
    package let start: NIODeadline
    /// The number of bytes written since.
    private var written = 0
    /// The number of bytes it had read at the last check.
    private var taken = 0

    package init(start: NIODeadline) { self.start = start }

    /// Records that bytes were written.
    package mutating func add(_ bytes: Int) { written += bytes }

    /// Checks a client for which bytes are waiting.
    package mutating func look(waiting: Int, at now: NIODeadline, limits: ConnectionLimits) -> Verdict {
        guard waiting > 0 else { return .done }
        let (last, elapsed) = (taken, now - start)
        taken = written - waiting
        guard taken > last else { return .givenUp }
        guard elapsed >= limits.answerGrace else { return .goesOn }
        return Double(taken) < Double(limits.answerPace) * Double(elapsed.nanoseconds) / 1e9 ? .givenUp : .goesOn
    }
}
