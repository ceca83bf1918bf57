import Foundation
import GRDB
public import Stories

/// What the service knew of the time when it last looked.
public struct ClockMark: Hashable, Sendable {
    /// Which run of the machine ``running`` belongs to, or `nil` where the system does not say.
    public var boot: String?
    /// The clock that cannot jump, in milliseconds.
    public var running: Int64
    /// The time, milliseconds since 1970.
    public var time: Int64
    /// What is certain of it, milliseconds since 1970.
    public var confirmed: Int64
    /// For how many milliseconds the service has lived at a later time than is certain.
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
    /// Returns what the service knew of the time when it last looked; `nil` before it ever did.
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

    /// How many stories there are.
    public func storyCount() throws -> Int { try Int.fetchOne(db, sql: "SELECT count(*) FROM stories") ?? 0 }

    /// The newest time at which anything was changed, as far as the store knows without reading every row; `nil` when
    /// nothing ever was.
    public func newestChange() throws -> Timestamp? {
        let deleted = try Int64.fetchOne(db, sql: "SELECT max(deleted_ms) FROM sealed_stories") ?? 0
        let newest = max(try latestStamp() / 1_000_000, deleted)
        return newest > 0 ? Timestamp(milliseconds: newest) : nil
    }

    /// Returns the evaluator's states that wait for the clock.
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
    /// Stores what the service knows of the time.
    public func save(_ mark: ClockMark) throws {
        try db.execute(
            sql: """
                INSERT OR REPLACE INTO clock (id, boot, running_ms, time_ms, confirmed_ms, lived_ms)
                VALUES (1, ?, ?, ?, ?, ?)
                """,
            arguments: [mark.boot, mark.running, mark.time, mark.confirmed, mark.lived]
        )
    }

    /// Moves everything that waits for an instant by as many milliseconds as the time has moved, so that it waits for
    /// as long as before; `now` is the time from here on.
    ///
    /// What waits for quiet hours to end waits for an hour of the day, and is decided anew. What is noted as sent later
    /// than now was sent now: limits of messages an hour do not count it for longer.
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

    /// Replaces the state of a device, and when it wants to be woken; what else is stored with it stays.
    public func replaceState(_ state: [UInt8], of user: UserID, device: String, nextTimer: Timestamp?) throws {
        try db.execute(
            sql: "UPDATE evaluator_states SET state = ?, next_timer_ms = ? WHERE user = ? AND device = ?",
            arguments: [Data(state), nextTimer?.milliseconds, user.rawValue, device]
        )
    }

    /// Notes states that were last used later than now as used now: else they would be kept for longer than a day.
    public func bringBackStates(to now: Timestamp) throws {
        try db.execute(
            sql: "UPDATE evaluator_states SET updated_ms = :now WHERE updated_ms > :now",
            arguments: ["now": now.milliseconds]
        )
    }
}
