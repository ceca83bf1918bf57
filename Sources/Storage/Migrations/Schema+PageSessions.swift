import GRDB

extension Schema {
    /// Creates the tables of the page's sessions and of the codes that begin one.
    ///
    /// Of a session's secret only its SHA-256 is stored: it is 256 random bits. A code may be short, so only a keyed
    /// digest is stored: the key is not in this file, so that a copy of the file is no help in guessing. A code's user
    /// may not exist yet: using the code makes the account. A used code stays until it expires, so that nothing can
    /// make it valid again.
    static func createPageSessions(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE page_sessions (
                    id TEXT PRIMARY KEY NOT NULL, digest BLOB NOT NULL,
                    user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                    scopes TEXT NOT NULL, label TEXT NOT NULL,
                    created_ms BIGINT NOT NULL, expires_ms BIGINT NOT NULL, used_ms BIGINT NOT NULL) WITHOUT ROWID;
                CREATE INDEX page_sessions_user ON page_sessions (user);
                CREATE INDEX page_sessions_end ON page_sessions (expires_ms);
                CREATE TABLE sign_in_codes (
                    digest BLOB PRIMARY KEY NOT NULL, user TEXT NOT NULL,
                    kind TEXT NOT NULL CHECK (kind IN ('mail', 'operator')),
                    name TEXT, family TEXT, role TEXT,
                    created_ms BIGINT NOT NULL, expires_ms BIGINT NOT NULL, used_ms BIGINT) WITHOUT ROWID;
                CREATE INDEX sign_in_codes_user ON sign_in_codes (user);
                CREATE INDEX sign_in_codes_end ON sign_in_codes (expires_ms);
                CREATE INDEX users_mail ON users (lower(email)) WHERE email IS NOT NULL;
                """
        )
    }
}
