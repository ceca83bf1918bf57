import Foundation
import GRDB
public import Notifications
public import Stories

extension StoreReader {
    /// Returns the channels with something to send at `time`: first at most `working` channels that work, then at most
    /// `failing` whose last attempt failed.
    ///
    /// There are two lanes, so that ten thousand dead endpoints do not crowd out those that respond.
    public func dueChannels(at time: Timestamp, working: Int, failing: Int) throws -> [String] {
        try [(0, working), (1, failing)]
            .flatMap { lane, limit in
                let statement = try db.cachedStatement(
                    sql: """
                        SELECT id FROM channels WHERE (failures > 0) = ? AND due_ms <= ? AND ifnull(lease_ms, 0) <= ?
                        AND due_ms IS NOT NULL ORDER BY due_ms LIMIT ?
                        """
                )
                return try String.fetchAll(statement, arguments: [lane, time.milliseconds, time.milliseconds, limit])
            }
    }

    /// Returns the first-written entry of a channel that may be tried at `time` and is not in progress.
    ///
    /// - Complexity: O(*d*) for *d* deferred entries written before it; later entries cost nothing.
    public func nextEntry(of channel: String, at time: Timestamp) throws -> OutboxEntry? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT * FROM outbox INDEXED BY outbox_order
                WHERE channel = ? AND state = 'pending' AND not_before_ms <= ? AND lease_ms IS NULL
                ORDER BY number LIMIT 1
                """
        )
        return try Row.fetchOne(statement, arguments: [channel, time.milliseconds]).flatMap(OutboxEntry.init)
    }

    /// Returns whether the worker with this token still holds the entry.
    public func holds(_ entry: Int64, token: String) throws -> Bool {
        let statement = try db.cachedStatement(sql: "SELECT 1 FROM outbox WHERE number = ? AND lease = ?")
        return try Int.fetchOne(statement, arguments: [entry, token]) != nil
    }

    /// Returns whether more than `count` entries of a channel are waiting.
    public func isWaiting(for channel: String, moreThan count: Int) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: """
                SELECT 1 FROM outbox INDEXED BY outbox_order
                WHERE channel = ? AND state = 'pending' AND lease_ms IS NULL LIMIT 1 OFFSET ?
                """
        )
        return try Int.fetchOne(statement, arguments: [channel, count]) != nil
    }

    /// Returns the entries of a channel that waited for quiet hours and may now be sent, in order.
    public func deferredEntries(of channel: String, at time: Timestamp) throws -> [OutboxEntry] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT * FROM outbox WHERE channel = ? AND state = 'pending' AND deferred AND not_before_ms <= ?
                AND lease_ms IS NULL ORDER BY number
                """,
            arguments: [channel, time.milliseconds]
        )
        .compactMap(OutboxEntry.init)
    }

    /// Returns how many notifications were sent to a channel since `time`.
    public func sent(to channel: String, since time: Timestamp) throws -> Int {
        try Int.fetchOne(
            db,
            sql: """
                SELECT count(*) FROM outbox
                WHERE channel = ? AND state = 'done' AND ended_ms > ? AND type NOT IN (?, ?, ?)
                """,
            arguments: [
                channel, time.milliseconds, NoticeType.verification.rawValue, NoticeType.test.rawValue,
                NoticeType.withdrawal.rawValue,
            ]
        ) ?? 0
    }

    /// Returns when a notification was last sent to a channel, or `nil`; verification, test and withdrawal messages do not
    /// count.
    public func lastSent(to channel: String) throws -> Timestamp? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT ended_ms FROM outbox WHERE channel = ? AND state = 'done' AND type NOT IN (?, ?, ?)
                ORDER BY ended_ms DESC LIMIT 1
                """
        )
        return
            try Int64.fetchOne(
                statement,
                arguments: [
                    channel, NoticeType.verification.rawValue, NoticeType.test.rawValue, NoticeType.withdrawal.rawValue,
                ]
            )
            .map(Timestamp.init)
    }

    /// Returns the notifications withheld from a channel by its user's limits since the last one was sent.
    ///
    /// They are in the order in which they were withheld.
    public func capped(for channel: String, limit: Int) throws -> [String] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT message FROM outbox WHERE channel = ? AND reason = 'cap' AND ended_ms >= ?
                ORDER BY ended_ms, number LIMIT ?
                """
        )
        let last = try lastSent(to: channel)?.milliseconds ?? 0
        return try String.fetchAll(statement, arguments: [channel, last, limit])
    }
}

