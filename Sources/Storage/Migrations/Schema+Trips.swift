import GRDB

extension Schema {
    /// Creates the table of the order in which owners tell the stories of their collections, and the index by which
    /// ended invitations into a family are listed.
    ///
    /// `position` counts from 0. A story without a row follows those with one, by date. The order outlasts the deletion of
    /// a story as long as the story is kept sealed.
    static func createTrips(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE collection_orders (
                    collection TEXT NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
                    story TEXT NOT NULL, position INTEGER NOT NULL,
                    PRIMARY KEY (collection, story)) WITHOUT ROWID;
                CREATE INDEX collection_orders_story ON collection_orders (story);
                CREATE INDEX invitations_family ON invitations (family, created_ms DESC) WHERE family IS NOT NULL;
                """
        )
    }
}
