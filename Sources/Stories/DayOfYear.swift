/// A month and a day of any year, as on an anniversary.
public struct DayOfYear: Hashable, Sendable, CustomStringConvertible {
    /// The month, 1...12.
    public let month: Int
    /// The day, 1...31.
    public let day: Int

    /// Creates a day, or `nil` if no year has it; 29 February exists.
    public init?(month: Int, day: Int) {
        // 2000 is a leap year.
        guard CalendarDay(year: 2000, month: month, day: day) != nil else { return nil }
        self.month = month
        self.day = day
    }

    /// Parses `MM-DD`; `nil` for anything else, and for a day that no year has.
    public init?(_ text: some StringProtocol) {
        guard let numbers = DayOfYear.numbers(text) else { return nil }
        self.init(month: numbers.month, day: numbers.day)
    }

    /// Returns whether a text has the form `MM-DD`, even if no year has the day.
    package static func isWellFormed(_ text: some StringProtocol) -> Bool { numbers(text) != nil }

    private static func numbers(_ text: some StringProtocol) -> (month: Int, day: Int)? {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: "-") else { return nil }
        func number(_ index: Int) -> Int? {
            let digits = bytes[index...(index + 1)].map { Int($0) - Int(UInt8(ascii: "0")) }
            return digits.allSatisfy((0...9).contains) ? digits[0] * 10 + digits[1] : nil
        }
        guard let month = number(0), let day = number(3) else { return nil }
        return (month, day)
    }

    /// The day as `MM-DD`.
    public var description: String {
        (month < 10 ? "0" : "") + String(month) + "-" + (day < 10 ? "0" : "") + String(day)
    }

    /// The longest span, in days, each of whose days counts: that of a journey, not of an era.
    public static let longestSpan = 31

    /// Returns whether a story of these days, first to last, happened on this day of some year.
    ///
    /// A date given to the day matches its day. A span matches each of its days if it lasts at most ``longestSpan`` days;
    /// a longer one matches none, because it says when something was, not on which days. Whole months match none either:
    /// so a date is written, and shown, that is known to the month, the year or the decade only. The days alone decide,
    /// so that viewers who see coarser days learn nothing about the exact ones (PRV-09). In a year without 29 February,
    /// no other day stands in for it.
    public func isWithin(first: CalendarDay, last: CalendarDay) -> Bool {
        let length = Int(last.daysSince1970) - Int(first.daysSince1970) + 1
        guard (1...DayOfYear.longestSpan).contains(length) else { return false }
        let (start, end) = (first.components, last.components)
        if start.day == 1, end.day == CalendarDay.length(ofMonth: end.month, year: end.year) { return false }
        // A span this short touches two years at most.
        return [start.year, end.year]
            .contains { year in
                CalendarDay(year: year, month: month, day: day).map { first <= $0 && $0 <= last } ?? false
            }
    }
}
