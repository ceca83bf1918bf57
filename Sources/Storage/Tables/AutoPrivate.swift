import GRDB
public import Stories

extension StoreReader {
    /// Returns whether an account is temporarily private.
    package func isAutoPrivate(account: UserID) throws -> Bool {
        let statement = try db.cachedStatement(sql: "SELECT auto_private FROM users WHERE id = ?")
        return try Bool.fetchOne(statement, arguments: [account.rawValue]) ?? false
    }

    /// Returns at most `limit` stories of an owner after an id, without their texts, sorted by id.
    public func stories(of owner: UserID, after: StoryID?, limit: Int) throws -> [Story] {
        let sql = """
            SELECT \(StoryRow.selection(withText: false)) FROM stories
            WHERE owner = ? AND id > ? AND \(StoreReader.hasAccount) ORDER BY id LIMIT ?
            """
        return try Row.fetchAll(db, sql: sql, arguments: [owner.rawValue, after?.description ?? "", limit])
            .map { try StoryRow.story($0, withText: false) }
    }
}

extension StoreTransaction {
    /// Records whether an account is temporarily private; if it is, stories added to it are private too.
    public func setAutoPrivate(_ flag: Bool, account: UserID) throws {
        try noteHold(of: account, isHeld: flag)
        try db.execute(sql: "UPDATE users SET auto_private = ? WHERE id = ?", arguments: [flag, account.rawValue])
    }

    /// Stores whether a story is temporarily private, with the times of that change and nothing else.
    public func updateAutoPrivate(of story: Story, replacing old: Story) throws {
        try noteAudience(of: story, replacing: old)
        let statement = try db.cachedStatement(
            sql: "UPDATE stories SET auto_private = ?, updated_ms = ?, shown_updated_ms = ? WHERE id = ?"
        )
        try statement.execute(
            arguments: [
                story.autoPrivate, story.updatedAt.milliseconds, story.shownUpdatedAt.milliseconds,
                story.id.description,
            ]
        )
        try noteStored(story)
    }
}
