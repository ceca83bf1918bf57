import GRDB
public import Stories

extension StoreReader {
    /// Returns the stories among the given ids that a user has viewed.
    public func viewedStories(of user: UserID, among ids: some Sequence<StoryID>) throws -> Set<StoryID> {
        let statement = try db.cachedStatement(sql: "SELECT 1 FROM viewed_stories WHERE user = ? AND story = ?")
        return Set(
            try ids.filter { id in
                try Int.fetchOne(statement, arguments: [user.rawValue, id.description]) != nil
            }
        )
    }
}

extension StoreTransaction {
    /// Records that a user viewed a story; only the first time counts.
    public func noteViewed(_ story: StoryID, by user: UserID, at now: Timestamp) throws {
        try db.execute(
            sql: "INSERT OR IGNORE INTO viewed_stories (user, story, at_ms) VALUES (?, ?, ?)",
            arguments: [user.rawValue, story.description, now.milliseconds]
        )
    }
}
