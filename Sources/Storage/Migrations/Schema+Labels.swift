import GRDB

extension Schema {
    /// Creates the table of names users give to others, visible only to themselves.
    ///
    /// `person` need not be a user: the table does not reveal who is one.
    static func createPersonLabels(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE person_labels (
                    user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                    person TEXT NOT NULL, label TEXT NOT NULL,
                    PRIMARY KEY (user, person)) WITHOUT ROWID;
                CREATE INDEX person_labels_person ON person_labels (person);
                """
        )
    }

    /// Adds the column that records whether a user switched a channel off; `state` describes all other reasons.
    static func addChannelSwitches(_ db: Database) throws {
        try db.execute(sql: "ALTER TABLE channels ADD COLUMN switched_off INTEGER NOT NULL DEFAULT 0")
    }

    /// Creates the index for finding expired invitations.
    static func indexInvitationEnds(_ db: Database) throws {
        try db.execute(sql: "CREATE INDEX invitations_ends ON invitations (expires_ms) WHERE state = 'pending'")
    }
}
