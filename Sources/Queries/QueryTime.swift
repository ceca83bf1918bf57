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

    /// Returns the days of a `datetime` parameter: an instant, a day, or an interval of two of them, of which one may be
    /// `..` or empty; `nil` for any other text.
    package static func days(_ text: String) -> (first: CalendarDay?, last: CalendarDay?)? {
        let sides = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        func side(_ text: String) -> CalendarDay?? {
            if text == ".." || text.isEmpty { return .some(nil) }
            return (CalendarDay(text) ?? RFC3339.parse(text)?.day).map { .some($0) }
        }
        switch sides.count {
        case 1:
            guard let day = CalendarDay(text) ?? RFC3339.parse(text)?.day else { return nil }
            return (day, day)
        case 2:
            guard let first = side(sides[0]), let last = side(sides[1]), first != nil || last != nil else { return nil }
            if let first, let last, last < first { return nil }
            return (first, last)
        default: return nil
        }
    }
}
