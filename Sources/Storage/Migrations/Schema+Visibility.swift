import GRDB

extension Schema {
    /// Creates an index of everything that decides who may see a story, so that denials need not read its row.
    static func createVisibility(_ db: Database) throws {
        try db.execute(
            sql: "CREATE INDEX stories_visibility ON stories (id, owner, privacy, auto_private, withheld, family)"
        )
    }
}
