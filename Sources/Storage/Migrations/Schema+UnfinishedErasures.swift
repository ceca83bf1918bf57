import GRDB

extension Schema {
    /// Creates the table of erasures carried out piece by piece: the user, the kind and the start.
    ///
    /// From the insertion of its row on, an account no longer counts as one, and nobody can see its stories; see
    /// ``StoreTransaction/beginErasure(of:kind:at:)``. `pseudonym` replaces the user in records of the past. The row is
    /// removed with the last piece.
    static func createUnfinishedErasures(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE unfinished_erasures (
                    user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                    kind TEXT NOT NULL CHECK (kind IN ('account', 'location-data')),
                    pseudonym TEXT NOT NULL, begun_ms BIGINT NOT NULL,
                    PRIMARY KEY (user, kind)) WITHOUT ROWID
                """
        )
    }
}
