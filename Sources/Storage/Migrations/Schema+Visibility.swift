import GRDB

extension Schema {
    /// Everything that decides who may see a story, beside its id: whoever may not is judged without reading its row.
    static func createVisibility(_ db: Database) throws {
        try db.execute(
            sql: "CREATE INDEX stories_visibility ON stories (id, owner, privacy, auto_private, withheld, family)"
        )
    }
}
