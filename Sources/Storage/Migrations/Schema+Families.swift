import GRDB

extension Schema {
    /// Creates the tables of invitations, and recreates those of the feed, which can now also hold items without a
    /// place or story.
    static func createFamilies(_ db: Database) throws {
        try db.execute(sql: invitations + feed)
    }

    // An ended invitation is kept without its e-mail address, so that the holder of a genuine token can learn its
    // outcome. Tokens are stored only as SHA-256: 32 random bytes need no slower digest. A replaced token belongs to an
    // invitation that was sent again with another.
    private static let invitations = """
        CREATE TABLE invitations (
            id TEXT PRIMARY KEY NOT NULL,
            family TEXT REFERENCES families (id) ON DELETE SET NULL,
            inviter TEXT REFERENCES users (id) ON DELETE SET NULL,
            invitee TEXT, email TEXT,
            role TEXT NOT NULL CHECK (role IN ('admin', 'member')),
            state TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'declined', 'cancelled')),
            created_ms INTEGER NOT NULL, expires_ms INTEGER NOT NULL,
            CHECK (state <> 'pending' OR (family IS NOT NULL AND inviter IS NOT NULL
                AND (invitee IS NULL) <> (email IS NULL)))) WITHOUT ROWID;
        CREATE UNIQUE INDEX invitations_user ON invitations (family, invitee)
            WHERE state = 'pending' AND invitee IS NOT NULL;
        CREATE UNIQUE INDEX invitations_email ON invitations (family, email COLLATE NOCASE)
            WHERE state = 'pending' AND email IS NOT NULL;
        CREATE INDEX invitations_invitee ON invitations (invitee) WHERE invitee IS NOT NULL;
        CREATE INDEX invitations_inviter ON invitations (inviter) WHERE inviter IS NOT NULL;
        CREATE TABLE invitation_tokens (
            hash BLOB PRIMARY KEY NOT NULL,
            invitation TEXT NOT NULL REFERENCES invitations (id) ON DELETE CASCADE,
            replaced INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
        CREATE INDEX invitation_tokens_invitation ON invitation_tokens (invitation);

        """

    // Recreated instead of renamed: renaming makes SQLite parse every trigger of SpatiaLite.
    private static let feed = """
        CREATE TABLE kept_notices AS SELECT * FROM notices;
        DROP TABLE notices;
        CREATE TABLE notices (
            id TEXT NOT NULL, user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            at_ms INTEGER NOT NULL, created_ms INTEGER NOT NULL, type TEXT NOT NULL, kind TEXT,
            place_name TEXT, place_lat REAL, place_lon REAL, count INTEGER NOT NULL,
            title TEXT NOT NULL, body TEXT NOT NULL, confidence REAL, content TEXT NOT NULL,
            simulated INTEGER NOT NULL, read_ms INTEGER, opened_ms INTEGER,
            PRIMARY KEY (user, id)) WITHOUT ROWID;
        CREATE INDEX notices_feed ON notices (user, created_ms DESC, id);
        INSERT INTO notices (id, user, at_ms, created_ms, type, kind, place_name, place_lat, place_lon, count, title,
            body, confidence, content, simulated, read_ms, opened_ms)
            SELECT id, user, at_ms, created_ms, type, kind, place_name, place_lat, place_lon, count, title, body,
            confidence, content, simulated, read_ms, opened_ms FROM kept_notices;
        DROP TABLE kept_notices;
        """
}
