import GRDB
public import Stories

extension StoreReader {
    /// Returns when invitation messages were sent to a recipient since `start`, and by whom, oldest first.
    public func invitationMessages(
        to recipient: String,
        since start: Timestamp
    ) throws -> [(sender: String, at: Timestamp)] {
        try Row.fetchAll(
            db,
            sql: "SELECT sender, at_ms FROM invitation_messages WHERE recipient = ? AND at_ms > ? ORDER BY at_ms",
            arguments: [recipient, start.milliseconds]
        )
        .map { ($0["sender"], Timestamp(milliseconds: $0["at_ms"])) }
    }

    /// Returns when a sender's invitation messages were sent since `start`, oldest first.
    public func invitationMessages(from sender: String, since start: Timestamp) throws -> [Timestamp] {
        try Int64.fetchAll(
            db,
            sql: "SELECT at_ms FROM invitation_messages WHERE sender = ? AND at_ms > ? ORDER BY at_ms",
            arguments: [sender, start.milliseconds]
        )
        .map(Timestamp.init)
    }
}

extension StoreTransaction {
    /// Records an invitation message, and removes those from before `limit`.
    public func noteInvitationMessage(
        to recipient: String,
        from sender: String,
        at time: Timestamp,
        forgettingBefore limit: Timestamp
    ) throws {
        try db.execute(sql: "DELETE FROM invitation_messages WHERE at_ms <= ?", arguments: [limit.milliseconds])
        try db.execute(
            sql: "INSERT INTO invitation_messages (recipient, sender, at_ms) VALUES (?, ?, ?)",
            arguments: [recipient, sender, time.milliseconds]
        )
    }
}
