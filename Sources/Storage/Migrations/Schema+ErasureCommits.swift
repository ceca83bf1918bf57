import GRDB

extension Schema {
    /// Creates the table with the token of the last committed lines of the list of erasures; see ``ErasureList/token``.
    static func createErasureCommits(_ db: Database) throws {
        try db.execute(
            sql: "CREATE TABLE erasure_commits (id INTEGER PRIMARY KEY CHECK (id = 1), token TEXT NOT NULL)"
        )
    }

    /// Adds the number of lines ever on the list, including those of the last commit: if a list has fewer, lines were
    /// lost.
    static func countErasureLines(_ db: Database) throws {
        try db.execute(sql: "ALTER TABLE erasure_commits ADD COLUMN lines BIGINT NOT NULL DEFAULT 0")
    }
}
