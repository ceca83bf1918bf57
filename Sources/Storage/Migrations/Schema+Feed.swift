import GRDB

extension Schema {
    /// Creates the tables that let live streams resume: a log of each user's feed, and the extent of each log.
    ///
    /// `position` grows with every row of a user and is never reused, even after a copy is restored: it is the time in
    /// milliseconds, or one more than the latest. `forgotten` is the last position no longer in the log.
    static func createFeed(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE notices ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE notices ADD COLUMN archived_ms INTEGER;
                UPDATE notices SET position = created_ms;
                CREATE INDEX notices_unread ON notices (user, created_ms DESC, id)
                    WHERE read_ms IS NULL AND archived_ms IS NULL;
                CREATE TABLE feed_log (
                    user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, position INTEGER NOT NULL,
                    at_ms INTEGER NOT NULL, event TEXT NOT NULL, notice TEXT, detail TEXT,
                    PRIMARY KEY (user, position)) WITHOUT ROWID;
                CREATE INDEX feed_log_age ON feed_log (at_ms);
                CREATE TABLE feed_positions (
                    user TEXT PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE, latest INTEGER NOT NULL,
                    forgotten INTEGER NOT NULL, seen INTEGER NOT NULL) WITHOUT ROWID;
                INSERT INTO feed_positions (user, latest, forgotten, seen)
                    SELECT user, max(created_ms), max(created_ms), 0 FROM notices GROUP BY user;
                """
        )
    }
}
