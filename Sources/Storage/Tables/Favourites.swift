import GRDB
public import Stories

extension StoreReader {
    /// Returns a user's favourites, also those they may not see any more.
    public func favourites(of user: UserID) throws -> Set<StoryID> {
        let statement = try db.cachedStatement(sql: "SELECT story FROM favourites WHERE user = ?")
        return Set(try String.fetchAll(statement, arguments: [user.rawValue]).compactMap { StoryID($0) })
    }

    /// Returns those of the stories with the given ids that are a user's favourites.
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
    /// Makes a story one of a user's favourites; without effect when it is one.
    public func addFavourite(_ story: StoryID, of user: UserID, at now: Timestamp) throws {
        noteView(of: user)
        try db.execute(
            sql: "INSERT OR IGNORE INTO favourites (user, story, at_ms) VALUES (?, ?, ?)",
            arguments: [user.rawValue, story.description, now.milliseconds]
        )
    }

    /// Takes a story from a user's favourites; without effect when it is none.
    public func removeFavourite(_ story: StoryID, of user: UserID) throws {
        noteView(of: user)
        try db.execute(
            sql: "DELETE FROM favourites WHERE user = ? AND story = ?",
            arguments: [user.rawValue, story.description]
        )
    }
}
