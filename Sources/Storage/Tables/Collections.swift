import Formats
import GRDB
public import Stories

extension StoreReader {
    /// Returns the owner's collection with a title, or `nil`.
    public func collectionID(owner: UserID, title: String) throws -> CollectionID? {
        try String.fetchOne(
            db,
            sql: "SELECT id FROM collections WHERE owner = ? AND title = ?",
            arguments: [owner.rawValue, title]
        )
        .flatMap { CollectionID($0) }
    }

    /// Returns how many collections a user has.
    public func collectionCount(of owner: UserID) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM collections WHERE owner = ?", arguments: [owner.rawValue]) ?? 0
    }

    /// Returns the collection with an id, or `nil`.
    public func collection(_ id: CollectionID) throws -> StoryCollection? {
        try Row.fetchOne(db, sql: "SELECT * FROM collections WHERE id = ?", arguments: [id.rawValue])
            .flatMap(StoreReader.collection)
    }

    /// Returns at most `limit` collections the viewer may know of after a position, newest first, then by id.
    public func collections(
        visibleTo viewer: Viewer,
        after position: (createdAt: Timestamp, id: String)? = nil,
        limit: Int
    ) throws -> [StoryCollection] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT * FROM collections WHERE layer IN (SELECT value FROM json_each(:layers))
                AND (:time IS NULL OR created_ms < :time OR (created_ms = :time AND id > :id))
                ORDER BY created_ms DESC, id LIMIT :limit
                """,
            arguments: [
                "layers": StoreReader.list(viewer.layers.map(\.text)), "time": position?.createdAt.milliseconds,
                "id": position?.id, "limit": limit,
            ]
        )
        .compactMap(StoreReader.collection)
    }

    /// Returns how many stories of a collection the viewer may see, not counting those they hid.
    public func storyCount(of collection: StoryCollection, viewer: Viewer) throws -> Int {
        let (condition, arguments) = StoreReader.membership(in: collection, viewer: viewer)
        return try Int.fetchOne(
            db,
            sql: """
                SELECT count(*) FROM stories WHERE \(condition) AND \(StoreReader.hasAccount)
                AND id NOT IN (SELECT story FROM hides WHERE user = ? AND until_ms IS NULL)
                """,
            arguments: StatementArguments(arguments + [viewer.user?.rawValue])
        ) ?? 0
    }

    /// Returns the stories of a collection that the viewer may see.
    public func storyIDs(of collection: StoryCollection, viewer: Viewer) throws -> Set<StoryID> {
        let (condition, arguments) = StoreReader.membership(in: collection, viewer: viewer)
        return try storyIDs(where: condition, StatementArguments(arguments))
    }

    /// Returns the stories that name a collection and that the viewer may see, regardless of owner.
    public func storyIDs(naming collection: String, viewer: Viewer) throws -> Set<StoryID> {
        try storyIDs(
            where: "collection = ? AND layer IN (SELECT value FROM json_each(?))",
            [collection, StoreReader.list(viewer.layers.map(\.text))]
        )
    }

    private func storyIDs(where condition: String, _ arguments: StatementArguments) throws -> Set<StoryID> {
        let sql = "SELECT id FROM stories WHERE \(condition) AND \(StoreReader.hasAccount)"
        let ids = try String.fetchAll(db, sql: sql, arguments: arguments)
        return Set(ids.compactMap { StoryID($0) })
    }

    /// The condition under which a story belongs to a collection and the viewer may see it.
    static func membership(
        in collection: StoryCollection,
        viewer: Viewer
    ) -> (sql: String, arguments: [String?]) {
        let sql = """
            collection = ? AND layer IN (SELECT value FROM json_each(?))
            AND owner IN (SELECT value FROM json_each(?))
            """
        let contributors = collection.contributors(knownTo: viewer).map(\.rawValue).sorted()
        return (sql, [collection.title, list(viewer.layers.map(\.text)), list(contributors)])
    }

    /// Returns a list as a single statement argument: its length is not limited, unlike the number of arguments.
    static func list(_ values: [String]) -> String {
        var json = JSONWriter()
        json.value(values)
        return json.text
    }

    static func collection(_ row: Row) -> StoryCollection? {
        guard let id = CollectionID(row["id"] as String), let owner = UserID(row["owner"] as String),
            let privacy = Privacy(rawValue: row["privacy"])
        else { return nil }
        return StoryCollection(
            id: id,
            owner: owner,
            title: row["title"],
            text: row["text"],
            privacy: privacy,
            family: (row["family"] as String?).flatMap { FamilyID($0) },
            createdAt: Timestamp(milliseconds: row["created_ms"])
        )
    }
}

extension StoreTransaction {
    /// Stores a new collection.
    ///
    /// - Throws: ``StoreError`` with code `conflict` if its owner has one with that title.
    public func insert(_ collection: StoryCollection) throws {
        guard try collectionID(owner: collection.owner, title: collection.title) == nil else {
            throw StoreError(.conflict, "\(collection.owner) already has a collection with that title.")
        }
        afterCommit.changes.hasStories = true
        try db.execute(
            sql: """
                INSERT INTO collections (id, owner, title, text, privacy, family, created_ms)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                collection.id.rawValue, collection.owner.rawValue, collection.title, collection.text,
                collection.privacy.rawValue, collection.family?.rawValue, collection.createdAt.milliseconds,
            ]
        )
    }

    /// Removes only the row of a collection and returns whether it existed; see ``endCollection(_:at:)``.
    func removeCollection(_ id: CollectionID) throws -> Bool {
        afterCommit.changes.hasStories = true
        try db.execute(sql: "DELETE FROM collections WHERE id = ?", arguments: [id.rawValue])
        return db.changesCount > 0
    }

    /// Makes private the collections a user shared with a family they are leaving.
    func withdrawCollections(of owner: UserID, from family: FamilyID) throws {
        afterCommit.changes.hasStories = true
        try db.execute(
            sql: "UPDATE collections SET privacy = 'private', family = NULL WHERE owner = ? AND family = ?",
            arguments: [owner.rawValue, family.rawValue]
        )
    }
}
