import GRDB

extension Schema {
    /// What the service knew of the time when it last looked: one row.
    ///
    /// `boot` names the run of the machine that `running_ms`, the clock that cannot jump, belongs to; `time_ms` is the time
    /// at that moment, `confirmed_ms` what is certain of it, `lived_ms` how long the service has lived at a later one.
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
