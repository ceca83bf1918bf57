import Foundation
import GRDB
public import Stories

/// The clock readings and the confirmed time that the service last stored.
public struct ClockMark: Hashable, Sendable {
    /// The boot of the machine that ``running`` belongs to, or `nil` if the system does not provide it.
    public var boot: String?
    /// The monotonic clock, in milliseconds.
    public var running: Int64
    /// The time, milliseconds since 1970.
    public var time: Int64
    /// The confirmed time, milliseconds since 1970.
    public var confirmed: Int64
    /// How long the service has run at a time later than the confirmed one, in milliseconds.
    public var lived: Int64

    /// Creates a mark.
    public init(boot: String?, running: Int64, time: Int64, confirmed: Int64, lived: Int64) {
        self.boot = boot
        self.running = running
        self.time = time
        self.confirmed = confirmed
        self.lived = lived
    }
}

extension StoreReader {
    /// Returns the clock readings and the confirmed time that the service last stored; `nil` before the first time.
    public func clockMark() throws -> ClockMark? {
        try Row.fetchOne(db, sql: "SELECT * FROM clock")
            .map { row in
                ClockMark(
                    boot: row["boot"],
                    running: row["running_ms"],
                    time: row["time_ms"],
                    confirmed: row["confirmed_ms"],
                    lived: row["lived_ms"]
                )
            }
    }

    /// Returns the number of stories.
    public func storyCount() throws -> Int { try Int.fetchOne(db, sql: "SELECT count(*) FROM stories") ?? 0 }

    /// Returns the newest time of any change, as far as known without reading every row; `nil` if there was none.
    public func newestChange() throws -> Timestamp? {
        let deleted = try Int64.fetchOne(db, sql: "SELECT max(deleted_ms) FROM sealed_stories") ?? 0
        let newest = max(try latestStamp() / 1_000_000, deleted)
        return newest > 0 ? Timestamp(milliseconds: newest) : nil
    }

    /// Returns the evaluator's states with a scheduled wake-up, sorted by user and device.
    public func waitingStates() throws -> [(user: UserID, device: String, state: [UInt8])] {
        try Row.fetchAll(
            db,
            sql:
                "SELECT user, device, state FROM evaluator_states WHERE next_timer_ms IS NOT NULL ORDER BY user, device"
        )
        .compactMap { row in
            UserID(row["user"] as String).map { ($0, row["device"], [UInt8](row["state"] as Data)) }
        }
    }
}

extension StoreTransaction {
    /// Stores the clock readings and the confirmed time.
    public func save(_ mark: ClockMark) throws {
        try db.execute(
            sql: """
                INSERT OR REPLACE INTO clock (id, boot, running_ms, time_ms, confirmed_ms, lived_ms)
                VALUES (1, ?, ?, ?, ?, ?)
                """,
            arguments: [mark.boot, mark.running, mark.time, mark.confirmed, mark.lived]
        )
    }

    /// Shifts all due times by the number of milliseconds that the clock moved, so that remaining waits are unchanged.
    ///
    /// `now` is the new time. Entries that wait for quiet hours depend on the time of day and are decided again. Send
    /// times later than `now` are set to `now`, so that they do not count towards hourly limits for too long.
    public func moveDueTimes(by shift: Int64, now: Timestamp) throws {
        try db.execute(
            sql: """
                UPDATE outbox SET not_before_ms = iif(deferred AND reason = 'quiet_hours', :now, not_before_ms + :shift),
                expires_ms = expires_ms + :shift, lease_ms = lease_ms + :shift WHERE state = 'pending';
                """,
            arguments: ["shift": shift, "now": now.milliseconds]
        )
        try db.execute(
            sql: """
                UPDATE outbox SET ended_ms = :now WHERE state IN ('done', 'dead', 'cancelled') AND ended_ms > :now
                """,
            arguments: ["now": now.milliseconds]
        )
        try db.execute(
            sql: """
                UPDATE channels SET failing_ms = failing_ms + :shift, paused_ms = paused_ms + :shift,
                lease_ms = lease_ms + :shift
                """,
            arguments: ["shift": shift]
        )
        try db.execute(
            sql: """
                UPDATE channels SET due_ms = \(StoreTransaction.dueTime) WHERE due_ms IS NOT NULL
                """
        )
        try db.execute(
            sql: "UPDATE pending_visits SET at_ms = max(0, at_ms + :shift), decided_ms = max(0, decided_ms + :shift)",
            arguments: ["shift": shift]
        )
    }

    /// Replaces the state of a device and its next wake-up; the other columns stay.
    public func replaceState(_ state: [UInt8], of user: UserID, device: String, nextTimer: Timestamp?) throws {
        try db.execute(
            sql: "UPDATE evaluator_states SET state = ?, next_timer_ms = ? WHERE user = ? AND device = ?",
            arguments: [Data(state), nextTimer?.milliseconds, user.rawValue, device]
        )
    }

    /// Sets future last-use times of states to `now`; otherwise these states would be kept for more than a day.
    public func bringBackStates(to now: Timestamp) throws {
        try db.execute(
            sql: "UPDATE evaluator_states SET updated_ms = :now WHERE updated_ms > :now",
            arguments: ["now": now.milliseconds]
        )
    }
}
