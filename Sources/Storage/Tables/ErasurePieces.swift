import GRDB
public import Stories

// The pieces of an erasure: each changes a bounded number of rows, however many there are.
extension StoreTransaction {
    /// Erases at most `limit` rows about a user that are not stories; returns the number of rows erased.
    ///
    /// Rows the last transaction needs, and rows that are few because of the service's limits, are left to
    /// ``erasePersonalRows(of:)``.
    public func eraseRows(of erasure: UnfinishedErasure, limit: Int) throws -> Int {
        var count = 0
        for piece in ErasurePiece.all(of: erasure.kind) where count < limit {
            count += try erase(piece, of: erasure.user, limit: limit - count)
        }
        if erasure.kind == .locationData { noteRecount(of: erasure.user) }
        guard erasure.kind == .account, count < limit else { return count }
        count += try renamePast(of: erasure, limit: limit - count)
        guard count < limit else { return count }
        return count + (try purgeSealed(of: erasure.user, limit: limit - count))
    }

    /// Removes at most `limit` stories of an account that is being erased; returns their ids, none if no story is left.
    ///
    /// The removed stories' texts and pictures have at most `length` characters and bytes in total, unless the first
    /// story has more. Others' clients still learn that the stories are gone, under a pseudonym.
    public func eraseStories(of erasure: UnfinishedErasure, limit: Int, length: Int) throws -> [StoryID] {
        let rows = try Row.fetchAll(
            try db.cachedStatement(
                sql: """
                    SELECT id, ifnull(length(text), 0)
                    + ifnull((SELECT length(bytes) FROM story_pictures WHERE story = stories.id), 0) AS length
                    FROM stories WHERE owner = ? ORDER BY id LIMIT ?
                    """
            ),
            arguments: [erasure.user.rawValue, limit]
        )
        var (ids, sum) = ([StoryID](), 0)
        for row in rows {
            sum += row["length"] as Int
            guard ids.isEmpty || sum <= length else { break }
            if let id = StoryID(row["id"] as String) { ids.append(id) }
        }
        try eraseStories(ids)
        let remember = try db.cachedStatement(sql: "DELETE FROM deleted_stories WHERE story = ?")
        for id in ids { try remember.execute(arguments: [id.description]) }
        _ = try renamePast(of: erasure, limit: 4 * limit)
        return ids
    }

    private func erase(_ piece: ErasurePiece, of user: UserID, limit: Int) throws -> Int {
        // Rows are selected by key: SQLite has no DELETE with LIMIT here, and some tables have no rowid.
        let key = try db.primaryKey(piece.table).columns.joined(separator: ", ")
        let keys = "SELECT \(key) FROM \(piece.table) WHERE \(piece.condition) LIMIT :limit"
        let some = "(\(key)) IN (\(keys))"
        let arguments: StatementArguments = ["user": user.rawValue, "limit": limit]
        if let copy = piece.copy {
            try db.cachedStatement(sql: copy + " WHERE " + some).execute(arguments: arguments)
        }
        try db.cachedStatement(sql: "DELETE FROM \(piece.table) WHERE " + some).execute(arguments: arguments)
        return db.changesCount
    }

    /// Replaces the user with the pseudonym in the records of who could see which story until when.
    private func renamePast(of erasure: UnfinishedErasure, limit: Int) throws -> Int {
        try db.cachedStatement(
            sql: """
                UPDATE past_audiences SET owner = :pseudonym, layer = CASE layer
                    WHEN 'own:' || :user THEN 'own:' || :pseudonym
                    WHEN 'kin:' || :user THEN 'kin:' || :pseudonym ELSE layer END
                WHERE (layer, until_stamp, story) IN
                    (SELECT layer, until_stamp, story FROM past_audiences WHERE owner = :user LIMIT :limit)
                """
        )
        .execute(
            arguments: ["pseudonym": erasure.pseudonym, "user": erasure.user.rawValue, "limit": limit]
        )
        return db.changesCount
    }

    /// Destroys at most `limit` deleted stories of an owner that are kept sealed, with all records about them.
    ///
    /// Returns the number of stories destroyed.
    package func purgeSealed(of owner: UserID, limit: Int) throws -> Int {
        let ids = try String.fetchAll(
            try db.cachedStatement(sql: "SELECT story FROM sealed_stories WHERE owner = ? LIMIT ?"),
            arguments: [owner.rawValue, limit]
        )
        let statements = try [
            "DELETE FROM deleted_imports WHERE story = ?",
            "UPDATE reports SET text = NULL, note = NULL WHERE story = ?",
        ]
        .map { try db.cachedStatement(sql: $0) }
        for id in ids {
            for statement in statements { try statement.execute(arguments: [id]) }
        }
        return try purgeSealed(ids)
    }
}

/// Rows of one table that an erasure removes a few at a time.
private struct ErasurePiece {
    let table: String
    /// The condition for rows about `:user`.
    var condition = "user = :user"
    /// A statement that copies the rows before they are removed.
    var copy: String?

    /// Returns the tables whose rows are removed in pieces, in this order: rows that refer to others go first.
    static func all(of kind: ErasureList.Kind) -> [ErasurePiece] { kind == .account ? account : locationData }

    private static let account: [ErasurePiece] = [
        .init(table: "outbox"), .init(table: "channels"), .init(table: "devices"), .init(table: "fixes"),
        .init(table: "ledger"), .init(table: "viewed_stories"), .init(table: "feed_log"), .init(table: "notices"),
        .init(table: "person_labels", condition: "user = :user OR person = :user"), .init(table: "request_keys"),
        .init(table: "batch_answers"), .init(table: "request_answers"), .init(table: "consents"),
        .init(table: "accesses", condition: "owner = :user"),
        // The record stays, without its reader: the owner may still know that an access happened.
        .init(
            table: "accesses",
            condition: "reader IN (:user, 'token:' || :user)",
            copy: "INSERT OR IGNORE INTO accesses SELECT owner, day, story, '' FROM accesses"
        ),
        .init(table: "api_keys"), .init(table: "sign_ins"), .init(table: "page_sessions"),
        .init(table: "sign_in_codes"), .init(table: "hides"), .init(table: "favourites"),
        .init(table: "share_links", condition: "owner = :user"),
        .init(
            table: "import_changes",
            condition: "import IN (SELECT number FROM imports WHERE owner = :user)"
        ),
        .init(table: "imports", condition: "owner = :user"),
        .init(
            table: "collection_orders",
            condition: "collection IN (SELECT id FROM collections WHERE owner = :user)"
        ),
        .init(table: "collections", condition: "owner = :user"),
        .init(table: "location_proposals", condition: "owner = :user"),
        .init(table: "place_words", condition: "story IN (SELECT id FROM stories WHERE owner = :user)"),
        .init(table: "deleted_stories", condition: "owner = :user"),
    ]

    private static let locationData: [ErasurePiece] = [
        .init(table: "evaluator_states"), .init(table: "devices"), .init(table: "pending_visits"),
        .init(table: "fixes"), .init(table: "ledger"),
        .init(
            table: "feed_log",
            condition: """
                user = :user AND notice IN
                (SELECT id FROM notices WHERE user = :user AND type IN ('story.nearby', 'gone'))
                """
        ),
        .init(table: "notices", condition: "user = :user AND type IN ('story.nearby', 'gone')"),
        // The time of a message about a place reveals when the user was near one.
        .init(table: "outbox", condition: "user = :user AND epoch IS NOT NULL"),
    ]
}
