import Foundation
import GRDB
public import Notifications
public import Stories

extension StoreReader {
    /// Returns the entries that this copy of the database has not seen, in order.
    public func unapplied(_ entries: [ErasureList.Entry]) throws -> [ErasureList.Entry] {
        let known = Set(try String.fetchAll(db, sql: "SELECT id FROM applied_erasures"))
        return entries.filter { !known.contains($0.id.description) }
    }

    /// Returns whether erased content may still lie in free space of the file or in its log.
    package func hasUnsweptErasures() throws -> Bool {
        try Int.fetchOne(db, sql: "SELECT 1 FROM applied_erasures WHERE swept <> 1 LIMIT 1") != nil
    }

    /// Returns whether a user consented to anything at `instant` or later, or at any time if it is `nil`.
    ///
    /// Without consent, no data is derived from the user's positions.
    public func hasConsented(_ user: UserID, since instant: Timestamp?) throws -> Bool {
        try Int.fetchOne(
            db,
            sql: "SELECT 1 FROM consents WHERE user = ? AND action = 'given' AND at_ms >= ? LIMIT 1",
            arguments: [user.rawValue, instant?.milliseconds ?? .min]
        ) != nil
    }

    /// Returns at most `limit` ids of a user's stories after an id, in order.
    public func storyIDs(of owner: UserID, after: StoryID?, limit: Int) throws -> [StoryID] {
        try String.fetchAll(
            db,
            sql: "SELECT id FROM stories WHERE owner = ? AND id > ? ORDER BY id LIMIT ?",
            arguments: [owner.rawValue, after?.description ?? "", limit]
        )
        .compactMap { StoryID($0) }
    }

    /// Returns how many stories a user has.
    public func storyCount(of owner: UserID) throws -> Int {
        let sql = "SELECT count(*) FROM stories WHERE owner = ?"
        return try Int.fetchOne(db, sql: sql, arguments: [owner.rawValue]) ?? 0
    }

    /// Returns the numbers of rows derived from a user's whereabouts, by kind of content.
    public func locationCounts(of user: UserID) throws -> [(name: String, count: Int)] {
        let kinds = [
            ("device_states", "evaluator_states WHERE user = ?"), ("devices", "devices WHERE user = ?"),
            ("visits", "pending_visits WHERE user = ?"),
            ("fixes", "fixes WHERE user = ?"), ("told_stories", "ledger WHERE user = ?"),
            ("notifications", "notices WHERE user = ? AND type IN ('story.nearby', 'gone')"),
            ("deliveries", "outbox WHERE user = ? AND epoch IS NOT NULL"),
        ]
        return try kinds.map { name, rows in
            let sql = "SELECT count(*) FROM " + rows
            return (name, try Int.fetchOne(db, sql: sql, arguments: [user.rawValue]) ?? 0)
        }
    }

    /// Returns the stored data about a user's whereabouts: everything for each device, and row counts for the rest.
    public func locationData(of user: UserID) throws -> LocationDataSummary {
        func count(_ rows: String) throws -> Int {
            try Int.fetchOne(db, sql: "SELECT count(*) FROM " + rows, arguments: [user.rawValue]) ?? 0
        }
        let devices = try Row.fetchAll(
            db,
            sql:
                "SELECT device, updated_ms, state FROM evaluator_states WHERE user = ? ORDER BY device",
            arguments: [user.rawValue]
        )
        return LocationDataSummary(
            devices: devices.map { row in
                .init(
                    name: row["device"],
                    heardOf: Timestamp(milliseconds: row["updated_ms"]),
                    state: [UInt8](row["state"] as Data)
                )
            },
            visits: try count("pending_visits WHERE user = ?"),
            fixes: try count("fixes WHERE user = ?"),
            toldStories: try count("ledger WHERE user = ?"),
            notifications: try count("notices WHERE user = ? AND type = 'story.nearby'")
        )
    }