extension StoreTransaction {
    /// Leases an entry to a worker until `end`: no other worker tries it meanwhile.
    public func lease(_ entry: OutboxEntry, token: String, until end: Timestamp) throws {
        try db.cachedStatement(
            sql: "UPDATE outbox SET attempts = attempts + 1, lease = ?, lease_ms = ? WHERE number = ?"
        )
        .execute(arguments: [token, end.milliseconds, entry.number])
    }

    /// The reason stored with an entry whose attempt ended without a known outcome, as when the service is killed.
    public static var interruptedReason: String { "interrupted" }

    /// Marks all waiting entries as ones whose attempt may have been made: an old copy of the database does not know
    /// what was sent after it was made.
    public func doubtWaitingEntries() throws {
        try db.execute(
            sql: "UPDATE outbox SET reason = ? WHERE state = 'pending'",
            arguments: [StoreTransaction.interruptedReason]
        )
    }

    /// Returns how many entries of a channel are in progress at `time`, and reclaims those whose lease has expired.
    public func entriesUnderWay(of channel: String, at time: Timestamp) throws -> Int {
        try db.cachedStatement(
            sql: "UPDATE outbox SET lease = NULL, lease_ms = NULL, reason = ? WHERE channel = ? AND lease_ms <= ?"
        )
        .execute(arguments: [StoreTransaction.interruptedReason, channel, time.milliseconds])
        let count = try db.cachedStatement(
            sql: "SELECT count(*) FROM outbox WHERE channel = ? AND lease_ms IS NOT NULL"
        )
        return try Int.fetchOne(count, arguments: [channel]) ?? 0
    }

    /// Ends the lease of an entry, so that another worker may try it.
    public func giveBack(_ entry: Int64) throws {
        try db.cachedStatement(sql: "UPDATE outbox SET lease = NULL, lease_ms = NULL WHERE number = ?")
            .execute(arguments: [entry])
    }

    /// Updates when the next entry of a channel may be sent, with at most `most` entries in progress at a time.
    public func release(_ channel: String, most: Int) throws {
        let update = try db.cachedStatement(
            sql: """
                UPDATE channels SET lease = NULL, due_ms = \(StoreTransaction.dueTime), lease_ms = (
                    SELECT min(lease_ms) FROM outbox WHERE channel = channels.id AND lease_ms IS NOT NULL
                    HAVING count(*) >= :most)
                WHERE id = :channel
                """
        )
        try update.execute(arguments: ["channel": channel, "most": max(1, most)])
        afterCommit.changes.hasDeliveries = true
    }

    /// The SQL for when a row of `channels` is next due: when its next entry may be sent or its next lease expires.
    static let dueTime = """
        max(nullif(min(
            ifnull((SELECT not_before_ms FROM outbox INDEXED BY outbox_pending
                WHERE channel = channels.id AND state = 'pending' AND lease_ms IS NULL
                ORDER BY not_before_ms LIMIT 1), 9223372036854775807),
            ifnull((SELECT min(lease_ms) FROM outbox INDEXED BY outbox_leased
                WHERE channel = channels.id AND lease_ms IS NOT NULL), 9223372036854775807)
            ), 9223372036854775807), ifnull(channels.paused_ms, 0))
        """

    /// Moves an entry to a final state.
    public func end(
        _ number: Int64,
        as state: OutboxEntry.State,
        reason: String?,
        status: Int? = nil,
        at time: Timestamp
    ) throws {
        try db.cachedStatement(
            sql: """
                UPDATE outbox SET state = ?, reason = ?, status = ifnull(?, status), ended_ms = ?
                WHERE number = ? AND state = 'pending'
                """
        )
        .execute(arguments: [state.rawValue, reason, status, time.milliseconds, number])
    }

