import GRDB
import Stories

extension StoreReader {
    /// Returns the number of lines in the list of erasures, as known to this copy of the database.
    func listedLines() throws -> Int { try Int.fetchOne(db, sql: "SELECT lines FROM erasure_commits") ?? 0 }

    /// Returns the token of the last lines of the list of erasures that this copy of the database committed.
    func listToken() throws -> StoryID? {
        try String.fetchOne(db, sql: "SELECT token FROM erasure_commits").flatMap { StoryID($0) }
    }
}

extension StoreTransaction {
    /// Stores the token of the open lines this transaction commits, and the total number of lines including them; `before`
    /// is the number without them.
    ///
    /// A copy that lacks earlier narrowings keeps lacking them, until ``markNarrowed(upTo:)``.
    func saveListToken(_ token: StoryID, lines: Int, before: Int) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO erasure_commits (id, token, lines, narrowed) VALUES (1, ?1, ?2, iif(?3 = 0, ?2, 0))
                ON CONFLICT (id) DO UPDATE SET token = excluded.token, lines = max(lines, excluded.lines),
                narrowed = iif(narrowed >= ?3, ?2, narrowed)
                """
        )
        .execute(arguments: [token.description, lines, before])
    }
}
