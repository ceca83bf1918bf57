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
