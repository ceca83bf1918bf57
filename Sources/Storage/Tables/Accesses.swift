import GRDB
public import Stories

/// That somebody got the exact point of a story that others do not get.
public struct AccessRecord: Hashable, Sendable {
    /// Who got an exact point.
    public enum Reader: Hashable, Sendable {
        /// A user.
        case user(UserID)
        /// A service, whoever it acted for: `key:` and the id of its key, or `token:` and the user its token names.
        case service(String)
        /// An account that has been erased since.
        case erased
    }

    /// Whose story it is.
    public let owner: UserID
    /// Which story.
    public let story: StoryID
    /// Who got it.
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
    /// Returns a page of the accesses to a user's stories, the newest day first, then by story and reader.
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

    /// What the readers of these accesses are called: users by their names, services by those of their keys.
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

    /// Whether there are accesses before a day.
    public func hasAccesses(before day: Int) throws -> Bool {
        try Int.fetchOne(db, sql: "SELECT 1 FROM accesses WHERE day < ? LIMIT 1", arguments: [day]) != nil
    }
}

extension StoreTransaction {
    /// Notes accesses; one noted before is not noted again.
    public func save(_ accesses: [AccessRecord]) throws {
        // An owner may be gone since the story was read: then there is nobody to tell.
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

    /// Forgets the accesses before a day; returns how many there were.
    public func dropAccesses(before day: Int) throws -> Int {
        try db.execute(sql: "DELETE FROM accesses WHERE day < ?", arguments: [day])
        return db.changesCount
    }
}

extension AccessRecord.Reader {
    /// The reader a text stands for; `nil` for a text that stands for none.
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

    /// The text that stands for the reader: a user's id has no colon, a service's name has one.
    public var text: String {
        switch self {
        case .user(let user): user.rawValue
        case .service(let name): name
        case .erased: ""
        }
    }

    /// The id of the user, or of a service the id of its key or the user its token names; `nil` when erased.
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
