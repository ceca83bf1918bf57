import GRDB

extension Schema {
    /// Creates the table of invitation messages sent within the last day; recipient and sender are keyed digests.
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
