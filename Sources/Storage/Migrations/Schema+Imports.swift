import GRDB

extension Schema {
    /// Creates the record of imports, so that they can be listed and undone.
    ///
    /// Which import made a story stands in the story's row, because a row of its own per story would slow down a large
    /// import: `import_id` is negative once anybody has edited the story since. `import_changes` has a row for each story
    /// that an import changed or removed; `before` is what the story was, without its picture, and is emptied when the
    /// story is edited or deleted, so that nothing outlives what its owner took back. Numbers are never used twice.
    static func createImports(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE imports (
                    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
                    owner TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                    source TEXT NOT NULL, file TEXT NOT NULL, digest BLOB NOT NULL, format TEXT,
                    state TEXT NOT NULL
                        CHECK (state IN ('running', 'complete', 'refused', 'interrupted', 'undoing', 'undone')),
                    started_ms BIGINT NOT NULL, ended_ms BIGINT, undone_ms BIGINT,
                    created INTEGER NOT NULL DEFAULT 0, changed INTEGER NOT NULL DEFAULT 0,
                    unchanged INTEGER NOT NULL DEFAULT 0, refused INTEGER NOT NULL DEFAULT 0,
                    removed INTEGER NOT NULL DEFAULT 0, problems TEXT, request_key BLOB);
                CREATE INDEX imports_owner ON imports (owner, number);
                CREATE UNIQUE INDEX imports_request ON imports (owner, request_key) WHERE request_key IS NOT NULL;
                CREATE TABLE import_changes (
                    story TEXT NOT NULL, import INTEGER NOT NULL REFERENCES imports (number) ON DELETE CASCADE,
                    kind TEXT NOT NULL CHECK (kind IN ('changed', 'removed')),
                    edited INTEGER NOT NULL DEFAULT 0, before BLOB,
                    PRIMARY KEY (story, import)) WITHOUT ROWID;
                CREATE INDEX import_changes_import ON import_changes (import, story);
                ALTER TABLE stories ADD COLUMN import_id BIGINT;
                """
        )
    }
}
