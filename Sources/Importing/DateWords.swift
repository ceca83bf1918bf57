/// A column called "When": its dates are read as the date, and nothing else under it is.
///
/// "After church" and "ask Ana before publishing" stand in such columns too. As the words of a date, they would be shown
/// with the story.
enum DateWords {
    private static let name = "when"

    /// Returns whether a column is such a one, and not chosen by the operator.
    static func isLikely(_ column: String, _ meaning: ColumnPlan.Meaning) -> Bool {
        guard case .field(.date, let rank) = meaning, rank >= 0 else { return false }
        return ImportField.normalized(column) == name
    }

    /// Returns whether a value in such a column is no date and is not read, which the record then reports.
    static func isLeft(_ value: String, under column: String, _ record: inout ImportRecord) -> Bool {
        switch DateReading(value) {
        case .date, .unknown: return false
        case .partial, .outOfRange, .unreadable: break
        }
        record.warn(
            .date,
            "\(column.prefix(40)) is not a date here and is not read; write a date, or call the column date to keep its words"
        )
        return true
    }
}
