import GRDB

extension Schema {
    /// Creates the table of the service's last known time: one row.
    ///
    /// `boot` identifies the boot of the machine that `running_ms`, the monotonic clock, belongs to. `time_ms` is the
    /// time at that moment, `confirmed_ms` the time that is certain, and `lived_ms` how long the service has run at a
    /// later time.
    static func createClock(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE clock (
                    id INTEGER PRIMARY KEY CHECK (id = 1), boot TEXT, running_ms INTEGER NOT NULL,
                    time_ms INTEGER NOT NULL, confirmed_ms INTEGER NOT NULL, lived_ms INTEGER NOT NULL)
                """
        )
    }
}
