import GRDB
import Geometry
public import Stories

extension StoreReader {
    /// Returns the stories that a matcher finds for a viewer, with their ranks.
    ///
    /// Each story matches independently of all others. Texts of stories that the viewer may not see are not read.
    public func ranks(_ matcher: TextMatcher, viewer: Viewer) throws -> [StoryID: UInt8] {
        let (visible, viewers) = StoreReader.visibility(to: viewer)
        let sql = "SELECT \(StoryRow.searchSelection) FROM stories WHERE \(visible)"
        let rows = try Row.fetchCursor(db, sql: sql, arguments: StatementArguments(viewers))
        var found: [StoryID: UInt8] = [:]
        while let row = try rows.next() {
            let text = try StoryRow.searchableText(row)
            if let rank = matcher.rank(text) { found[text.id] = rank }
        }
        return found
    }

    /// Calls `body` with the searchable text of the next stories in order of their ids, at most `limit` of them.
    ///
    /// Returns the last story's id, to continue after, or `nil` if there are no more stories.
    public func forEachSearchableText(
        after last: StoryID?,
        limit: Int,
        _ body: (SearchableText) throws -> Void
    ) throws -> StoryID? {
        let sql = """
            SELECT \(StoryRow.searchSelection) FROM stories WHERE id > ? AND \(StoreReader.hasAccount)
            ORDER BY id LIMIT ?
            """
        let rows = try Row.fetchCursor(db, sql: sql, arguments: [last?.description ?? "", limit])
        var (count, read) = (0, last)
        while let row = try rows.next() {
            let text = try StoryRow.searchableText(row)
            try body(text)
            (count, read) = (count + 1, text.id)
        }
        return count < limit ? nil : read
    }

    /// Returns the searchable texts of the stories with the given ids; ids without a story are left out.
    public func searchableTexts(_ ids: [StoryID]) throws -> [SearchableText] {
        let sql = "SELECT \(StoryRow.searchSelection) FROM stories WHERE id = ? AND \(StoreReader.hasAccount)"
        let statement = try db.cachedStatement(sql: sql)
        return try ids.compactMap { id in
            try Row.fetchOne(statement, arguments: [id.description]).map(StoryRow.searchableText)
        }
    }
}
