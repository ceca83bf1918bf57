import GRDB
import Stories

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

extension StoreReader {
    /// The spans of which it is not known until when they last: of the last group before a crash.
    func openSpans() throws -> [CommitSpan] {
        let sql = "SELECT from_stamp FROM commit_spans WHERE until_stamp = ? ORDER BY from_stamp"
        return try Int64.fetchAll(db, sql: sql, arguments: [Int64.max])
            .map { CommitSpan(from: $0, isAnswered: true) }
    }

    /// The stamp from which on somebody has to be told who was answered at `instant`.
    func firstUntold(at instant: Int64) throws -> Int64 {
        var spans = unsettled
        let statement = try db.cachedStatement(
            sql: """
                SELECT from_stamp, until_stamp FROM commit_spans WHERE from_stamp < ?
                ORDER BY from_stamp DESC LIMIT 1
                """
        )
        if let row = try Row.fetchOne(statement, arguments: [instant]) {
            let span = CommitSpan(from: row["from_stamp"], until: row["until_stamp"])
            // What this process knows of it is newer.
            if !spans.contains(where: { $0.from == span.from }) { spans.append(span) }
        }
        return spans.filter { $0.holds(instant) }.map(\.from).min() ?? instant
    }
}

extension StoreTransaction {
    /// Stores what became of spans; those beyond what is remembered are forgotten.
    func save(_ changes: CommitSpanChanges) throws {
        for from in changes.dropped {
            try db.cachedStatement(sql: "DELETE FROM commit_spans WHERE from_stamp = ?").execute(arguments: [from])
        }
        for span in changes.ended {
            try db.cachedStatement(sql: "UPDATE commit_spans SET until_stamp = ? WHERE from_stamp = ?")
                .execute(arguments: [span.until, span.from])
        }
        guard let begun = changes.begun else { return }
        try db.cachedStatement(sql: "INSERT INTO commit_spans (from_stamp, until_stamp) VALUES (?, ?)")
            .execute(arguments: [begun, Int64.max])
        let limit = begun - StoreTransaction.memoryLength
        try db.cachedStatement(sql: "DELETE FROM commit_spans WHERE from_stamp < ?1 AND until_stamp < ?1")
            .execute(arguments: [limit])
    }
}
