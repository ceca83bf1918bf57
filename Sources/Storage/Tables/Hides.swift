import GRDB
public import Stories

extension StoreReader {
    /// Returns the stories a user has hidden from their own views, including those they may no longer see.
    public func hiddenStories(of user: UserID) throws -> Set<StoryID> {
        let statement = try db.cachedStatement(sql: "SELECT story FROM hides WHERE user = ? AND until_ms IS NULL")
        return Set(try String.fetchAll(statement, arguments: [user.rawValue]).compactMap { StoryID($0) })
    }

    /// Returns the given stories that a user has hidden from their own views.
    public func hiddenStories(of user: UserID, among ids: some Sequence<StoryID>) throws -> Set<StoryID> {
        let statement = try db.cachedStatement(
            sql: """
                SELECT story FROM hides
                WHERE user = ? AND until_ms IS NULL AND story IN (SELECT value FROM json_each(?))
                """
        )
        let list = StoreReader.list(Set(ids).map(\.description).sorted())
        return Set(
            try String.fetchAll(statement, arguments: [user.rawValue, list]).compactMap { StoryID($0) }
        )
    }
}

extension StoreTransaction {
    /// Hides a story from a user's own views; no effect if it is already hidden.
    public func hide(_ story: StoryID, from user: UserID, at now: Timestamp) throws {
        noteView(of: user)
        noteOutdatedAttempts(of: user)
        noteHide(of: story, from: user, isHidden: true)
        try db.execute(
            sql: """
                INSERT INTO hides (user, story, at_ms, stamp) VALUES (?, ?, ?, ?)
                ON CONFLICT (user, story) DO UPDATE
                SET at_ms = excluded.at_ms, until_ms = NULL, stamp = excluded.stamp WHERE until_ms IS NOT NULL
                """,
            arguments: [user.rawValue, story.description, now.milliseconds, stamp]
        )
    }

    /// Unhides a story for a user; no effect if it is not hidden.
    public func unhide(_ story: StoryID, from user: UserID, at now: Timestamp) throws {
        noteView(of: user)
        noteHide(of: story, from: user, isHidden: false)
        try db.execute(
            sql: "UPDATE hides SET until_ms = ?, stamp = ? WHERE user = ? AND story = ? AND until_ms IS NULL",
            arguments: [now.milliseconds, stamp, user.rawValue, story.description]
        )
    }
}
