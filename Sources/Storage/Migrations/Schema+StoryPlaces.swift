import GRDB

extension Schema {
    /// Creates the layer of the places that stories have besides their location.
    ///
    /// `stories.further_places` counts them, so that reading a story without any costs nothing. A row that another
    /// program adds is hidden unless it says otherwise. The layer has no spatial index: nothing here searches by it, and
    /// a deleted row would leave its box in the index.
    ///
    /// Changes by other programs put the story on the list of outside edits, like those of `stories`; see
    /// ``createOutsideEdits(_:)``.
    static func createStoryPlaces(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE stories ADD COLUMN further_places INTEGER NOT NULL DEFAULT 0;
                CREATE INDEX stories_further_places ON stories (owner, id) WHERE further_places > 0;
                CREATE TABLE story_places (
                    fid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE DEFAULT (lower(hex(randomblob(16)))),
                    story TEXT NOT NULL REFERENCES stories (id) ON DELETE CASCADE,
                    role TEXT NOT NULL DEFAULT 'spoken_of', seconds REAL, source TEXT NOT NULL DEFAULT 'manual',
                    accuracy REAL, precision TEXT NOT NULL DEFAULT 'hidden', cell REAL,
                    family_sees_exact INTEGER NOT NULL DEFAULT 0, floor TEXT, floor_cell REAL, place_name TEXT,
                    address TEXT, city TEXT, state TEXT, country TEXT, derived TEXT,
                    place_text TEXT NOT NULL DEFAULT '', confirmed INTEGER NOT NULL DEFAULT 1, created_ms BIGINT,
                    updated_ms BIGINT);
                CREATE INDEX story_places_story ON story_places (story);
                """
        )
        let column = "SELECT AddGeometryColumn('story_places', 'geom', 4326, 'GEOMETRY', 'XY', 1)"
        guard try Int.fetchOne(db, sql: column) == 1 else {
            throw StoreError(.failed, "SpatiaLite could not create the geometry column of places.")
        }
        try db.execute(sql: [note("added", "INSERT", "NEW"), note("edited", "UPDATE", "OLD"), moved].joined())
        try db.execute(sql: note("removed", "DELETE", "OLD") + count("INSERT", "NEW") + count("DELETE", "OLD"))
    }

    private static func note(_ name: String, _ event: String, _ row: String, when condition: String = "") -> String {
        """
        CREATE TRIGGER story_places_\(name) BEFORE \(event) ON story_places \(condition) BEGIN
            INSERT INTO outside_edits SELECT id, 1, owner, family, layer, layer_stamp, client_key, source FROM stories
                WHERE id = \(row).story
            ON CONFLICT (story) DO UPDATE SET writes = writes + 1;
        END;

        """
    }

    /// A place that is given to another story changes both.
    private static var moved: String {
        note("moved", "UPDATE OF story", "NEW", when: "WHEN NEW.story <> OLD.story") + """
            CREATE TRIGGER story_places_recounted AFTER UPDATE OF story ON story_places WHEN NEW.story <> OLD.story BEGIN
                \(counting("OLD"))
                \(counting("NEW"))
            END;

            """
    }

    private static func count(_ event: String, _ row: String) -> String {
        """
        CREATE TRIGGER story_places_counted_\(row.lowercased()) AFTER \(event) ON story_places BEGIN
            \(counting(row))
        END;

        """
    }

    private static func counting(_ row: String) -> String {
        """
        UPDATE stories SET further_places = (SELECT count(*) FROM story_places WHERE story = \(row).story)
            WHERE id = \(row).story;
        """
    }

    /// Removes this connection's changes of places from the list of changes by others; see ``noteOwnEdits(on:)``.
    static func noteOwnPlaceEdits(on db: Database) throws {
        for (number, (event, row)) in [("UPDATE", "OLD"), ("INSERT", "NEW"), ("DELETE", "OLD")].enumerated() {
            try db.execute(
                sql: """
                    CREATE TEMP TRIGGER IF NOT EXISTS own_place_edit_\(number) AFTER \(event) ON main.story_places BEGIN
                        UPDATE outside_edits SET writes = writes - 1 WHERE story = \(row).story;
                        DELETE FROM outside_edits WHERE story = \(row).story AND writes <= 0;
                    END
                    """
            )
        }
    }
}
