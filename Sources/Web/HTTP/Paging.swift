/// The parameters of paged lists.
package enum Paging: Sendable {
    private static let limitName = "limit"
    private static let cursorName = "cursor"
    private static let cursorText =
        "The cursor of the page, from the links of the previous page; absent for the first page."

    /// The parameters that select a page of a list, rather than the list.
    package static let names: Set = [limitName, cursorName]

    /// The start of a page, as encoded by ``CursorCodec``.
    package static let cursor = QueryParameter.optional(cursorName, .text(1...200), cursorText)
    /// The start of a page, as the time and id of an item.
    package static let position = QueryParameter.optional(cursorName, .text(1...100), cursorText)

    /// Returns the parameter that limits the number of items in an answer.
    package static func limit(
        _ range: ClosedRange<Int>,
        default usual: Int,
        _ description: String
    ) -> QueryParameter<Int> {
        QueryParameter(limitName, .integer(range), default: usual, "\(description) (default \(usual)).")
    }
}
