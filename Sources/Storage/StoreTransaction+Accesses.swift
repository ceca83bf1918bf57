import GRDB
public import Stories

/// That somebody got the exact point of a story that others do not get.
public struct AccessRecord: Hashable, Sendable {
    /// Whose story it is.
    public let owner: UserID
    /// Which story.
    public let story: StoryID
    /// Who got it; `nil` when that account has been erased since.
    public let reader: UserID?
    /// The day, UTC, in days since 1970-01-01.
    public let day: Int

    /// Creates a record.
    public init(owner: UserID, story: StoryID, reader: UserID?, day: Int) {
        self.owner = owner
        self.story = story
        self.reader = reader
        self.day = day
    }
}

extension StoreTransaction {
    /// Notes accesses; one noted before is not noted again.
    public func save(_ accesses: [AccessRecord]) throws {
        // An owner may be gone since the story was read: then there is nobody to tell.
        let statement = try db.cachedStatement(
            sql: """
                INSERT OR IGNORE INTO accesses (owner, day, story, reader)
                SELECT id, ?, ?, ifnull((SELECT id FROM users WHERE id = ?), '') FROM users WHERE id = ?
                """
        )
        for access in accesses {
            try statement.execute(
                arguments: [
                    access.day, access.story.description, access.reader?.rawValue ?? "", access.owner.rawValue,
                ]
            )
        }
    }

    /// Returns a page of the accesses to a user's stories, the newest day first, then by story and reader.
    public func accesses(of owner: UserID, after: AccessRecord?, limit: Int) throws -> [AccessRecord] {
        var sql = "SELECT * FROM accesses WHERE owner = ?"
        var arguments: StatementArguments = [owner.rawValue]
        if let after {
            sql += " AND (day < ? OR (day = ? AND (story, reader) > (?, ?)))"
            arguments += [after.day, after.day, after.story.description, after.reader?.rawValue ?? ""]
        }
        sql += " ORDER BY day DESC, story, reader LIMIT ?"
        arguments += [limit]
        return try Row.fetchAll(db, sql: sql, arguments: arguments)
            .compactMap { row in
                StoryID(row["story"] as String)
                    .map {
                        AccessRecord(owner: owner, story: $0, reader: UserID(row["reader"] as String), day: row["day"])
                    }
            }
    }

    /// Whether there are accesses before a day.
    public func hasAccesses(before day: Int) throws -> Bool {
        try Int.fetchOne(db, sql: "SELECT 1 FROM accesses WHERE day < ? LIMIT 1", arguments: [day]) != nil
    }

    /// Forgets the accesses before a day; returns how many there were.
    public func dropAccesses(before day: Int) throws -> Int {
        try db.execute(sql: "DELETE FROM accesses WHERE day < ?", arguments: [day])
        return db.changesCount
    }
}
