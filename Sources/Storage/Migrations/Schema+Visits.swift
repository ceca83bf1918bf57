import GRDB

extension Schema {
    /// Creates the tables of visits that wait a few seconds to be announced together, and of stories users have viewed.
    static func createVisits(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE pending_visits (
                    user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, number INTEGER NOT NULL,
                    device TEXT NOT NULL, place TEXT NOT NULL, place_lat REAL NOT NULL, place_lon REAL NOT NULL,
                    kind TEXT NOT NULL, at_ms INTEGER NOT NULL, decided_ms INTEGER NOT NULL, confidence REAL NOT NULL,
                    simulated INTEGER NOT NULL,
                    PRIMARY KEY (user, number)) WITHOUT ROWID;
                CREATE INDEX pending_visits_age ON pending_visits (decided_ms);
                CREATE TABLE viewed_stories (
                    user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, story TEXT NOT NULL,
                    at_ms INTEGER NOT NULL,
                    PRIMARY KEY (user, story)) WITHOUT ROWID;
                CREATE INDEX viewed_stories_story ON viewed_stories (story);
                """
        )
    }

    /// Adds the column for the user's distance from the place of a pending visit: a notification is named after the
    /// nearest place.
    static func addVisitDistances(_ db: Database) throws {
        try db.execute(sql: "ALTER TABLE pending_visits ADD COLUMN distance REAL NOT NULL DEFAULT 0")
    }
}
