import GRDB

extension Schema {
    /// Records in the file itself which stories other programs change, whatever those programs are.
    ///
    /// Triggers record every change before it is made. Changes by our own writer are removed from the list by triggers
    /// that exist only on its connection; see ``noteOwnEdits(on:)``. So the rest are changes by others, even if no
    /// service is running. The triggers call no functions, so that programs without SpatiaLite can change columns that
    /// do not need it.
    static func createOutsideEdits(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE outside_edits (
                    story TEXT PRIMARY KEY NOT NULL, writes INTEGER NOT NULL, owner TEXT, family TEXT, layer TEXT,
                    layer_stamp BIGINT, client_key TEXT, source TEXT) WITHOUT ROWID;
                CREATE TRIGGER stories_edited BEFORE UPDATE OF \(watchedColumns) ON stories BEGIN
                    INSERT INTO outside_edits VALUES (OLD.id, 1, OLD.owner, OLD.family, OLD.layer, OLD.layer_stamp,
                        OLD.client_key, OLD.source)
                    ON CONFLICT (story) DO UPDATE SET writes = writes + 1;
                END;
                CREATE TRIGGER stories_renamed BEFORE UPDATE OF id ON stories WHEN NEW.id <> OLD.id BEGIN
                    INSERT INTO outside_edits (story, writes) VALUES (NEW.id, 1)
                    ON CONFLICT (story) DO UPDATE SET writes = writes + 1;
                END;
                CREATE TRIGGER stories_added BEFORE INSERT ON stories BEGIN
                    INSERT INTO outside_edits (story, writes) VALUES (NEW.id, 1)
                    ON CONFLICT (story) DO UPDATE SET writes = writes + 1;
                END;
                CREATE TRIGGER stories_removed BEFORE DELETE ON stories BEGIN
                    INSERT INTO outside_edits VALUES (OLD.id, 1, OLD.owner, OLD.family, OLD.layer, OLD.layer_stamp,
                        OLD.client_key, OLD.source)
                    ON CONFLICT (story) DO UPDATE SET writes = writes + 1;
                END;
                """
        )
    }

    /// Removes this connection's changes from the list of changes by others; for the writer only.
    ///
    /// A story's counter `writes` goes up before each change and down after it, so that a pending change by another
    /// program stays on the list.
    static func noteOwnEdits(on db: Database) throws {
        let events = [("UPDATE OF \(watchedColumns)", "OLD"), ("INSERT", "NEW"), ("DELETE", "OLD")]
        for (number, (event, row)) in events.enumerated() {
            try db.execute(
                sql: """
                    CREATE TEMP TRIGGER IF NOT EXISTS \(ownEdit)\(number) AFTER \(event) ON main.stories BEGIN
                        UPDATE outside_edits SET writes = writes - 1 WHERE story = \(row).id;
                        DELETE FROM outside_edits WHERE story = \(row).id AND writes <= 0;
                    END
                    """
            )
        }
        try noteOwnPlaceEdits(on: db)
    }

    private static let ownEdit = "own_edit_"

    /// The trigger that removes insertions of this connection from the list.
    static let ownInsertion = ownEdit + "1"

    /// The columns that define a story, its location and its precision for each audience, without our stamps and
    /// bookkeeping.
    private static let watchedColumns = """
        id, kind, title, text, date, first_day, last_day, tags, people, mentions, collection, media_url, thumbnail_url,
        alt, media_checksum, owner, privacy, family, auto_private, withheld, location_source, accuracy, precision, cell,
        family_sees_exact, place_name, address, city, state, country, derived, floor, floor_cell, source, source_id,
        search_text, place_text, exact_times, location_removed, geom
        """
}
