import Foundation
import GRDB
public import Stories

// Links by which users show their stories.
extension StoreReader {
    /// Returns the link with an id, but only one of `owner` if given, expired or not, or `nil`.
    public func shareLink(_ id: String, of owner: UserID? = nil) throws -> ShareLink? {
        guard let owner else {
            return try db.cachedStatement(sql: "SELECT * FROM share_links WHERE id = ?").first([id], link) ?? nil
        }
        let statement = try db.cachedStatement(sql: "SELECT * FROM share_links WHERE owner = ?")
        return try statement.all([owner.rawValue], link).compactMap(\.self).first { $0.id == id }
    }

    /// Returns the links of a user that have not expired, newest first, then by id.
    public func shareLinks(of owner: UserID, at now: Timestamp) throws -> [ShareLink] {
        try Row.fetchAll(
            db,
            sql: "SELECT * FROM share_links WHERE owner = ? AND expires_ms > ? ORDER BY created_ms DESC, id",
            arguments: [owner.rawValue, now.milliseconds]
        )
        .compactMap(link)
    }

    /// Returns the ids of the links to a collection, sorted.
    func shareLinks(to collection: CollectionID) throws -> [String] {
        try String.fetchAll(
            db,
            sql: "SELECT id FROM share_links WHERE collection = ? ORDER BY id",
            arguments: [collection.rawValue]
        )
    }

    private func link(_ row: Row) -> ShareLink? {
        let story = (row["story"] as String?).flatMap { StoryID($0) }.map(ShareSubject.story)
        let collection = (row["collection"] as String?).flatMap { CollectionID($0) }.map(ShareSubject.collection)
        guard let owner = UserID(row["owner"] as String), let subject = story ?? collection,
            let precision = SharePrecision(rawValue: row["precision"])
        else { return nil }
        return ShareLink(
            id: row["id"],
            digest: [UInt8](row["digest"] as Data),
            owner: owner,
            subject: subject,
            precision: precision,
            createdAt: Timestamp(milliseconds: row["created_ms"]),
            expiresAt: Timestamp(milliseconds: row["expires_ms"]),
            usedAt: (row["used_ms"] as Int64?).map { Timestamp(milliseconds: $0) }
        )
    }
}

extension StoreTransaction {
    /// Stores a new link.
    ///
    /// - Throws: ``StoreError`` with code `conflict` if its id is taken, or `vanished` if its owner is unknown.
    public func insert(_ link: ShareLink) throws {
        try refuseErasing(link.owner)
        var story: String?
        var collection: String?
        switch link.subject {
        case .story(let id): story = id.description
        case .collection(let id): collection = id.rawValue
        }
        try db.execute(
            sql: """
                INSERT INTO share_links
                (id, digest, owner, story, collection, precision, created_ms, expires_ms, used_ms)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                link.id, Data(link.digest), link.owner.rawValue, story, collection, link.precision.rawValue,
                link.createdAt.milliseconds, link.expiresAt.milliseconds, link.usedAt?.milliseconds,
            ]
        )
    }

    /// Records the day on which a link was used.
    public func noteUse(ofShareLink id: String, on day: Timestamp) throws {
        try db.execute(sql: "UPDATE share_links SET used_ms = ? WHERE id = ?", arguments: [day.milliseconds, id])
    }

    /// Ends a link only in this copy of the database; see ``endShareLink(_:of:at:)``.
    func removeShareLink(_ id: String) throws {
        try db.execute(sql: "DELETE FROM share_links WHERE id = ?", arguments: [id])
    }

    /// Ends the links to a story that is removed.
    ///
    /// An older copy of the database learns of the removal itself from the list of erasures.
    func removeShareLinks(to story: StoryID) throws {
        try db.cachedStatement(sql: "DELETE FROM share_links WHERE story = ?").execute(arguments: [story.description])
    }

    /// Removes the links of a user, or of all users if `nil`, that have expired by `now`.
    public func dropShareLinks(of owner: UserID?, endedBy now: Timestamp) throws {
        try db.execute(
            sql: "DELETE FROM share_links WHERE expires_ms <= ?1 AND (owner = ?2 OR ?2 IS NULL)",
            arguments: [now.milliseconds, owner?.rawValue]
        )
    }
}
