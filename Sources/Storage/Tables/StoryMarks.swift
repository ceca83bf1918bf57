import GRDB
public import Stories

/// A user's own marks on the stories that they may see, by story.
public struct StoryMarks: Hashable, Sendable {
    /// Their favourites.
    public let favourites: [StoryID]
    /// The stories that they hid from their own views.
    public let hidden: [StoryID]
    /// The stories that they viewed last, at most ``viewedCount``.
    public let viewed: [StoryID]

    /// The maximum number of viewed stories that are read.
    public static let viewedCount = 10_000
}

extension StoreReader {
    /// Returns a user's marks on the stories that they may see; those on others are left out, as if they were not there.
    public func marks(of user: UserID, as viewer: Viewer) throws -> StoryMarks {
        StoryMarks(
            favourites: try marked("favourites", by: user, as: viewer),
            hidden: try marked("hides", "AND until_ms IS NULL", by: user, as: viewer),
            viewed: try marked("viewed_stories", by: user, as: viewer, newest: StoryMarks.viewedCount)
        )
    }

    /// Returns the visible stories with a row of the user in a table of marks, by id.
    ///
    /// What may not be seen is left out before anything is counted: it must not push anything else out of the list.
    private func marked(
        _ table: String,
        _ condition: String = "",
        by user: UserID,
        as viewer: Viewer,
        newest limit: Int = -1
    ) throws -> [StoryID] {
        let (visible, arguments) = StoreReader.visibility(to: viewer)
        let statement = try db.cachedStatement(
            sql: """
                SELECT story FROM \(table) WHERE user = ? \(condition) AND story IN (
                    SELECT id FROM stories INDEXED BY stories_visibility
                    WHERE id IN (SELECT story FROM \(table) WHERE user = ?) AND \(visible)
                ) ORDER BY at_ms DESC, story LIMIT \(limit)
                """
        )
        let all = [user.rawValue, user.rawValue] + arguments
        return try String.fetchAll(statement, arguments: StatementArguments(all)).compactMap { StoryID($0) }.sorted()
    }
}
