import GRDB

extension StoreReader {
    /// Returns whether there are stories, or deleted ones that are kept sealed.
    package func hasAnyStories() throws -> Bool {
        try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM stories) OR EXISTS (SELECT 1 FROM sealed_stories)")
            ?? false
    }
}
