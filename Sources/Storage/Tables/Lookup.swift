import GRDB
public import Stories

// Looking up an id takes the same work whether the id is unknown or names an object that the viewer may not know of:
// the same statements, each finding the same number of rows. The first statement finds the row with the id or, if there
// is none, the next row, and treats both in the same way. The second statement reads the whole row, or none if the
// viewer may not see it.
extension StoreReader {
    /// Returns the story with an id if the viewer may see it, or `nil`.
    public func story(_ id: StoryID, visibleTo viewer: Viewer) throws -> Story? {
        let near = try db.cachedStatement(
            sql: """
                SELECT id, fid, owner, privacy, family, auto_private + withheld AS closed
                FROM stories INDEXED BY stories_visibility WHERE id >= ? ORDER BY id LIMIT 1
                """
        )
        let key: Int64?? = try near.first([id.description]) { row in
            guard let owner = UserID(row["owner"] as String), let privacy = Privacy(rawValue: row["privacy"]) else {
                return nil
            }
            let family = (row["family"] as String?).flatMap { FamilyID($0) }
            let layer = VisibilityLayer(of: owner, privacy: row["closed"] ? .private : privacy, family: family)
            let (isMeant, isSeen) = (row["id"] as String == id.description, viewer.sees(layer) || owner == viewer.user)
            return isMeant && isSeen ? row["fid"] : nil
        }
        let whole = try db.cachedStatement(
            sql: """
                SELECT \(StoryRow.selection(withText: true)) FROM stories WHERE fid = ? AND \(StoreReader.hasAccount)
                """
        )
        // No row has the key -1.
        return try whole.first([(key ?? nil) ?? -1]) { try StoryRow.story($0, withText: true) }
    }

    /// Returns the collection with an id if the viewer may know of it, or `nil`.
    public func collection(_ id: CollectionID, visibleTo viewer: Viewer) throws -> StoryCollection? {
        try row(of: "collections", id.rawValue, visibleTo: viewer).flatMap(StoreReader.collection)
    }

    /// Returns the named place with an id if the viewer may know of it, or `nil`.
    public func namedPlace(_ id: NamedPlaceID, visibleTo viewer: Viewer) throws -> NamedPlace? {
        try row(of: "named_places", id.rawValue, visibleTo: viewer).flatMap(StoreReader.namedPlace)
    }

    /// Returns the row with an id from a small table with columns `id`, `owner` and `layer`, if the viewer may know of
    /// it.
    private func row(of table: String, _ id: String, visibleTo viewer: Viewer) throws -> Row? {
        let near = try db.cachedStatement(
            sql: "SELECT id, owner, layer FROM \(table) WHERE id >= ? ORDER BY id LIMIT 1"
        )
        let layers = Set(viewer.layers.map(\.text))
        let key = try Row.fetchOne(near, arguments: [id])
            .flatMap { row -> String? in
                let isSeen = layers.contains(row["layer"]) || row["owner"] as String == viewer.user?.rawValue
                let found: String = row["id"]
                return found == id && isSeen ? found : nil
            }
        let whole = try db.cachedStatement(sql: "SELECT * FROM \(table) WHERE id = ?")
        // No id is empty.
        return try Row.fetchOne(whole, arguments: [key ?? ""])
    }
}
