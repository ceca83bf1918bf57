import GRDB

extension Schema {
    /// Adds the trace of the request that caused an entry, and of a device's last report, for what a timer decides
    /// later.
    ///
    /// `trace` is a `traceparent` of W3C Trace Context, followed by the word `service` if an app's backend made the request.
    /// It is kept only for the person's own requests and for those of a backend, so nobody's row names another's
    /// request.
    static func addTraces(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE outbox ADD COLUMN trace TEXT;
                ALTER TABLE evaluator_states ADD COLUMN trace TEXT;
                """
        )
    }
}
