import GRDB

extension Schema {
    /// Creates the table of the service's last known time: one row.
    ///
    /// `boot` identifies the boot of the machine, and `running_ms` is the monotonic clock since that boot. `time_ms` is
    /// the time at that moment and `confirmed_ms` the confirmed time. `lived_ms` is how long the service has run at a
    /// time later than the confirmed one.
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