    /// Returns others' notifications about invitations from or to `user`: their text names both.
    public func noticesOfOthers(aboutInvitationsOf user: UserID) throws -> [FeedItem] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT * FROM notices WHERE user <> :user AND json_extract(data, '$.details.invitation') IN
                (SELECT id FROM invitations WHERE inviter = :user OR invitee = :user) ORDER BY user, id
                """,
            arguments: ["user": user.rawValue]
        )
        return try rows.compactMap { row in
            try UserID(row["user"] as String).map { try FeedItemRow.item(row, user: $0) }
        }
    }

    /// Returns the ids of others' notifications that mention a story of `owner`, with their users.
    ///
    /// - Complexity: O(*s* log *n*) for *s* stories, plus a check of the type of each of the *n* notices.
    public func noticesOfOthers(tellingOf owner: UserID) throws -> [(user: UserID, id: String)] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT user, notice AS id FROM notice_stories
                WHERE user <> :owner AND story IN (SELECT id FROM stories WHERE owner = :owner
                UNION ALL SELECT story FROM sealed_stories WHERE owner = :owner)
                UNION SELECT user, id FROM notices
                WHERE user <> :owner AND type = :news AND json_extract(data, '$.author') = :owner ORDER BY 1, 2
                """,
            arguments: ["owner": owner.rawValue, "news": NoticeType.newStory.rawValue]
        )
        return rows.compactMap { row in UserID(row["user"] as String).map { ($0, row["id"]) } }
    }

    /// Returns a notification of a user, or `nil`.
    public func notice(_ id: String, of user: UserID) throws -> FeedItem? {
        try Row.fetchOne(
            db.cachedStatement(sql: "SELECT * FROM notices WHERE user = ? AND id = ?"),
            arguments: [user.rawValue, id]
        )
        .map { try FeedItemRow.item($0, user: user) }
    }
}

extension StoreTransaction {
    /// Records that this copy of the database has seen a line of the list of erasures.
    ///
    /// `isSwept` states that nothing of the erased content can be left in free space.
    public func markApplied(_ entry: ErasureList.Entry, isSwept: Bool) throws {
        try db.execute(
            sql: "INSERT OR IGNORE INTO applied_erasures (id, at_ms, swept) VALUES (?, ?, ?)",
            arguments: [entry.id.description, entry.at.milliseconds, isSwept]
        )
    }

    /// Removes the stories with these ids, users' records about them, the texts of reports, and the record of their
    /// import.
    ///
    /// Access records belong to the owner and are removed by ``eraseRows(of:limit:)``.
    func eraseStories(_ ids: [StoryID]) throws {
        let statements = try [
            "DELETE FROM deleted_imports WHERE story = ?", "DELETE FROM hides WHERE story = ?",
            "DELETE FROM favourites WHERE story = ?",
            "DELETE FROM viewed_stories WHERE story = ?", "DELETE FROM collection_orders WHERE story = ?",
            "DELETE FROM import_changes WHERE story = ?",
            "UPDATE reports SET text = NULL, note = NULL WHERE story = ?",
        ]
        .map { try db.cachedStatement(sql: $0) }
        for id in ids {
            try deleteStory(id)
            for statement in statements { try statement.execute(arguments: [id.description]) }
        }
    }

    /// Replaces the content of a notification, keeping its marks and position; without `item`, it no longer names
    /// anything.
    public func replaceNotice(_ id: String, of user: UserID, by item: FeedItem?) throws {
        noteRetelling(id, to: user)
        guard let item else { return try empty(id, of: user) }
        let marks = try Row.fetchOne(
            db,
            sql: "SELECT read_ms, opened_ms, archived_ms, position FROM notices WHERE user = ? AND id = ?",
            arguments: [user.rawValue, id]
        )
        guard let marks else { return }
        try db.execute(sql: "DELETE FROM notices WHERE user = ? AND id = ?", arguments: [user.rawValue, id])
        try write(item, position: marks["position"])
        try db.execute(
            sql: "UPDATE notices SET read_ms = ?, opened_ms = ?, archived_ms = ? WHERE user = ? AND id = ?",
            arguments: [
                marks["read_ms"] as Int64?, marks["opened_ms"] as Int64?, marks["archived_ms"] as Int64?,
                user.rawValue, id,
            ]
        )
    }
}

/// The stored data about a user's whereabouts.
public struct LocationDataSummary: Hashable, Sendable {
    /// The evaluator's data about one device, kept for at most a day: its last position and the places it is at.
    public struct Device: Hashable, Sendable {
        /// The user's own name for it.
        public let name: String
        /// When it last reported.
        public let heardOf: Timestamp
        /// The state, as the evaluator wrote it.
        public let state: [UInt8]
    }

    /// The devices, by name.
    public let devices: [Device]
    /// The number of visits waiting a few seconds to be announced together.
    public let visits: Int
    /// The number of fixes kept as received, because the user asked for it.
    public let fixes: Int
    /// The number of announcements the ledger remembers, as keyed digests.
    public let toldStories: Int
    /// The number of notifications in the feed that name a place.
    public let notifications: Int
}
