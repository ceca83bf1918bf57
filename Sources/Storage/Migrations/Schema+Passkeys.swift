import GRDB

extension Schema {
    /// Creates the table of passkeys.
    ///
    /// `credential` is the id that the authenticator gave; `handle` is how it knows the user: random bytes, the same for
    /// all passkeys of a user. `party` is the host name that the passkey was made for, and the only one where it works.
    /// The key is public, so that a copy of the file signs nobody in.
    static func createPasskeys(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE passkeys (
                    id TEXT PRIMARY KEY NOT NULL, credential BLOB NOT NULL UNIQUE,
                    user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                    handle BLOB NOT NULL, party TEXT NOT NULL, name TEXT NOT NULL,
                    algorithm INTEGER NOT NULL, key BLOB NOT NULL, counter BIGINT NOT NULL, synced INTEGER NOT NULL,
                    created_ms BIGINT NOT NULL, used_ms BIGINT) WITHOUT ROWID;
                CREATE INDEX passkeys_user ON passkeys (user);
                """
        )
    }
}
