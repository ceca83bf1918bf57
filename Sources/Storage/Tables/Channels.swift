import Foundation
import GRDB
public import Notifications
public import Stories

extension StoreReader {
    /// Returns a user's channels, oldest first.
    public func channels(of user: UserID) throws -> [ChannelRow] {
        try Row.fetchAll(
            db,
            sql: "SELECT * FROM channels WHERE user = ? AND state <> 'single' ORDER BY created_ms, id",
            arguments: [user.rawValue]
        )
        .compactMap(ChannelRow.init)
    }

    /// Returns the channels of all users after an id, at most `limit`, sorted by id; those for a single message only
    /// `withSingle`.
    public func channels(after id: String, limit: Int, withSingle: Bool = false) throws -> [ChannelRow] {
        try Row.fetchAll(
            db,
            sql: "SELECT * FROM channels WHERE id > ?1 AND (state <> 'single' OR ?3) ORDER BY id LIMIT ?2",
            arguments: [id, limit, withSingle]
        )
        .compactMap(ChannelRow.init)
    }

    /// Returns the channels of all users that are of a kind, sorted by id.
    public func channels(of kind: ChannelKind) throws -> [ChannelRow] {
        try Row.fetchAll(
            db,
            sql: "SELECT * FROM channels WHERE kind = ? AND state <> 'single' ORDER BY id",
            arguments: [kind.rawValue]
        )
        .compactMap(ChannelRow.init)
    }

    /// Returns whether any channel is out of use for this reason.
    public func hasChannels(withReason reason: String) throws -> Bool {
        let sql = "SELECT 1 FROM channels WHERE state <> 'single' AND reason = ? LIMIT 1"
        return try Int.fetchOne(db, sql: sql, arguments: [reason]) != nil
    }

    /// Returns a channel, or `nil`.
    public func channel(_ id: String) throws -> ChannelRow? {
        let statement = try db.cachedStatement(sql: "SELECT * FROM channels WHERE id = ?")
        return try Row.fetchOne(statement, arguments: [id]).flatMap(ChannelRow.init)
    }
}

extension StoreTransaction {
    /// Stores a new channel, or the changeable part of an existing one.
    public func save(_ channel: ChannelRow) throws {
        if !channel.isEnabled { afterCommit.changes.outdatedAttempts.channels.insert(channel.id) }
        if let old = try self.channel(channel.id) { noteChannel(channel, replacing: old) }
        try db.execute(
            sql: """
                INSERT INTO channels (id, user, kind, name, target, state, reason, created_ms, failures,
                failing_ms, delivered_ms, paused_ms, wrong_codes, code_number, switched_off)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET name = excluded.name, target = excluded.target, state = excluded.state,
                reason = excluded.reason, failures = excluded.failures,
                failing_ms = excluded.failing_ms, delivered_ms = excluded.delivered_ms, paused_ms = excluded.paused_ms,
                wrong_codes = excluded.wrong_codes, code_number = excluded.code_number,
                switched_off = excluded.switched_off
                """,
            arguments: [
                channel.id, channel.user.rawValue, channel.kind.rawValue, channel.name, Data(channel.target),
                channel.state.rawValue, channel.reason, channel.createdAt.milliseconds,
                channel.failures, channel.failingSince?.milliseconds, channel.deliveredAt?.milliseconds,
                channel.pausedUntil?.milliseconds, channel.wrongCodes, channel.codeNumber, !channel.isEnabled,
            ]
        )
    }

    /// Removes a channel with all its entries.
    public func removeChannel(_ id: String) throws {
        afterCommit.changes.outdatedAttempts.channels.insert(id)
        if let old = try channel(id) { noteChannel(nil, replacing: old) }
        try db.execute(sql: "DELETE FROM channels WHERE id = ?", arguments: [id])
    }

    /// Writes an entry for every active channel through which the user wants to receive `item`; returns the number of
    /// entries.
    ///
    /// This is part of the transaction that writes the item: a crash leaves both or neither. Items of a simulation go
    /// only to the feed unless `simulated` is true.
    @discardableResult
    public func enqueue(_ item: FeedItem, simulated: Bool = false) throws -> Int {
        guard !item.isSimulated || simulated else { return 0 }
        let statement = try db.cachedStatement(
            sql: "SELECT * FROM channels WHERE user = ? AND state = 'active' AND NOT switched_off"
        )
        let channels = try Row.fetchAll(statement, arguments: [item.user.rawValue]).compactMap(ChannelRow.init)
        guard !channels.isEmpty else { return 0 }
        let settings = try notificationSettings(of: item.user)
        let isLocation = item.subject.isLocation
        let life = RetryPolicy.nearbyLifetime * 1_000
        var count = 0
        for channel in channels where settings.delivery.sends(item.subject.type, through: channel.kind) {
            if channel.kind == .email, settings.digest.holdsBack(item.subject.type) { continue }
            try enqueue(
                item.id,
                type: item.subject.type,
                through: channel,
                epoch: isLocation ? settings.consentEpoch : nil,
                at: item.createdAt,
                expiresAt: isLocation && channel.kind.isExpiring ? item.createdAt.advanced(byMilliseconds: life) : nil
            )
            count += 1
        }
        return count
    }

