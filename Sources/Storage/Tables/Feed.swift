import GRDB
public import Notifications
public import Stories

// The log of a feed.
extension StoreReader {
    /// Returns the extent of the log of a user's feed.
    public func feedPosition(of user: UserID) throws -> FeedPosition {
        let statement = try db.cachedStatement(
            sql: "SELECT latest, forgotten, seen FROM feed_positions WHERE user = ?"
        )
        return try statement.first([user.rawValue]) { row in
            FeedPosition(latest: row["latest"], forgotten: row["forgotten"], seen: row["seen"])
        } ?? FeedPosition()
    }

    /// Returns the rows of a user's log after a position, in order.
    public func feedEvents(of user: UserID, after position: Int64, limit: Int) throws -> [FeedEvent] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT position, at_ms, event, notice, detail FROM feed_log
                WHERE user = ? AND position > ? ORDER BY position LIMIT ?
                """
        )
        return
            try statement.all([user.rawValue, position, limit]) { row in
                FeedEvent.Kind(rawValue: row["event"])
                    .map { kind in
                        FeedEvent(
                            position: row["position"],
                            at: Timestamp(milliseconds: row["at_ms"]),
                            kind: kind,
                            notice: row["notice"],
                            detail: row["detail"]
                        )
                    }
            }
            .compactMap { $0 }
    }
}

extension StoreTransaction {
    /// Appends a row to the log of a user's feed and returns its position.
    @discardableResult
    func log(
        _ kind: FeedEvent.Kind,
        notice: String? = nil,
        detail: String? = nil,
        of user: UserID,
        at time: Timestamp
    ) throws -> Int64 {
        let latest = try feedPosition(of: user).latest
        let position = max(latest + 1, time.milliseconds)
        try db.cachedStatement(
            sql: """
                INSERT INTO feed_positions (user, latest, forgotten, seen) VALUES (?, ?, 0, 0)
                ON CONFLICT (user) DO UPDATE SET latest = excluded.latest
                """
        )
        .execute(arguments: [user.rawValue, position])
        try db.cachedStatement(
            sql: "INSERT INTO feed_log (user, position, at_ms, event, notice, detail) VALUES (?, ?, ?, ?, ?, ?)"
        )
        .execute(arguments: [user.rawValue, position, time.milliseconds, kind.rawValue, notice, detail])
        noteFeed(of: user, rows: 1)
        return position
    }

    /// Removes rows older than `limit` from the logs of all feeds; returns the number removed.
    @discardableResult
    public func forgetFeedEvents(before limit: Timestamp) throws -> Int {
        try db.execute(
            sql: """
                UPDATE feed_positions SET forgotten = old.position
                FROM (SELECT user, max(position) AS position FROM feed_log WHERE at_ms < ? GROUP BY user) AS old
                WHERE old.user = feed_positions.user
                """,
            arguments: [limit.milliseconds]
        )
        try db.execute(sql: "DELETE FROM feed_log WHERE at_ms < ?", arguments: [limit.milliseconds])
        return db.changesCount
    }
}

// The content of a feed.
extension StoreReader {
    /// Returns a part of a user's feed as stored, newest first.
    public func notices(of user: UserID, in window: FeedWindow) throws -> [FeedItem] {
        var sql = "SELECT * FROM notices WHERE user = ?"
        var arguments: StatementArguments = [user.rawValue]
        if window.unreadOnly { sql += " AND read_ms IS NULL" }
        if !window.withArchived { sql += " AND archived_ms IS NULL" }
        if !window.types.isEmpty {
            sql += " AND type IN (SELECT value FROM json_each(?))"
            arguments += [StoreReader.list(window.types.sorted())]
        }
        if let after = window.after {
            sql += " AND (created_ms < ? OR (created_ms = ? AND id > ?))"
            arguments += [after.createdAt.milliseconds, after.createdAt.milliseconds, after.id]
        }
        sql += " ORDER BY created_ms DESC, id LIMIT ?"
        arguments += [window.limit]
        return try db.cachedStatement(sql: sql).all(arguments) { try FeedItemRow.item($0, user: user) }
    }

    /// Returns a page of a user's feed, newest first, after the time and id of the previous page's last item.
    public func notices(
        of user: UserID,
        unreadOnly: Bool,
        after: (createdAt: Timestamp, id: String)?,
        limit: Int
    ) throws -> [FeedItem] {
        var window = FeedWindow()
        (window.unreadOnly, window.after, window.limit) = (unreadOnly, after, limit)
        return try notices(of: user, in: window)
    }

    /// Returns the notifications of a user with these ids, keyed by id.
    public func notices(_ ids: [String], of user: UserID) throws -> [String: FeedItem] {
        guard !ids.isEmpty else { return [:] }
        let statement = try db.cachedStatement(
            sql: "SELECT * FROM notices WHERE user = ? AND id IN (SELECT value FROM json_each(?))"
        )
        let items = try statement.all([user.rawValue, StoreReader.list(Set(ids).sorted())]) {
            try FeedItemRow.item($0, user: user)
        }
        return Dictionary(items.map { ($0.id, $0) }, uniquingKeysWith: { _, last in last })
    }
}

// Marks.
extension StoreTransaction {
    /// A change of a notification's marks.
    public struct FeedMarks: Hashable, Sendable {
        /// Whether it becomes read or unread; `nil` leaves it unchanged.
        public var read: Bool?
        /// Whether it becomes archived or not; `nil` leaves it unchanged.
        public var archived: Bool?
        /// Whether its subject has just been opened.
        public var opened = false

        /// Creates a change.
        public init(read: Bool? = nil, archived: Bool? = nil, opened: Bool = false) {
            self.read = read
            self.archived = archived
            self.opened = opened
        }
    }

    /// Marks a notification of a user and returns it with its new marks; `nil` if it does not exist.
    ///
    /// Only actual changes are written to the log.
    public func mark(_ id: String, of user: UserID, _ marks: FeedMarks, at now: Timestamp) throws -> FeedItem? {
        guard var item = try notice(id, of: user) else { return nil }
        let before = item
        if let read = marks.read { item.readAt = read ? item.readAt ?? now : nil }
        if let archived = marks.archived { item.archivedAt = archived ? item.archivedAt ?? now : nil }
        if marks.opened {
            item.openedAt = item.openedAt ?? now
            item.readAt = item.readAt ?? now
        }
        guard item != before else { return item }
        try db.execute(
            sql: "UPDATE notices SET read_ms = ?, archived_ms = ?, opened_ms = ? WHERE user = ? AND id = ?",
            arguments: [
                item.readAt?.milliseconds, item.archivedAt?.milliseconds, item.openedAt?.milliseconds, user.rawValue,
                id,
            ]
        )
        let detail = (item.readAt == nil ? "" : "r") + (item.archivedAt == nil ? "" : "a")
        try log(.read, notice: id, detail: detail, of: user, at: now)
        return item
    }

    /// Marks a notification and all earlier ones as read, or everything if there is no id.
    ///
    /// Returns the number of notifications that were unread; `nil` if there is no such notification. Notifications that
    /// arrive meanwhile have a later position and stay unread.
    public func markAllRead(upTo id: String?, of user: UserID, at now: Timestamp) throws -> Int? {
        guard let id = try id ?? newestNotice(of: user) else { return 0 }
        guard let last = try notice(id, of: user) else { return nil }
        try db.execute(
            sql: "UPDATE notices SET read_ms = ? WHERE user = ? AND read_ms IS NULL AND position <= ?",
            arguments: [now.milliseconds, user.rawValue, last.position]
        )
        let count = db.changesCount
        if count > 0 { try log(.read, notice: id, detail: "all", of: user, at: now) }
        try noteSeen(upTo: last.position, by: user)
        return count
    }

    private func newestNotice(of user: UserID) throws -> String? {
        let statement = try db.cachedStatement(
            sql: "SELECT id FROM notices WHERE user = ? ORDER BY position DESC, id LIMIT 1"
        )
        return try String.fetchOne(statement, arguments: [user.rawValue])
    }

    /// Records that a user has seen a notification and all earlier ones; returns whether it exists.
    public func markSeen(upTo id: String, by user: UserID) throws -> Bool {
        guard let last = try notice(id, of: user) else { return false }
        try noteSeen(upTo: last.position, by: user)
        return true
    }

    private func noteSeen(upTo position: Int64, by user: UserID) throws {
        try db.execute(
            sql: "UPDATE feed_positions SET seen = ?1 WHERE user = ?2 AND seen < ?1",
            arguments: [position, user.rawValue]
        )
        if db.changesCount > 0 { noteFeed(of: user) }
    }

    /// Removes all content from a notification, which then names nothing, counts as read and keeps its position.
    func empty(_ id: String, of user: UserID) throws {
        try db.execute(
            sql: """
                UPDATE notices SET type = 'gone', kind = NULL, place_name = NULL, place_lat = NULL, place_lon = NULL,
                count = 0, title = '', body = '', confidence = NULL, content = '[]', data = NULL,
                named_place = NULL,
                read_ms = coalesce(read_ms, created_ms)
                WHERE user = ? AND id = ?
                """,
            arguments: [user.rawValue, id]
        )
        try db.execute(
            sql: "DELETE FROM notice_stories WHERE user = ? AND notice = ?",
            arguments: [user.rawValue, id]
        )
    }
}
