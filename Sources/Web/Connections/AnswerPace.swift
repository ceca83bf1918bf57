package import NIOCore

/// The pace at which a client reads an answer that is written as a whole.
///
/// Exports and live streams have rules of their own.
package struct AnswerPace: Hashable, Sendable {
    /// The decision about a client.
    package enum Verdict: Hashable, Sendable {
        /// No bytes are waiting for the client any more.
        case done
        /// The client is reading the waiting bytes.
        case goesOn
        /// The client has read nothing since the last check, or reads too slowly for the resources it occupies.
        case givenUp
    }

    /// When bytes started waiting.
    package let start: NIODeadline
    /// The number of bytes written since ``start``.
    private var written = 0
    /// The number of bytes the client had read at the last check.
    private var taken = 0

    package init(start: NIODeadline) { self.start = start }

    /// Records that bytes were written.
    package mutating func add(_ bytes: Int) { written += bytes }

    /// Checks the client; `waiting` is the number of written bytes that it has not read yet.
    package mutating func look(waiting: Int, at now: NIODeadline, limits: ConnectionLimits) -> Verdict {
        guard waiting > 0 else { return .done }
        let (last, elapsed) = (taken, now - start)
        taken = written - waiting
        guard taken > last else { return .givenUp }
        guard elapsed >= limits.answerGrace else { return .goesOn }
        return Double(taken) < Double(limits.answerPace) * Double(elapsed.nanoseconds) / 1e9 ? .givenUp : .goesOn
    }
}
