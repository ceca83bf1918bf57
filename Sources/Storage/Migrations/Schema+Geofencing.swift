import GRDB

extension Schema {
    /// Creates the tables of device permissions and of the fixes users asked to keep.
    static func createGeofencing(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE devices (
                    user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, device TEXT NOT NULL,
                    permission TEXT NOT NULL, platform TEXT, updated_ms INTEGER NOT NULL,
                    PRIMARY KEY (user, device)) WITHOUT ROWID;
                CREATE TABLE fixes (
                    user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, id TEXT NOT NULL, device TEXT NOT NULL,
                    time_ms INTEGER NOT NULL, received_ms INTEGER NOT NULL, lat REAL NOT NULL, lon REAL NOT NULL,
                    accuracy REAL, speed REAL, course REAL, outcome TEXT NOT NULL, explanation TEXT NOT NULL,
                    PRIMARY KEY (user, id)) WITHOUT ROWID;
                CREATE INDEX fixes_age ON fixes (user, received_ms, id);
                """
        )
    }
}