    /// Defers an entry to the next attempt, or to the end of quiet hours.
    ///
    /// If `returns` is true, the attempt was cancelled and does not count.
    public func putOff(
        _ number: Int64,
        until time: Timestamp,
        reason: String?,
        status: Int? = nil,
        isQuiet: Bool = false,
        returns: Bool = false
    ) throws {
        try db.cachedStatement(
            sql: """
                UPDATE outbox SET not_before_ms = ?, reason = ?, status = ifnull(?, status),
                deferred = max(deferred, ?), attempts = attempts - ? WHERE number = ? AND state = 'pending'
                """
        )
        .execute(arguments: [time.milliseconds, reason, status, isQuiet, returns ? 1 : 0, number])
    }

    /// Sets a user's entries that wait for quiet hours to be due at `time`, so that they are decided again.
    public func wakeDeferred(of user: UserID, at time: Timestamp) throws {
        let channels = try String.fetchAll(
            db,
            sql: """
                SELECT DISTINCT channel FROM outbox
                WHERE user = ? AND state = 'pending' AND deferred AND not_before_ms > ?
                """,
            arguments: [user.rawValue, time.milliseconds]
        )
        guard !channels.isEmpty else { return }
        try db.execute(
            sql: """
                UPDATE outbox SET not_before_ms = :time
                WHERE user = :user AND state = 'pending' AND deferred AND reason = 'quiet_hours' AND not_before_ms > :time
                """,
            arguments: ["time": time.milliseconds, "user": user.rawValue]
        )
        for channel in channels { try wake(channel, at: time) }
    }

