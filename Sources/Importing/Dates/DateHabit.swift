import Stories

/// How a column writes `2001-21`, which is spring 2001 in EDTF and elsewhere the years 2001 to 2021.
///
/// The other rows of the column decide: `1914-18` can only be years, `2001-23?` beside `19XX` only EDTF.
package struct DateHabit: Sendable {
    private var spans = 0
    private var extended = 0

    package init() {}

    /// What the rows noted so far suggest; a season, as EDTF says, if they suggest nothing.
    package var secondNumber: DateReading.SecondNumber { spans > extended ? .year : .season }

    /// Notes the date of a row, and returns whether it can mean either.
    ///
    /// - Complexity: O(length)
    package mutating func note(_ text: String) -> Bool {
        guard let (year, second) = DateHabit.numbers(text) else {
            let isExtended = text.utf8.contains { mark in "?~%X.".utf8.contains(mark) }
            if isExtended, ExtendedDate.reading(text) != nil { extended += 1 }
            return false
        }
        if second <= 12 { return false }
        let canBeSeason = (21...41).contains(second)
        let canBeYear = second > year % 100
        if canBeSeason && canBeYear { return true }
        if canBeYear { spans += 1 } else if canBeSeason { extended += 1 }
        return false
    }

    /// Returns the years that a text such as `2001-21` spans, or `nil` if it has another form or cannot span years.
    static func years(_ text: String) -> ClosedRange<CalendarDay>? {
        guard let (year, second) = numbers(text), second >= 21, second > year % 100 else { return nil }
        return DateSpan.years(year, year - year % 100 + second)
    }

    /// Returns the numbers of `NNNN-NN`.
    private static func numbers(_ text: String) -> (year: Int, second: Int)? {
        guard text.utf8.count == 7 else { return nil }
        let fields = text.split(separator: "-", omittingEmptySubsequences: false)
        guard fields.count == 2, fields[0].utf8.count == 4, let year = String(fields[0]).wholeNumber,
            let second = String(fields[1]).wholeNumber, year > 0
        else { return nil }
        return (year, second)
    }
}
