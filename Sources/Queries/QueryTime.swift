import Formats
package import Stories

/// Reads instants, days and intervals as the OGC's interfaces write them.
package enum QueryTime: Sendable {
    private static let millisecondsPerDay: Int64 = 86_400_000

    /// Returns the span of a day such as `2001-12-31`.
    static func day(_ text: String) -> QuerySpan? { CalendarDay(text).map(span) }

    /// Returns the span of an instant such as `2001-12-31T12:00:00Z`.
    static func instant(_ text: String) -> QuerySpan? {
        RFC3339.parse(text).map { QuerySpan(start: $0.milliseconds, end: $0.milliseconds) }
    }

    /// Returns the span of an end of an interval: a day, an instant, or `..` for an open end.
    static func end(_ text: String) -> QuerySpan? {
        text == ".." ? QuerySpan(start: nil, end: nil) : day(text) ?? instant(text)
    }

    /// Returns the milliseconds of a day in UTC.
    package static func span(_ day: CalendarDay) -> QuerySpan {
        let start = Int64(day.daysSince1970) * millisecondsPerDay
        return QuerySpan(start: start, end: start + millisecondsPerDay - 1)
    }

    /// Returns the milliseconds of a date's possible days; its open ends stay open.
    package static func span(_ days: ClosedRange<CalendarDay>) -> QuerySpan {
        QuerySpan(
            start: days.lowerBound == .earliest ? nil : span(days.lowerBound).start,
            end: days.upperBound == .latest ? nil : span(days.upperBound).end
        )
    }

    /// What is wrong with the text of a `datetime` parameter, worded to follow its name.
    package struct Mistake: Error, Hashable, Sendable {
        package let message: String
    }

    /// Returns the days of a `datetime` parameter: an instant, a day, or an interval of two of them, of which one may be
    /// `..` or empty.
    ///
    /// - Throws: ``Mistake`` for any other text.
    package static func days(_ text: String) throws(Mistake) -> (first: CalendarDay?, last: CalendarDay?) {
        let sides = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        switch sides.count {
        case 1:
            let day = try existingDay(text, "must be a day")
            return (day, day)
        case 2:
            let first = try isOpen(sides[0]) ? nil : existingDay(sides[0], "must have .. or a day at its start")
            let last = try isOpen(sides[1]) ? nil : existingDay(sides[1], "must have .. or a day at its end")
            guard first != nil || last != nil else {
                throw Mistake(message: "must have a day or an instant at one end at least, such as 1936-01-01/..")
            }
            if let first, let last, last < first {
                throw Mistake(message: "ends before it starts; give the earlier day or instant first")
            }
            return (first, last)
        default: throw Mistake(message: "must have one slash at most: START/END")
        }
    }

    private static func isOpen(_ side: String) -> Bool { side == ".." || side.isEmpty }

    /// Returns the day of a day or an instant.
    ///
    /// - Throws: ``Mistake``, which begins with `rule`.
    private static func existingDay(_ text: String, _ rule: String) throws(Mistake) -> CalendarDay {
        if let day = CalendarDay(text) ?? RFC3339.parse(text)?.day { return day }
        let forms = "such as 1936-01-31, or an instant such as 1936-01-31T12:00:00Z"
        throw Mistake(message: "\(rule) that exists, \(forms)")
    }
}
