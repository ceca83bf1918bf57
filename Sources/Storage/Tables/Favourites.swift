import GRDB
public import Stories

extension StoreReader {
    /// Returns a user's favourites, including those they may no longer see.
    public func favourites(of user: UserID) throws -> Set<StoryID> {
        let statement = try db.cachedStatement(sql: "SELECT story FROM favourites WHERE user = ?")
        return Set(try String.fetchAll(statement, arguments: [user.rawValue]).compactMap { StoryID($0) })
    }

    /// Returns the stories among the given ids that are a user's favourites.
    public func favourites(of user: UserID, among ids: some Sequence<StoryID>) throws -> Set<StoryID> {
        let statement = try db.cachedStatement(sql: "SELECT 1 FROM favourites WHERE user = ? AND story = ?")
        return Set(
            try ids.filter { id in
                try Int.fetchOne(statement, arguments: [user.rawValue, id.description]) != nil
            }
        )
    }

    /// Returns how many favourites a user has.
    public func favouriteCount(of user: UserID) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM favourites WHERE user = ?", arguments: [user.rawValue]) ?? 0
    }
}

extension StoreTransaction {
    /// Adds a story to a user's favourites; no effect if it already is one.
    public func addFavourite(_ story: StoryID, of user: UserID, at now: Timestamp) throws {
        noteView(of: user)
        try db.execute(
            sql: "INSERT OR IGNORE INTO favourites (user, story, at_ms) VALUES (?, ?, ?)",
            arguments: [user.rawValue, story.description, now.milliseconds]
        )
    }

    /// Removes a story from a user's favourites; no effect if it is not one.
    public func removeFavourite(_ story: StoryID, of user: UserID) throws {
        noteView(of: user)
        try db.execute(
            sql: "DELETE FROM favourites WHERE user = ? AND story = ?",
            arguments: [user.rawValue, story.description]
        )
    }
}
