/// The time from the beginning of a group of writes until readers see them, in stamps.
///
/// Its changes carry stamps from the beginning, but an answer given in between misses them. The span is what makes up for
/// it: whoever was answered within it is told everything from its beginning on. So an answer needs to say no more than
/// when it was given, whether or not somebody was writing just then. Spans do not overlap.
struct CommitSpan: Hashable, Sendable {
    /// No stamp of the group lies before this one.
    let from: Int64
    /// An answer up to this instant may have missed the group; `Int64.max` while that is not known.
    var until = Int64.max
    /// Whether an answer was given that may have missed it.
    var isAnswered = false

    /// Whether an answer given at that instant may have missed the group.
    func holds(_ instant: Int64) -> Bool { from < instant && instant <= until }

    /// Notes that an answer was given.
    mutating func note(answer instant: Int64) {
        if holds(instant) { isAnswered = true }
    }
}

/// What a group of writes stores of spans, its own and those of groups before it.
struct CommitSpanChanges: Sendable {
    /// The beginning of the group itself, if anything is stamped in it; when it ends is stored with a later one.
    let begun: Int64?
    /// Those that have ended.
    let ended: [CommitSpan]
    /// Of those, the ones that no answer needs.
    let dropped: [Int64]
}
