import GRDB

extension Schema {
    /// Creates the tables of consents, accesses and erasures.
    static func createRights(_ db: Database) throws {
        try db.execute(sql: rights)
    }

    // `reader` is empty if the reading account has since been erased: the owner may still know that an access happened.
    // `applied_erasures` records which lines of the list next to the database this copy has seen, and which of them
    // have left nothing in free space. Consents given before there was a history become its first entries.
    private static let rights = """
        CREATE TABLE consents (
            user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, at_ms INTEGER NOT NULL, number INTEGER NOT NULL,
            kind TEXT NOT NULL, version TEXT, action TEXT NOT NULL CHECK (action IN ('given', 'withdrawn')),
            source TEXT NOT NULL,
            PRIMARY KEY (user, at_ms, number)) WITHOUT ROWID;
        INSERT INTO consents (user, at_ms, number, kind, version, action, source)
            SELECT user, consent_ms, 0, 'nearby-stories', consent_version, 'given', 'app'
            FROM notification_settings WHERE enabled AND consent_ms IS NOT NULL;
        CREATE TABLE accesses (
            owner TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, day INTEGER NOT NULL,
            story TEXT NOT NULL, reader TEXT NOT NULL,
            PRIMARY KEY (owner, day, story, reader)) WITHOUT ROWID;
        CREATE INDEX accesses_reader ON accesses (reader);
        CREATE INDEX accesses_day ON accesses (day);
        CREATE TABLE applied_erasures (
            id TEXT PRIMARY KEY NOT NULL, at_ms INTEGER NOT NULL, swept INTEGER NOT NULL) WITHOUT ROWID;

        """
}