    /// Records an attempt for later inquiries about an entry; attempts from before a replay are kept.
    public func noteAttempt(
        _ entry: OutboxEntry,
        outcome: String,
        status: Int?,
        at time: Timestamp,
        tookMs: Int64
    ) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO attempts (entry, number, at_ms, outcome, status, took_ms) VALUES (:entry,
                (SELECT ifnull(max(number), 0) + 1 FROM attempts WHERE entry = :entry), :at, :outcome, :status, :took)
                """
        )
        .execute(arguments: [
            "entry": entry.number, "at": time.milliseconds, "outcome": outcome, "status": status, "took": tookMs,
        ])
    }
}

/// One attempt to deliver an entry.
public struct AttemptRow: Hashable, Sendable {
    /// The number of the attempt within its entry.
    public let number: Int
    /// When it began.
    public let at: Timestamp
    /// The outcome, in one word.
    public let outcome: String
    /// The status of the response.
    public let status: Int?
    /// Its duration in milliseconds.
    public let tookMs: Int64
}

extension StoreReader {
    /// Returns entries for an operator, newest first: only those in `state`, of `channel` and with numbers below
    /// `number`, where given.
    public func outbox(
        state: OutboxEntry.State?,
        channel: String? = nil,
        before number: Int64? = nil,
        limit: Int
    ) throws -> [OutboxEntry] {
        var sql = "SELECT * FROM outbox WHERE true"
        var arguments: StatementArguments = []
        if let state {
            sql += " AND state = ?"
            arguments += [state.rawValue]
        }
        if let channel {
            sql += " AND channel = ?"
            arguments += [channel]
        }
        if let number {
            sql += " AND number < ?"
            arguments += [number]
        }
        sql += " ORDER BY number DESC LIMIT ?"
        arguments += [limit]
        return try Row.fetchAll(db, sql: sql, arguments: arguments).compactMap(OutboxEntry.init)
    }

    /// Returns the numbers of all entries given up, for one channel if given, in ascending order.
    public func deadLetters(of channel: String?) throws -> [Int64] {
        let sql = "SELECT number FROM outbox WHERE state = 'dead' AND channel = ifnull(?, channel) ORDER BY number"
        return try Int64.fetchAll(db, sql: sql, arguments: [channel])
    }

    /// Returns an entry, or `nil`.
    public func outboxEntry(_ number: Int64) throws -> OutboxEntry? {
        try Row.fetchOne(db, sql: "SELECT * FROM outbox WHERE number = ?", arguments: [number])
            .flatMap(OutboxEntry.init)
    }

    /// Returns the attempts of an entry, in ascending order.
    public func attempts(of number: Int64) throws -> [AttemptRow] {
        try Row.fetchAll(db, sql: "SELECT * FROM attempts WHERE entry = ? ORDER BY number", arguments: [number])
            .map { row in
                AttemptRow(
                    number: row["number"],
                    at: Timestamp(milliseconds: row["at_ms"]),
                    outcome: row["outcome"],
                    status: row["status"],
                    tookMs: row["took_ms"]
                )
            }
    }

    /// Returns the number of entries in each state.
    public func outboxCounts() throws -> [OutboxEntry.State: Int] {
        try Row.fetchAll(db, sql: "SELECT state, count(*) AS number FROM outbox GROUP BY state")
            .reduce(into: [:]) { counts, row in
                if let state = OutboxEntry.State(rawValue: row["state"]) { counts[state] = row["number"] }
            }
    }

    /// Returns all users who want digests, with their settings, sorted by id.
    public func digestSettings() throws -> [(user: UserID, settings: NotificationSettings)] {
        try String.fetchAll(
            db,
            sql: """
                SELECT user FROM notification_settings
                WHERE json_extract(options, '$.digest.every') IN ('weekly', 'monthly') ORDER BY user
                """
        )
        .compactMap { UserID($0) }.map { ($0, try notificationSettings(of: $0)) }
    }

    /// Returns whether a digest's window is claimed.
    public func isDigestClaimed(of user: UserID, window: String) throws -> Bool {
        try Int.fetchOne(
            db,
            sql: "SELECT 1 FROM digests WHERE user = ? AND window = ?",
            arguments: [user.rawValue, window]
        ) != nil
    }
}

extension StoreTransaction {
    /// Restarts a given-up entry from the first attempt; returns whether it exists.
    public func replay(_ number: Int64, at time: Timestamp) throws -> Bool {
        try db.execute(
            sql: """
                UPDATE outbox SET state = 'pending', reason = NULL, attempts = 0, not_before_ms = ?, expires_ms = NULL,
                ended_ms = NULL WHERE number = ? AND state = 'dead'
                """,
            arguments: [time.milliseconds, number]
        )
        guard db.changesCount == 1, let entry = try outboxEntry(number) else { return false }
        try wake(entry.channel, at: time)
        return true
    }

    /// Removes, with their attempts, the entries sent or cancelled before `time` and those given up before `dead`.
    ///
    /// Also removes channels for a single message that have no entry left, and claims of digests from before `dead`.
    public func dropOutbox(endedBefore time: Timestamp, dead: Timestamp) throws {
        try db.execute(
            sql: "DELETE FROM outbox WHERE state IN ('done', 'cancelled') AND ended_ms < ?",
            arguments: [time.milliseconds]
        )
        try db.execute(
            sql: "DELETE FROM outbox WHERE state = 'dead' AND ended_ms < ?",
            arguments: [dead.milliseconds]
        )
        try db.execute(
            sql: "DELETE FROM channels WHERE state = 'single' AND id NOT IN (SELECT channel FROM outbox)"
        )
        try db.execute(sql: "DELETE FROM digests WHERE at_ms < ?", arguments: [dead.milliseconds])
    }

    /// Claims a digest's window for a user; returns whether it was still unclaimed.
    public func claimDigest(of user: UserID, window: String, at time: Timestamp) throws -> Bool {
        try db.execute(
            sql: "INSERT OR IGNORE INTO digests (user, window, at_ms) VALUES (?, ?, ?)",
            arguments: [user.rawValue, window, time.milliseconds]
        )
        return db.changesCount == 1
    }
}
