import GRDB

extension Schema {
    /// Creates the tables of channels and of messages waiting to be sent through them.
    static func createOutbox(_ db: Database) throws {
        try db.execute(sql: outbox)
    }

    /// Creates the index of notifications not sent to a channel because of its user's limits.
    static func createCapped(_ db: Database) throws {
        try db.execute(sql: "CREATE INDEX outbox_capped ON outbox (channel, ended_ms) WHERE reason = 'cap'")
    }

    /// Adds the number of wrong codes entered for a channel, and which of its codes is current.
    static func addChannelCodes(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE channels ADD COLUMN wrong_codes INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE channels ADD COLUMN code_number INTEGER NOT NULL DEFAULT 0;
                """
        )
    }

    /// Adds a lease to each entry, for the attempt in progress, so that a channel can have several attempts at a time.
    ///
    /// Before this migration, the channel itself was leased; its `lease_ms` now states until when no further attempts
    /// start.
    static func addEntryLeases(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE outbox ADD COLUMN lease TEXT;
                ALTER TABLE outbox ADD COLUMN lease_ms BIGINT;
                CREATE INDEX outbox_order ON outbox (channel, number) WHERE state = 'pending';
                CREATE INDEX outbox_leased ON outbox (channel, lease_ms) WHERE lease_ms IS NOT NULL;
                """
        )
    }

    // `target` is sealed under a key next to the database. `due_ms` is when the channel's next entry may be sent, so
    // that a claim costs no more for an endpoint with a thousand waiting entries than for one with a single entry.
    // While a worker has an entry in progress, `lease_ms` is the time until which it holds the entry. `epoch` is the
    // consent under which an entry about whereabouts was written. An entry outlives its notification in the feed, but
    // not its channel. `scope` lists the notifications of an entry that covers several.
    private static let outbox = """
        ALTER TABLE notices ADD COLUMN data TEXT;
        CREATE TABLE channels (
            id TEXT PRIMARY KEY NOT NULL, user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            kind TEXT NOT NULL, name TEXT, target BLOB NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('unproven', 'active', 'disabled', 'single')), reason TEXT,
            created_ms INTEGER NOT NULL, failures INTEGER NOT NULL DEFAULT 0, failing_ms INTEGER,
            delivered_ms INTEGER, paused_ms INTEGER, due_ms INTEGER, lease_ms INTEGER, lease TEXT) WITHOUT ROWID;
        CREATE INDEX channels_user ON channels (user, created_ms, id);
        CREATE INDEX channels_due ON channels (failures > 0, due_ms) WHERE due_ms IS NOT NULL;
        CREATE TABLE outbox (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            channel TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
            user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            message TEXT NOT NULL, type TEXT NOT NULL, epoch INTEGER, created_ms INTEGER NOT NULL,
            not_before_ms INTEGER NOT NULL, expires_ms INTEGER, attempts INTEGER NOT NULL DEFAULT 0,
            state TEXT NOT NULL CHECK (state IN ('pending', 'done', 'dead', 'cancelled')),
            reason TEXT, status INTEGER, ended_ms INTEGER, deferred INTEGER NOT NULL DEFAULT 0, scope TEXT,
            UNIQUE (channel, message));
        CREATE INDEX outbox_pending ON outbox (channel, not_before_ms, number) WHERE state = 'pending';
        CREATE INDEX outbox_ended ON outbox (state, ended_ms, number) WHERE state <> 'pending';
        CREATE INDEX outbox_sent ON outbox (channel, ended_ms) WHERE state = 'done';
        CREATE INDEX outbox_user ON outbox (user, type);
        CREATE TABLE attempts (
            entry INTEGER NOT NULL REFERENCES outbox (number) ON DELETE CASCADE, number INTEGER NOT NULL,
            at_ms INTEGER NOT NULL, outcome TEXT NOT NULL, status INTEGER, took_ms INTEGER NOT NULL,
            PRIMARY KEY (entry, number)) WITHOUT ROWID;
        CREATE TABLE digests (
            user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, window TEXT NOT NULL, at_ms INTEGER NOT NULL,
            PRIMARY KEY (user, window)) WITHOUT ROWID;

        """
}
