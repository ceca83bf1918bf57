/// The parameters of lists that come in pages.
enum Paging: Sendable {
    private static let limitName = "limit"
    private static let cursorName = "cursor"
    private static let cursorText = "Where the next page begins, from links."

    /// The parameters that say which page of a list is wanted, not which list.
    static let names: Set = [limitName, cursorName]

    /// Where a page begins, as ``CursorCodec`` writes it.
    static let cursor = QueryParameter.optional(cursorName, .text(1...200), cursorText)
    /// Where a page begins, as the time and the id of an item.
    static let position = QueryParameter.optional(cursorName, .text(1...100), cursorText)

    /// Returns the parameter that bounds how much an answer holds.
    static func limit(
        _ range: ClosedRange<Int>,
        default usual: Int,
        _ description: String
    ) -> QueryParameter<Int> {
        QueryParameter(limitName, .integer(range), default: usual, "\(description) \(usual) unless said.")
    }
}
