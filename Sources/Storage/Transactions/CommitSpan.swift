/// The time from the start of a write group until readers see it, in stamps.
///
/// The group's changes carry stamps from its start, but an answer given before its end misses them. The span
/// compensates: a client that was answered within it gets everything from its start again. So an answer only needs to
/// state its time, whether or not a write was in progress. Spans do not overlap.
struct CommitSpan: Hashable, Sendable {
    /// A lower bound of the group's stamps.
    let from: Int64
    /// An answer up to this instant may have missed the group; `Int64.max` while unknown.
    var until = Int64.max
    /// Whether an answer was given that may have missed the group.
    var isAnswered = false

    /// Returns whether an answer given at that instant may have missed the group.
    func holds(_ instant: Int64) -> Bool { from < instant && instant <= until }

    /// Records that an answer was given.
    mutating func note(answer instant: Int64) {
        if holds(instant) { isAnswered = true }
    }
}

/// The span changes a write group stores: its own and those of earlier groups.
struct CommitSpanChanges: Sendable {
    /// The start of the group itself, if anything in it is stamped; a later group stores its end.
    let begun: Int64?
    /// The spans that have ended.
    let ended: [CommitSpan]
    /// The ended spans that no answer needs.
    let dropped: [Int64]
}
