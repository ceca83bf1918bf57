import GRDB
import Stories

extension Schema {
    /// The table of which lines of the list of erasures the database committed last: see ``ErasureList/token``.
    static func createErasureCommits(_ db: Database) throws {
        try db.execute(
            sql: "CREATE TABLE erasure_commits (id INTEGER PRIMARY KEY CHECK (id = 1), token TEXT NOT NULL)"
        )
    }
}

extension StoreTransaction {
    /// Stores which open lines of the list of erasures this transaction commits.
    func saveListToken(_ token: StoryID) throws {
        try db.cachedStatement(sql: "INSERT OR REPLACE INTO erasure_commits (id, token) VALUES (1, ?)")
            .execute(arguments: [token.description])
    }

    /// Which lines of the list of erasures were committed last.
    func listToken() throws -> StoryID? {
        try String.fetchOne(db, sql: "SELECT token FROM erasure_commits").flatMap { StoryID($0) }
    }
}
