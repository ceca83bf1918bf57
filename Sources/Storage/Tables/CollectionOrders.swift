import GRDB
public import Stories

extension StoreReader {
    /// Returns the order that the owner of a collection gave its stories, including stories that left it since.
    public func storyOrder(of collection: CollectionID) throws -> [StoryID] {
        let statement = try db.cachedStatement(
            sql: "SELECT story FROM collection_orders WHERE collection = ? ORDER BY position, story"
        )
        return try String.fetchAll(statement, arguments: [collection.rawValue]).compactMap { StoryID($0) }
    }

    /// Returns the orders of those collections that have one: of the stories in them that the viewer may see and has not
    /// hidden.
    public func storyOrders(of collections: [StoryCollection], viewer: Viewer) throws -> [CollectionID: [StoryID]] {
        let ordered = try String.fetchSet(
            db,
            sql: """
                SELECT DISTINCT collection FROM collection_orders
                WHERE collection IN (SELECT value FROM json_each(?))
                """,
            arguments: [StoreReader.list(collections.map(\.id.rawValue))]
        )
        var orders: [CollectionID: [StoryID]] = [:]
        for collection in collections where ordered.contains(collection.id.rawValue) {
            let (condition, arguments) = StoreReader.membership(in: collection, viewer: viewer)
            let rows = try String.fetchAll(
                db,
                sql: """
                    SELECT story FROM collection_orders WHERE collection = ?
                    AND story IN (SELECT id FROM stories WHERE \(condition) AND \(StoreReader.hasAccount))
                    AND story NOT IN (SELECT story FROM hides WHERE user = ? AND until_ms IS NULL)
                    ORDER BY position, story
                    """,
                arguments: StatementArguments([collection.id.rawValue] + arguments + [viewer.user?.rawValue])
            )
            orders[collection.id] = rows.compactMap { StoryID($0) }
        }
        return orders
    }
}

extension StoreTransaction {
    /// Replaces the order of a collection's stories, which must not repeat; an empty one leaves all to their dates.
    public func saveStoryOrder(_ stories: [StoryID], of collection: CollectionID) throws {
        try db.cachedStatement(sql: "DELETE FROM collection_orders WHERE collection = ?")
            .execute(arguments: [collection.rawValue])
        let insert = try db.cachedStatement(
            sql: "INSERT INTO collection_orders (collection, story, position) VALUES (?, ?, ?)"
        )
        for (position, story) in stories.enumerated() {
            try insert.execute(arguments: [collection.rawValue, story.description, position])
        }
    }
}
