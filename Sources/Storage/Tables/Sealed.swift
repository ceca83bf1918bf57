import Foundation
import GRDB
public import Stories

/// A deleted story kept for the retention period, as stored: unreadable without the key next to the database.
public struct SealedStory: Hashable, Sendable {
    /// The id of the story.
    public let id: StoryID
    /// The id of the owner.
    public let owner: UserID
    /// When it was deleted.
    public let deletedAt: Timestamp
    /// The sealed bytes.
    public let blob: [UInt8]

    /// Creates a sealed story.
    public init(id: StoryID, owner: UserID, deletedAt: Timestamp, blob: [UInt8]) {
        self.id = id
        self.owner = owner
        self.deletedAt = deletedAt
        self.blob = blob
    }
}

extension StoreReader {
    /// Returns a sealed story, or `nil`.
    public func sealedStory(_ id: StoryID) throws -> SealedStory? {
        try Row.fetchOne(db, sql: "SELECT * FROM sealed_stories WHERE story = ?", arguments: [id.description])
            .flatMap { row in
                UserID(row["owner"] as String)
                    .map { owner in
                        SealedStory(
                            id: id,
                            owner: owner,
                            deletedAt: Timestamp(milliseconds: row["deleted_ms"]),
                            blob: [UInt8](row["blob"] as Data)
                        )
                    }
            }
    }

    /// Calls `body` with the id, owner, time and size in bytes of every sealed story, in order of deletion.
    public func forEachSealedStory(
        _ body: (_ id: StoryID, _ owner: UserID, _ deletedAt: Timestamp, _ bytes: Int) throws -> Void
    ) throws {
        let rows = try Row.fetchCursor(
            db,
            sql: "SELECT story, owner, deleted_ms, length(blob) AS bytes FROM sealed_stories ORDER BY deleted_ms, story"
        )
        while let row = try rows.next() {
            guard let id = StoryID(row["story"] as String), let owner = UserID(row["owner"] as String) else { continue }
            try body(id, owner, Timestamp(milliseconds: row["deleted_ms"]), row["bytes"])
        }
    }

    /// Returns at most `limit` sealed stories after an id, in the order of their ids.
    package func sealedStories(after id: String, limit: Int) throws -> [SealedStory] {
        let ids = try String.fetchAll(
            db,
            sql: "SELECT story FROM sealed_stories WHERE story > ? ORDER BY story LIMIT ?",
            arguments: [id, limit]
        )
        return try ids.compactMap { try StoryID($0).flatMap { try sealedStory($0) } }
    }

    /// Returns the first-deleted and the last-deleted of the sealed stories.
    public func outermostSealedStories() throws -> [SealedStory] {
        let sql = ["ASC", "DESC"]
            .map { "SELECT story FROM sealed_stories ORDER BY deleted_ms \($0), story \($0) LIMIT 1" }
        return try sql.compactMap { try String.fetchOne(db, sql: $0).flatMap { StoryID($0) } }
            .compactMap { try sealedStory($0) }
    }
}

extension StoreTransaction {
    /// Stores a sealed story.
    public func save(_ sealed: SealedStory) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO sealed_stories (story, owner, deleted_ms, blob) VALUES (?, ?, ?, ?)",
            arguments: [
                sealed.id.description, sealed.owner.rawValue, sealed.deletedAt.milliseconds, Data(sealed.blob),
            ]
        )
    }

    /// Removes the sealed copy of a restored story, but not users' records about the story.
    public func removeSealed(_ id: StoryID) throws {
        try db.execute(sql: "DELETE FROM sealed_stories WHERE story = ?", arguments: [id.description])
    }

    /// Destroys at most `limit` sealed stories deleted at `time` or earlier, with users' records about them.
    ///
    /// Returns the number of stories destroyed.
    public func purgeSealed(deletedUpTo time: Timestamp, limit: Int) throws -> Int {
        try purgeSealed(
            try String.fetchAll(
                db,
                sql: "SELECT story FROM sealed_stories WHERE deleted_ms <= ? ORDER BY deleted_ms, story LIMIT ?",
                arguments: [time.milliseconds, limit]
            )
        )
    }

    func purgeSealed(_ ids: [String]) throws -> Int {
        let tables = ["sealed_stories", "hides", "favourites", "viewed_stories", "collection_orders", "import_changes"]
        let statements =
            try tables
            .map { try db.cachedStatement(sql: "DELETE FROM \($0) WHERE story = ?") }
        for id in ids {
            for statement in statements { try statement.execute(arguments: [id]) }
        }
        if !ids.isEmpty { noteRemoval() }
        return ids.count
    }
}
