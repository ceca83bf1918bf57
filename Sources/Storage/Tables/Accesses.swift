import GRDB
public import Stories

/// A record that someone received the exact point of a story that others do not get.
public struct AccessRecord: Hashable, Sendable {
    /// The recipient of an exact point.
    public enum Reader: Hashable, Sendable {
        /// A user.
        case user(UserID)
        /// A service, regardless of the user it acted for: `key:` and the id of its key, or `token:` and the token's
        /// user.
        case service(String)
        /// An account that has since been erased.
        case erased
    }

    /// The owner of the story.
    public let owner: UserID
    /// The story.
    public let story: StoryID
    /// The recipient.
    public let reader: Reader
    /// The day, UTC, in days since 1970-01-01.
    public let day: Int

    /// Creates a record.
    public init(owner: UserID, story: StoryID, reader: Reader, day: Int) {
        self.owner = owner
        self.story = story
        self.reader = reader
        self.day = day
    }
}

extension StoreReader {
    /// Returns a page of the accesses to a user's stories, newest day first, then by story and reader.
    public func accesses(of owner: UserID, after: AccessRecord?, limit: Int) throws -> [AccessRecord] {
        var sql = "SELECT * FROM accesses WHERE owner = ?"
        var arguments: StatementArguments = [owner.rawValue]
        if let after {
            sql += " AND (day < ? OR (day = ? AND (story, reader) > (?, ?)))"
            arguments += [after.day, after.day, after.story.description, after.reader.text]
        }
        sql += " ORDER BY day DESC, story, reader LIMIT ?"
        arguments += [limit]
        return try Row.fetchAll(db, sql: sql, arguments: arguments)
            .compactMap { row in
                guard let story = StoryID(row["story"] as String),
                    let reader = AccessRecord.Reader(text: row["reader"] as String)
                else { return nil }
                return AccessRecord(owner: owner, story: story, reader: reader, day: row["day"])
            }
    }

    /// Returns the names of the readers of these accesses: user names, and key names for services.
    public func readerNames(in accesses: [AccessRecord]) throws -> [AccessRecord.Reader: String] {
        let users = try db.cachedStatement(
            sql: "SELECT name FROM users WHERE id = ? AND \(StoreReader.isAccount)"
        )
        let keys = try db.cachedStatement(sql: "SELECT name FROM api_keys WHERE id = ?")
        var names: [AccessRecord.Reader: String] = [:]
        for reader in Set(accesses.map(\.reader)) {
            guard let id = reader.id else { continue }
            names[reader] = try String.fetchOne(reader.isKey ? keys : users, arguments: [id])
        }
        return names
    }

    /// Returns whether there are accesses before a day.
    public func hasAccesses(before day: Int) throws -> Bool {
        try Int.fetchOne(db, sql: "SELECT 1 FROM accesses WHERE day < ? LIMIT 1", arguments: [day]) != nil
    }
}

extension StoreTransaction {
    /// Stores accesses; one that is already stored is not stored again.
    public func save(_ accesses: [AccessRecord]) throws {
        // The owner may have been removed since the story was read; then there is no one to inform.
        let statement = try db.cachedStatement(
            sql: """
                INSERT OR IGNORE INTO accesses (owner, day, story, reader)
                SELECT id, ?1, ?2, iif(instr(?3, ':'), ?3, ifnull((SELECT id FROM users WHERE id = ?3), ''))
                FROM users WHERE id = ?4
                """
        )
        for access in accesses {
            try statement.execute(
                arguments: [
                    access.day, access.story.description, access.reader.text, access.owner.rawValue,
                ]
            )
        }
    }

    /// Removes the accesses before a day; returns the number removed.
    public func dropAccesses(before day: Int) throws -> Int {
        try db.execute(sql: "DELETE FROM accesses WHERE day < ?", arguments: [day])
        return db.changesCount
    }
}

extension AccessRecord.Reader {
    /// Creates a reader from its text form; `nil` if the text is not a reader.
    public init?(text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        if text.isEmpty {
            self = .erased
        } else if parts.count == 2 {
            guard parts[0] == "key" || parts[0] == "token", UserID(parts[1]) != nil else { return nil }
            self = .service(text)
        } else {
            guard let user = UserID(text) else { return nil }
            self = .user(user)
        }
    }

    /// The text form of the reader: a user's id contains no colon, a service's name does.
    public var text: String {
        switch self {
        case .user(let user): user.rawValue
        case .service(let name): name
        case .erased: ""
        }
    }

    /// The id of the user, the id of a service's key, or the user its token names; `nil` if erased.
    public var id: String? {
        switch self {
        case .user(let user): user.rawValue
        case .service(let name): name.split(separator: ":", maxSplits: 1).last.map(String.init)
        case .erased: nil
        }
    }

    /// `user`, `service` or `erased`.
    public var kind: String {
        switch self {
        case .user: "user"
        case .service: "service"
        case .erased: "erased"
        }
    }

    var isKey: Bool { text.hasPrefix("key:") }
}
