import GRDB
public import Stories

extension Schema {
    /// Which messages of invitations were sent within the last day; recipient and sender are keyed digests.
    static func createInvitationMessages(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE invitation_messages (recipient TEXT NOT NULL, sender TEXT NOT NULL, at_ms INTEGER NOT NULL);
                CREATE INDEX invitation_messages_recipient ON invitation_messages (recipient, at_ms);
                CREATE INDEX invitation_messages_sender ON invitation_messages (sender, at_ms);
                CREATE INDEX invitation_messages_age ON invitation_messages (at_ms);
                """
        )
    }
}

extension StoreReader {
    /// When messages of invitations went to a recipient since `start`, and by whom, the oldest first.
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

    /// When a sender's messages of invitations went out since `start`, the oldest first.
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
    /// Notes a message of an invitation, and forgets those from before `limit`.
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
