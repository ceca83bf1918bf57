import GRDB
import Geometry
public import Stories

extension StoreReader {
    /// Returns the ids of the stories the viewer may see whose text contains all of `words`, ignoring case.
    ///
    /// Words match anywhere, even inside other words; each story matches independently of all others. Texts of stories
    /// that the viewer may not see are not read; neither are place names of stories whose exact point the viewer does
    /// not get.
    public func storyIDs(containing words: [String], viewer: Viewer) throws -> Set<StoryID> {
        let (visible, viewers) = StoreReader.visibility(to: viewer)
        let (isExact, exactViewers) = StoreReader.exactness(for: viewer)
        func match(_ condition: String) -> String {
            words.isEmpty ? "1" : words.map { _ in condition }.joined(separator: " AND ")
        }
        // CASE makes SQLite read a text only if the condition before it holds; with AND the order would be up to
        // SQLite.
        let (isPlaceExact, placeViewers) = StoreReader.exactness(for: viewer, of: "place.")
        let further = """
            (further_places > 0 AND EXISTS (SELECT 1 FROM story_places AS place WHERE place.story = stories.id
            AND CASE WHEN place.confirmed AND \(isPlaceExact) THEN instr(place.place_text, ?) > 0 ELSE 0 END))
            """
        let sql = """
            SELECT id FROM stories WHERE CASE WHEN \(visible) THEN CASE WHEN \(isExact)
            THEN \(match("(instr(search_text, ?) > 0 OR instr(stories.place_text, ?) > 0 OR \(further))"))
            ELSE \(match("(instr(search_text, ?) > 0 OR \(further))")) END ELSE 0 END
            """
        let words = words.map { $0.lowercased() }
        let arguments =
            viewers + exactViewers + words.flatMap { [$0, $0] + placeViewers + [$0] }
            + words.flatMap { [$0] + placeViewers + [$0] }
        let ids = try String.fetchAll(db, sql: sql, arguments: StatementArguments(arguments))
        return Set(ids.compactMap { StoryID($0) })
    }

    /// The condition under which a visible row gives the viewer its exact point: ``Story/precision(for:)`` in SQL.
    ///
    /// `row` stands before the columns of the point, for those of a further place.
    private static func exactness(
        for viewer: Viewer,
        of row: String = "stories."
    ) -> (sql: String, arguments: [String]) {
        guard let user = viewer.user else { return ("(\(row)floor IS NULL AND \(row)precision = 'exact')", []) }
        let (isFamily, family) = kinship(of: viewer)
        let sql = """
            (owner = ? OR (\(row)floor IS NULL AND (\(row)precision = 'exact'
            OR (\(row)family_sees_exact AND \(isFamily)))))
            """
        return (sql, [user.rawValue] + family)
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
