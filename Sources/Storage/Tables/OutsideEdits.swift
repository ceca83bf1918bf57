import Foundation
import GRDB
public import Stories

/// Takes over changes that another program made to the file.
extension StoreReader {
    /// Returns the ids of stories that another program added, changed or removed, in order, after an id.
    public func outsideEdits(after id: String, limit: Int) throws -> [String] {
        try String.fetchAll(
            db,
            sql: "SELECT story FROM outside_edits WHERE story > ? ORDER BY story LIMIT ?",
            arguments: [id, limit]
        )
    }

    /// Returns the text of a story's date, even if the days that ``Story`` needs are missing.
    public func dateText(of id: StoryID) throws -> String? {
        try String.fetchOne(db, sql: "SELECT date FROM stories WHERE id = ?", arguments: [id.description])
    }
}

extension StoreTransaction {
    /// A story that another program changed, as recorded before the change.
    private struct Noted {
        let owner: String?
        let family: String?
        let layer: String?
        let layerStamp: Int64
        let clientKey: String?
        let isImported: Bool
    }

    /// Adopts a story that another program changed, and returns it.
    ///
    /// Its precision is limited by the sensitive areas, and its search text is updated. Every syncing client gets it
    /// again, or learns that it is gone if the viewer may no longer see it. A move by another program does not cause
    /// notifications.
    public func settleOutsideEdit(of story: Story) throws -> Story {
        let id = story.id
        guard let noted = try takeNote(of: id.description) else { return try updateHeld(story) }
        try noteReach(of: story, replacing: nil)
        let current = try String.fetchOne(
            db,
            sql: "SELECT layer FROM stories WHERE id = ?",
            arguments: [id.description]
        )
        if noted.layer != nil {
            if current != story.layer.text { try closeAudience(of: id) }
            // Family members saw more of a public story than others did, and the family's name.
            if noted.layer == VisibilityLayer.public.text {
                if let family = noted.family, family != story.family?.rawValue {
                    try noteEnd(of: VisibilityLayer.groupText(family), id, noted)
                } else if noted.family == nil, let owner = noted.owner {
                    try noteEnd(of: VisibilityLayer.kinText(owner), id, noted)
                }
            }
        }
        try db.execute(
            sql: """
                UPDATE stories SET layer_stamp = CASE WHEN layer = ?1 THEN layer_stamp ELSE ?2 END, layer = ?1,
                shown_stamp = ?2, trusted_stamp = ?2, touched_stamp = ?2 WHERE id = ?3
                """,
            arguments: [story.layer.text, stamp, id.description]
        )
        return try updateHeld(story)
    }

    /// Records that a story was removed by another program, as if its owner had deleted it for good.
    public func settleOutsideRemoval(of id: StoryID) throws {
        guard let noted = try takeNote(of: id.description) else { return }
        if let layer = noted.layer, let owner = noted.owner {
            try noteEnd(of: layer, id, noted)
            try db.execute(
                sql: """
                    INSERT OR REPLACE INTO deleted_stories (story, owner, client_key)
                    SELECT ?1, id, ?2 FROM users WHERE id = ?3
                    """,
                arguments: [id.description, noted.clientKey, owner]
            )
        }
        if noted.isImported {
            try db.execute(
                sql: "INSERT OR IGNORE INTO deleted_imports (story) VALUES (?)",
                arguments: [id.description]
            )
        }
        // The other program may have removed the row without what refers to it.
        try removePictures(of: id, except: nil)
        try removeShareLinks(to: id)
        try db.execute(sql: "DELETE FROM story_places WHERE story = ?", arguments: [id.description])
        for table in ["hides", "favourites", "viewed_stories", "collection_orders", "import_changes"] {
            try db.execute(sql: "DELETE FROM \(table) WHERE story = ?", arguments: [id.description])
        }
    }

    /// Records that the audience of a layer could see a story until now.
    private func noteEnd(of layer: String, _ id: StoryID, _ noted: Noted) throws {
        guard let owner = noted.owner, noted.layerStamp < stamp else { return }
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO past_audiences (layer, until_stamp, story, owner, from_stamp)
                VALUES (?, ?, ?, ?, ?)
                """,
            arguments: [layer, stamp, id.description, owner, noted.layerStamp]
        )
    }

    /// Removes a story from the list of outside edits and returns its record; `nil` if it is not on the list.
    private func takeNote(of id: String) throws -> Noted? {
        guard let row = try Row.fetchOne(db, sql: "SELECT * FROM outside_edits WHERE story = ?", arguments: [id]) else {
            return nil
        }
        let noted = Noted(
            owner: row["owner"],
            family: row["family"],
            layer: row["layer"],
            layerStamp: row["layer_stamp"] ?? 0,
            clientKey: row["client_key"],
            isImported: row["source"] != nil
        )
        try db.execute(sql: "DELETE FROM outside_edits WHERE story = ?", arguments: [id])
        return noted
    }
}
