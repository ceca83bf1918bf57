import GRDB

extension Schema {
    /// Adds the number of lines of the list of erasures up to which the database has every narrowing on it: a copy with a
    /// smaller number is older.
    static func countNarrowings(_ db: Database) throws {
        try db.execute(sql: "ALTER TABLE erasure_commits ADD COLUMN narrowed BIGINT NOT NULL DEFAULT 0")
    }
}
