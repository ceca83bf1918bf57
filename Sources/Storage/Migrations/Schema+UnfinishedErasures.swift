import GRDB

extension Schema {
    /// The table of erasures that are carried out piece by piece: whose, of what, and since when.
    ///
    /// From its row on an account is no account any more, and its stories are nobody's to see; see
    /// ``StoreTransaction/beginErasure(of:kind:at:)``. `pseudonym` takes the user's place in what is known of the past. The
    /// row goes with the last piece.
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
