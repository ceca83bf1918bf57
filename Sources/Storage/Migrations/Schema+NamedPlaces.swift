import GRDB

extension Schema {
    /// Creates the table of named places, and adds the column for the named place whose name a notification uses.
    ///
    /// A place's `layer` is written like that of a story; a place that touches a sensitive area is visible only to its
    /// owner.
    static func createNamedPlaces(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE named_places (
                    id TEXT PRIMARY KEY NOT NULL,
                    owner TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                    name TEXT NOT NULL, lat REAL NOT NULL, lon REAL NOT NULL, radius REAL NOT NULL,
                    privacy TEXT NOT NULL CHECK (privacy IN ('public', 'family_only', 'private')),
                    family TEXT REFERENCES families (id), held INTEGER NOT NULL DEFAULT 0,
                    layer TEXT NOT NULL GENERATED ALWAYS AS (CASE WHEN held OR privacy = 'private' THEN 'own:' || owner
                        WHEN privacy = 'public' THEN 'public'
                        ELSE iif(family IS NULL, 'kin:' || owner, 'group:' || family) END) STORED,
                    created_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL) WITHOUT ROWID;
                CREATE INDEX named_places_map ON named_places (layer, lat, lon);
                CREATE INDEX named_places_layer ON named_places (layer, created_ms DESC, id);
                CREATE INDEX named_places_owner ON named_places (owner);
                CREATE INDEX named_places_family ON named_places (family) WHERE family IS NOT NULL;
                ALTER TABLE notices ADD COLUMN named_place TEXT;
                CREATE INDEX notices_named ON notices (named_place) WHERE named_place IS NOT NULL;
                """
        )
    }
}
