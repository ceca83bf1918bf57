import GRDB

extension Schema {
    /// The table of what devices said of themselves.
    static func createGeofencing(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE devices (
                    user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, device TEXT NOT NULL,
                    permission TEXT NOT NULL, platform TEXT, updated_ms INTEGER NOT NULL,
                    PRIMARY KEY (user, device)) WITHOUT ROWID;
                """
        )
    }
}
