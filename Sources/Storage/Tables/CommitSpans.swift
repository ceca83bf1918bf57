import GRDB

extension StoreReader {
    /// Returns the spans without a known end: those of the last group before a crash.
    func openSpans() throws -> [CommitSpan] {
        let sql = "SELECT from_stamp FROM commit_spans WHERE until_stamp = ? ORDER BY from_stamp"
        return try Int64.fetchAll(db, sql: sql, arguments: [Int64.max])
            .map { CommitSpan(from: $0, isAnswered: true) }
    }

    /// Returns the earliest stamp a client that synced at `instant` may have missed.
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
            // The state known to this process is newer.
            if !spans.contains(where: { $0.from == span.from }) { spans.append(span) }
        }
        return spans.filter { $0.holds(instant) }.map(\.from).min() ?? instant
    }
}

extension StoreTransaction {
    /// Stores the changes of spans and removes spans from before the remembered past.
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
