import GRDB

extension Schema {
    /// Creates the tables of collections and favourites.
    static func createCollections(_ db: Database) throws {
        try db.execute(sql: collections)
    }

    // A collection's `layer` is written like that of a story, so that lists only touch rows the viewer may know of.
    // Stories name collections by title; the index `stories_collection` finds those with a title within the viewer's
    // layers.
    private static let collections = """
        CREATE TABLE collections (
            id TEXT PRIMARY KEY NOT NULL,
            owner TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            title TEXT NOT NULL, text TEXT,
            privacy TEXT NOT NULL CHECK (privacy IN ('public', 'family_only', 'private')),
            family TEXT REFERENCES families (id),
            layer TEXT NOT NULL GENERATED ALWAYS AS (CASE privacy WHEN 'public' THEN 'public'
                WHEN 'private' THEN 'own:' || owner
                ELSE iif(family IS NULL, 'kin:' || owner, 'group:' || family) END) STORED,
            created_ms INTEGER NOT NULL) WITHOUT ROWID;
        CREATE UNIQUE INDEX collections_title ON collections (owner, title);
        CREATE INDEX collections_layer ON collections (layer, created_ms DESC, id);
        CREATE INDEX collections_family ON collections (family) WHERE family IS NOT NULL;
        CREATE INDEX stories_collection ON stories (collection, layer, owner, id) WHERE collection IS NOT NULL;
        CREATE TABLE favourites (
            user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, story TEXT NOT NULL, at_ms INTEGER NOT NULL,
            PRIMARY KEY (user, story)) WITHOUT ROWID;
        CREATE INDEX favourites_story ON favourites (story);

        """
}
