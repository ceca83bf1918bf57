import GRDB

extension Schema {
    /// Creates the tables of keys and sign-ins.
    ///
    /// Secrets are stored only as SHA-256: they are 256 random bits, so they cannot be found by guessing. A sign-in is
    /// a chain of refresh tokens of which one is valid; used ones are remembered to detect theft. `ended_access`
    /// records removed users, by a keyed digest of the id: tokens issued until `ended_ms` must not recreate them.
    static func createAccounts(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE api_keys (
                    id TEXT PRIMARY KEY NOT NULL, digest BLOB NOT NULL,
                    kind TEXT NOT NULL CHECK (kind IN ('user', 'device', 'service')),
                    user TEXT REFERENCES users (id) ON DELETE CASCADE,
                    name TEXT NOT NULL, device TEXT, scopes TEXT NOT NULL,
                    created_ms INTEGER NOT NULL, expires_ms INTEGER, used_ms INTEGER,
                    CHECK ((user IS NULL) = (kind = 'service')), CHECK ((device IS NULL) = (kind <> 'device'))
                ) WITHOUT ROWID;
                CREATE INDEX api_keys_user ON api_keys (user) WHERE user IS NOT NULL;
                CREATE TABLE sign_ins (
                    id TEXT PRIMARY KEY NOT NULL, user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                    scopes TEXT NOT NULL, created_ms INTEGER NOT NULL, expires_ms INTEGER NOT NULL) WITHOUT ROWID;
                CREATE INDEX sign_ins_user ON sign_ins (user);
                CREATE INDEX sign_ins_end ON sign_ins (expires_ms);
                CREATE TABLE refresh_tokens (
                    digest BLOB PRIMARY KEY NOT NULL,
                    sign_in TEXT NOT NULL REFERENCES sign_ins (id) ON DELETE CASCADE,
                    expires_ms INTEGER NOT NULL, used_ms INTEGER, successor BLOB) WITHOUT ROWID;
                CREATE INDEX refresh_tokens_sign_in ON refresh_tokens (sign_in);
                CREATE TABLE access_epochs (
                    user TEXT PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                    epoch TEXT NOT NULL, since_ms INTEGER NOT NULL) WITHOUT ROWID;
                CREATE TABLE ended_access (user BLOB PRIMARY KEY NOT NULL, ended_ms INTEGER NOT NULL) WITHOUT ROWID;
                """
        )
    }
}