    /// Writes an entry for one channel, regardless of its user's settings; an existing entry with the same message is
    /// unchanged.
    public func enqueue(
        _ message: String,
        type: NoticeType,
        through channel: ChannelRow,
        epoch: Int? = nil,
        at time: Timestamp,
        expiresAt: Timestamp? = nil,
        scope: OutboxEntry.Scope? = nil
    ) throws {
        let insert = try db.cachedStatement(
            sql: """
                INSERT OR IGNORE INTO outbox (channel, user, message, type, epoch, created_ms, not_before_ms, expires_ms,
                state, scope, trace) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?)
                """
        )
        try insert.execute(arguments: [
            channel.id, channel.user.rawValue, message, type.rawValue, epoch, time.milliseconds, time.milliseconds,
            expiresAt?.milliseconds, scope?.text, trace(keptFor: channel.user),
        ])
        try wake(channel.id, at: time)
    }

    /// Allows a channel's next entry to be sent at `time`, or when the channel's pause ends if that is later.
    func wake(_ channel: String, at time: Timestamp) throws {
        let update = try db.cachedStatement(
            sql: """
                UPDATE channels SET due_ms = max(min(ifnull(due_ms, :time), :time), ifnull(paused_ms, 0))
                WHERE id = :channel
                """
        )
        try update.execute(arguments: ["time": time.milliseconds, "channel": channel])
        afterCommit.changes.hasDeliveries = true
    }

    /// Cancels the entries waiting for a channel, except for its own confirmation message.
    public func cancelEntries(of channel: String, reason: String, at time: Timestamp) throws {
        try db.execute(
            sql: """
                UPDATE outbox SET state = 'cancelled', reason = ?, ended_ms = ?
                WHERE channel = ? AND state = 'pending' AND type <> ?
                """,
            arguments: [reason, time.milliseconds, channel, NoticeType.verification.rawValue]
        )
    }

    /// Cancels the entries about whereabouts that wait to be sent to a user; returns the number cancelled.
    @discardableResult
    func cancelLocationEntries(of user: UserID, reason: String, at time: Timestamp) throws -> Int {
        try db.execute(
            sql: """
                UPDATE outbox SET state = 'cancelled', reason = ?, ended_ms = ?
                WHERE user = ? AND state = 'pending' AND epoch IS NOT NULL
                """,
            arguments: [reason, time.milliseconds, user.rawValue]
        )
        return db.changesCount
    }
}

extension StoreReader {
    /// Returns how many entries wait for a channel.
    public func waiting(for channel: String) throws -> Int {
        try Int.fetchOne(
            db,
            sql: "SELECT count(*) FROM outbox WHERE channel = ? AND state = 'pending'",
            arguments: [channel]
        ) ?? 0
    }

    /// Returns the types of all notifications in a user's feed.
    public func toldTypes(to user: UserID) throws -> Set<NoticeType> {
        let sql = "SELECT DISTINCT type FROM notices WHERE user = ?"
        return Set(try String.fetchAll(db, sql: sql, arguments: [user.rawValue]).compactMap(NoticeType.init(rawValue:)))
    }

    /// Returns a user's newest notification of added stories, written at `time` or later, neither read nor archived.
    public func latestNews(to user: UserID, since time: Timestamp) throws -> FeedItem? {
        try Row.fetchOne(
            db,
            sql: """
                SELECT * FROM notices WHERE user = ? AND type = ? AND read_ms IS NULL AND archived_ms IS NULL
                    AND created_ms >= ?
                ORDER BY created_ms DESC, id LIMIT 1
                """,
            arguments: [user.rawValue, NoticeType.newStory.rawValue, time.milliseconds]
        )
        .map { try FeedItemRow.item($0, user: user) }
    }

    /// Returns at most `limit` notifications of a user written at `from` or later and before `to`, newest first.
    public func notices(of user: UserID, from: Timestamp, to: Timestamp, limit: Int) throws -> [FeedItem] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT * FROM notices WHERE user = ? AND created_ms >= ? AND created_ms < ?
                ORDER BY created_ms DESC, id LIMIT ?
                """,
            arguments: [user.rawValue, from.milliseconds, to.milliseconds, limit]
        )
        .map { try FeedItemRow.item($0, user: user) }
    }
}
