import GRDB

extension Schema {
    /// Creates the table of links by which users show a story or a collection to people without an account.
    ///
    /// Of a link's secret only its SHA-256 is stored: it is 256 random bits. Of its use only the last day is stored:
    /// how often and from where a link was opened would tell its owner about the people who hold it. A story that is
    /// deleted and then restored is not shared again, so its links go at once; `story` therefore needs no foreign key.
    static func createShareLinks(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE share_links (
                    id TEXT PRIMARY KEY NOT NULL, digest BLOB NOT NULL,
                    owner TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                    story TEXT, collection TEXT,
                    precision TEXT NOT NULL CHECK (precision IN ('exact', 'approximate', 'hidden')),
                    created_ms BIGINT NOT NULL, expires_ms BIGINT NOT NULL, used_ms BIGINT,
                    CHECK ((story IS NULL) <> (collection IS NULL))) WITHOUT ROWID;
                CREATE INDEX share_links_owner ON share_links (owner);
                CREATE INDEX share_links_end ON share_links (expires_ms);
                CREATE INDEX share_links_story ON share_links (story) WHERE story IS NOT NULL;
                CREATE INDEX share_links_collection ON share_links (collection) WHERE collection IS NOT NULL;
                """
        )
    }
}
