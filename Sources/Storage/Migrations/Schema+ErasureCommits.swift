import GRDB

extension Schema {
    /// The table of which lines of the list of erasures the database committed last: see ``ErasureList/token``.
    static func createErasureCommits(_ db: Database) throws {
        try db.execute(
            sql: "CREATE TABLE erasure_commits (id INTEGER PRIMARY KEY CHECK (id = 1), token TEXT NOT NULL)"
        )
    }

    /// How many lines the list has had, those of the last commit among them: a list with fewer has lost some.
    static func countErasureLines(_ db: Database) throws {
        try db.execute(sql: "ALTER TABLE erasure_commits ADD COLUMN lines BIGINT NOT NULL DEFAULT 0")
    }
}
