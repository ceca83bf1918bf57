import Foundation
import GRDB

/// The tables, as an ordered list of migrations; a released migration is never edited.
enum Schema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 stories, people, notices", migrate: createFirst)
        migrator.registerMigration("2 accounts", migrate: createAccounts)
        migrator.registerMigration("3 families", migrate: createFamilies)
        migrator.registerMigration("4 moderation", migrate: createModeration)
        migrator.registerMigration("5 sync", migrate: createSync)
        migrator.registerMigration("6 rights", migrate: createRights)
        migrator.registerMigration("7 areas", migrate: createAreas)
        migrator.registerMigration("8 visibility", migrate: createVisibility)
        migrator.registerMigration("9 commits", migrate: createCommits)
        migrator.registerMigration("10 collections", migrate: createCollections)
        migrator.registerMigration("11 geofencing", migrate: createGeofencing)
        migrator.registerMigration("12 feed", migrate: createFeed)
        migrator.registerMigration("13 outbox", migrate: createOutbox)
        migrator.registerMigration("14 visits", migrate: createVisits)
        migrator.registerMigration("15 capped", migrate: createCapped)
        migrator.registerMigration("16 visit distances", migrate: addVisitDistances)
        migrator.registerMigration("17 channel codes", migrate: addChannelCodes)
        migrator.registerMigration("18 named places", migrate: createNamedPlaces)
        migrator.registerMigration("19 erasure commits", migrate: createErasureCommits)
        migrator.registerMigration("20 clock", migrate: createClock)
        migrator.registerMigration("21 location proposals", migrate: createProposals)
        migrator.registerMigration("22 account states", migrate: addAccountStates)
        migrator.registerMigration("23 time precision", migrate: addTimePrecision)
        migrator.registerMigration("24 invitation messages", migrate: createInvitationMessages)
        migrator.registerMigration("25 person labels", migrate: createPersonLabels)
        migrator.registerMigration("26 channel switches", migrate: addChannelSwitches)
        migrator.registerMigration("27 invitation ends", migrate: indexInvitationEnds)
        // Runs after every table exists.
        migrator.registerMigration("28 wide times", migrate: widenTimes)
        migrator.registerMigration("entry leases", migrate: addEntryLeases)
        migrator.registerMigration("edits by other programs", migrate: createOutsideEdits)
        migrator.registerMigration("unfinished erasures", migrate: createUnfinishedErasures)
        migrator.registerMigration("erasure lines", migrate: countErasureLines)
        migrator.registerMigration("story pictures", migrate: createStoryPictures)
        migrator.registerMigration("page sessions", migrate: createPageSessions)
        migrator.registerMigration("share links", migrate: createShareLinks)
        migrator.registerMigration("trips", migrate: createTrips)
        migrator.registerMigration("passkeys", migrate: createPasskeys)
        migrator.registerMigration("provider accounts", migrate: createProviderAccounts)
        migrator.registerMigration("request answers", migrate: createRequestAnswers)
        migrator.registerMigration("narrowings", migrate: countNarrowings)
        migrator.registerMigration("announced", migrate: createAnnounced)
        migrator.registerMigration("place words", migrate: createPlaceWords)
        migrator.registerMigration("imports", migrate: createImports)
        migrator.registerMigration("story places", migrate: createStoryPlaces)
        migrator.registerMigration("traces", migrate: addTraces)
        return migrator
    }

    /// The value of `PRAGMA application_id` that marks a Waymark database: "WAYM".
    static let applicationID = 0x5741_594D

    private static func createFirst(_ db: Database) throws {
        // With argument 1, the function would open its own transaction, but a migration already runs in one.
        guard try Int.fetchOne(db, sql: "SELECT InitSpatialMetaDataFull(0)") == 1 else {
            throw StoreError(.failed, "SpatiaLite could not create its metadata tables. Is the disk full?")
        }
        try db.execute(sql: people + stories + notices)
        // The secrets are created here so that they move with the file; see ``StoreKeys``.
        for name in StoreKeys.Name.allCases where !name.isBeside {
            try db.execute(
                sql: "INSERT INTO secrets (name, key) VALUES (?, ?)",
                arguments: [name.rawValue, Data(StoreKeys.random())]
            )
        }
        guard try Int.fetchOne(db, sql: "SELECT AddGeometryColumn('stories', 'geom', 4326, 'POINT', 'XY', 0)") == 1,
            try Int.fetchOne(db, sql: "SELECT CreateSpatialIndex('stories', 'geom')") == 1
        else { throw StoreError(.failed, "SpatiaLite could not create the geometry column.") }
        try db.execute(sql: "INSERT INTO users (id, name, created_ms) VALUES ('archive', 'Archive', 0)")
    }

    private static let people = """
        CREATE TABLE secrets (name TEXT PRIMARY KEY NOT NULL, key BLOB NOT NULL) WITHOUT ROWID;
        CREATE TABLE users (
            id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, email TEXT, created_ms INTEGER NOT NULL);
        CREATE TABLE families (
            id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, created_ms INTEGER NOT NULL);
        CREATE TABLE memberships (
            family TEXT NOT NULL REFERENCES families (id) ON DELETE CASCADE,
            user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
            since_ms INTEGER NOT NULL,
            PRIMARY KEY (family, user)) WITHOUT ROWID;
        CREATE INDEX memberships_user ON memberships (user);

        """

    // Integer key `fid`: GDAL and QGIS need one. `location_epoch` counts moves of more than 50 m from the anchor: the
    // ledger announces a story again only after such a move. `import_place` is the point given by the last import, to
    // detect whether its owner has since chosen another. `shown_updated_ms` is the last change visible to anyone but
    // the owner.
    private static let stories = """
        CREATE TABLE stories (
            fid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, client_id TEXT, kind TEXT NOT NULL, title TEXT NOT NULL,
            text TEXT, date TEXT, first_day DATE, last_day DATE, tags TEXT, people TEXT, mentions TEXT, collection TEXT,
            media_url TEXT, thumbnail_url TEXT, alt TEXT,
            owner TEXT NOT NULL REFERENCES users (id),
            privacy TEXT NOT NULL CHECK (privacy IN ('public', 'family_only', 'private')),
            family TEXT REFERENCES families (id), auto_private INTEGER NOT NULL DEFAULT 0,
            location_source TEXT, accuracy REAL, precision TEXT, cell REAL, family_sees_exact INTEGER NOT NULL DEFAULT 0,
            place_name TEXT, address TEXT, city TEXT, state TEXT, country TEXT, derived TEXT,
            location_epoch INTEGER NOT NULL DEFAULT 0, anchor_lat REAL, anchor_lon REAL,
            source TEXT, source_id TEXT, import_digest BLOB, import_place TEXT, search_text TEXT NOT NULL,
            created_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL, shown_updated_ms INTEGER NOT NULL);
        CREATE TABLE deleted_imports (story TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;
        CREATE UNIQUE INDEX stories_source ON stories (owner, source, source_id) WHERE source IS NOT NULL;
        CREATE UNIQUE INDEX stories_client ON stories (owner, client_id) WHERE client_id IS NOT NULL;
        CREATE INDEX stories_family ON stories (family) WHERE family IS NOT NULL;
        CREATE TABLE request_keys (
            user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, key TEXT NOT NULL, digest BLOB NOT NULL,
            story TEXT NOT NULL, created_ms INTEGER NOT NULL,
            PRIMARY KEY (user, key)) WITHOUT ROWID;
        CREATE INDEX request_keys_age ON request_keys (created_ms);

        """

    private static let notices = """
        CREATE TABLE notification_settings (
            user TEXT PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            enabled INTEGER NOT NULL, radius REAL NOT NULL, kinds TEXT NOT NULL, options TEXT NOT NULL,
            consent_epoch INTEGER NOT NULL, consent_ms INTEGER, consent_version TEXT);
        CREATE TABLE evaluator_states (
            user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, device TEXT NOT NULL,
            consent_epoch INTEGER NOT NULL, state BLOB NOT NULL, next_timer_ms INTEGER, updated_ms INTEGER NOT NULL,
            PRIMARY KEY (user, device)) WITHOUT ROWID;
        CREATE INDEX evaluator_timers ON evaluator_states (next_timer_ms) WHERE next_timer_ms IS NOT NULL;
        CREATE TABLE ledger (
            user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, key BLOB NOT NULL,
            PRIMARY KEY (user, key)) WITHOUT ROWID;
        CREATE TABLE notices (
            id TEXT NOT NULL, user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            at_ms INTEGER NOT NULL, created_ms INTEGER NOT NULL, type TEXT NOT NULL, kind TEXT NOT NULL,
            place_name TEXT NOT NULL, place_lat REAL NOT NULL, place_lon REAL NOT NULL, count INTEGER NOT NULL,
            title TEXT NOT NULL, body TEXT NOT NULL, confidence REAL NOT NULL, content TEXT NOT NULL,
            simulated INTEGER NOT NULL, read_ms INTEGER, opened_ms INTEGER,
            PRIMARY KEY (user, id)) WITHOUT ROWID;
        CREATE INDEX notices_feed ON notices (user, created_ms DESC, id);

        """
}
