import GRDB

extension Schema {
    /// What users call others, for their own eyes alone.
    ///
    /// `person` need not be a user: nothing says who is one.
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

    /// Whether its user switched a channel off; its `state` says what became of it otherwise.
    static func addChannelSwitches(_ db: Database) throws {
        try db.execute(sql: "ALTER TABLE channels ADD COLUMN switched_off INTEGER NOT NULL DEFAULT 0")
    }

    /// The index by which invitations are found whose time has run out.
    static func indexInvitationEnds(_ db: Database) throws {
        try db.execute(sql: "CREATE INDEX invitations_ends ON invitations (expires_ms) WHERE state = 'pending'")
    }
}
