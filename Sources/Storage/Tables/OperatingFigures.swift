import GRDB
public import Stories

/// Figures about the work of a service, for its operator; they name nobody.
public struct OperatingFigures: Hashable, Sendable {
    /// The number of messages in the outbox that wait to be sent.
    public var waiting = 0
    /// When the oldest of them was written; `nil` if none waits.
    public var oldest: Timestamp?
    /// Since when the message that has been due for longest has been due; `nil` if none is due.
    ///
    /// A message that must wait, because of quiet hours or for its next attempt, is not due.
    public var dueSince: Timestamp?
    /// The number of messages that were given up.
    public var dead = 0
    /// The number of channels whose last attempt failed.
    public var failingChannels = 0
    /// The number of channels that were switched off after failures or because of a lost key.
    public var disabledChannels = 0
    /// The number of devices whose positions were evaluated within the last hour.
    public var devicesLastHour = 0
    /// The number of devices whose positions were evaluated within the last day.
    public var devicesLastDay = 0

    /// Creates figures that are all zero.
    public init() {}
}

extension StoreReader {
    /// Returns the figures at an instant; reads the pending messages, the channels and the states of devices.
    public func operatingFigures(at now: Timestamp) throws -> OperatingFigures {
        var figures = OperatingFigures()
        let pending = try Row.fetchOne(
            db,
            sql: """
                SELECT count(*) AS number, min(created_ms) AS oldest,
                    min(CASE WHEN not_before_ms <= ?1 THEN not_before_ms END) AS due
                FROM outbox WHERE state = 'pending'
                """,
            arguments: [now.milliseconds]
        )
        if let pending {
            figures.waiting = pending["number"]
            figures.oldest = (pending["oldest"] as Int64?).map { Timestamp(milliseconds: $0) }
            figures.dueSince = (pending["due"] as Int64?).map { Timestamp(milliseconds: $0) }
        }
        figures.dead = try count("outbox WHERE state = 'dead'")
        figures.failingChannels = try count("channels WHERE failures > 0 AND state = 'active'")
        figures.disabledChannels = try count("channels WHERE state = 'disabled' AND reason IS NOT NULL")
        let devices = "evaluator_states WHERE updated_ms >= ?"
        figures.devicesLastHour = try count(devices, now.milliseconds - 3_600_000)
        figures.devicesLastDay = try count(devices, now.milliseconds - 86_400_000)
        return figures
    }

    private func count(_ rows: String, _ arguments: Int64...) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM \(rows)", arguments: StatementArguments(arguments)) ?? 0
    }
}
