import GRDB

extension Schema {
    /// Creates the table that records when groups of changes became visible; see ``CommitSpan``.
    static func createCommits(_ db: Database) throws {
        try db.execute(
            sql: "CREATE TABLE commit_spans (from_stamp INTEGER PRIMARY KEY NOT NULL, until_stamp INTEGER NOT NULL)"
        )
    }
}
