import GRDB

extension Schema {
    /// Adds the column that states whether others get the exact times of a story with a coarser place.
    ///
    /// By default, others no longer get these times, so every syncing client gets such stories again.
    static func addTimePrecision(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE stories ADD COLUMN exact_times INTEGER NOT NULL DEFAULT 0;
                UPDATE stories SET shown_stamp = stamp.now, trusted_stamp = stamp.now, touched_stamp = stamp.now
                FROM (SELECT max(1000000 * CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER),
                    (SELECT ifnull(max(touched_stamp), 0) + 1 FROM stories)) AS now) AS stamp
                WHERE precision <> 'exact' OR floor IS NOT NULL;
                CREATE INDEX stories_owner_day ON stories (owner, first_day) WHERE first_day IS NOT NULL;
                """
        )
    }
}
