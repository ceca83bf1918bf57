import GRDB

extension Schema {
    /// Creates the table of program-extracted locations that wait for their owners, and the memory of rejected ones.
    ///
    /// A location that was extracted and published before there were proposals stays published: everyone has received
    /// it, and it is no longer known whether its owner agreed. `location_removed` records that the owner removed a
    /// location; how it was shown stays in `precision`, `cell` and `family_sees_exact`. `rejected_places` holds only
    /// keyed digests.
    static func createProposals(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE stories ADD COLUMN location_removed INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE stories ADD COLUMN location_created_ms BIGINT;
                ALTER TABLE stories ADD COLUMN location_updated_ms BIGINT;
                ALTER TABLE stories ADD COLUMN rejected_places TEXT;
                CREATE TABLE location_proposals (
                    id TEXT PRIMARY KEY NOT NULL,
                    story TEXT NOT NULL REFERENCES stories (id) ON DELETE CASCADE,
                    owner TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                    lat REAL NOT NULL, lon REAL NOT NULL, accuracy REAL, precision TEXT NOT NULL, cell REAL,
                    family_sees_exact INTEGER NOT NULL, place_name TEXT, address TEXT, city TEXT, state TEXT,
                    country TEXT, created_ms BIGINT NOT NULL) WITHOUT ROWID;
                CREATE INDEX location_proposals_owner ON location_proposals (owner, created_ms DESC, id);
                CREATE INDEX location_proposals_story ON location_proposals (story, created_ms);
                """
        )
    }

    /// Adds the columns that mark temporarily private accounts and recognize a repeated creation of a deleted story.
    static func addAccountStates(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE users ADD COLUMN auto_private INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE deleted_stories ADD COLUMN client_digest TEXT;
                """
        )
    }
}
