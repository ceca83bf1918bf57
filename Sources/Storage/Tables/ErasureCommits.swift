import GRDB
import Stories

extension StoreReader {
    /// How many lines the list of erasures has, as far as this copy of the database knows.
    func listedLines() throws -> Int { try Int.fetchOne(db, sql: "SELECT lines FROM erasure_commits") ?? 0 }

    /// Which lines of the list of erasures were committed last.
    func listToken() throws -> StoryID? {
        try String.fetchOne(db, sql: "SELECT token FROM erasure_commits").flatMap { StoryID($0) }
    }
}

extension StoreTransaction {
    /// Stores which open lines of the list of erasures this transaction commits, and how many there are with them.
    func saveListToken(_ token: StoryID, lines: Int) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO erasure_commits (id, token, lines) VALUES (1, ?, ?)
                ON CONFLICT (id) DO UPDATE SET token = excluded.token, lines = max(lines, excluded.lines)
                """
        )
        .execute(arguments: [token.description, lines])
    }
}
