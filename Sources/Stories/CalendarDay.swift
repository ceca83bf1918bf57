/// A day of the proleptic Gregorian calendar, as the number of days since 1970-01-01.
public struct CalendarDay: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number of days since 1970-01-01; negative before that day.
    public let daysSince1970: Int32

    /// Creates a day from its number.
    public init(daysSince1970: Int32) {
        self.daysSince1970 = daysSince1970
    }

    /// The years in which days exist, counted like astronomers do: 0 is 1 BC, -1 is 2 BC.
    public static let years = -9999...9999
    /// The first day of ``years``; as the first day of a date it means that its beginning is open.
    public static let earliest = CalendarDay(daysSince1970: -4_371_587)
    /// The last day of ``years``; as the last day of a date it means that its end is open.
    public static let latest = CalendarDay(daysSince1970: 2_932_896)

    /// Creates a day, or `nil` if it does not exist or the year is outside ``years``.
    public init?(year: Int, month: Int, day: Int) {
        guard CalendarDay.years.contains(year), (1...12).contains(month) else { return nil }
        guard day >= 1, day <= CalendarDay.length(ofMonth: month, year: year) else { return nil }
        // The algorithm "days from civil", which counts in eras of 400 years that begin in March (H. Hinnant,
        // "chrono-Compatible Low-Level Date Algorithms").
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        daysSince1970 = Int32(era * 146_097 + dayOfEra - 719_468)
    }

    /// Returns the number of days in a month of a year.
    public static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The year, month (1...12) and day (1...31).
    public var components: (year: Int, month: Int, day: Int) {
        let days = Int(daysSince1970) + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    /// Parses the ``description`` of a day: `YYYY-MM-DD`, with a minus sign before a negative year.
    package init?(_ text: String) {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let fields = text.dropFirst(isNegative ? 1 : 0).utf8.split(separator: UInt8(ascii: "-"))
        guard fields.map(\.count) == [4, 2, 2], text.utf8.count == (isNegative ? 11 : 10) else { return nil }
        var numbers: [Int] = []
        for field in fields {
            guard field.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
            numbers.append(field.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) })
        }
        self.init(year: isNegative ? -numbers[0] : numbers[0], month: numbers[1], day: numbers[2])
    }

    /// The day as `YYYY-MM-DD`, with a minus sign before a negative year.
    public var description: String {
        let (year, month, day) = components
        return CalendarDay.padded(year, 4) + "-" + CalendarDay.padded(month, 2) + "-" + CalendarDay.padded(day, 2)
    }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let text = String(value.magnitude)
        return (value < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }

    /// Orders days by time.
    public static func < (a: CalendarDay, b: CalendarDay) -> Bool { a.daysSince1970 < b.daysSince1970 }
}

/// The date of a story: the words in which it was given, with the days that they may mean.
public struct StoryDate: Hashable, Sendable {
    /// The text as given, at most ``StoryLimits/dateLength`` characters.
    public let text: String
    /// The possible days, or `nil` if the text is not understood or states that the date is unknown.
    ///
    /// An open beginning is ``CalendarDay/earliest`` and an open end ``CalendarDay/latest``.
    public let days: ClosedRange<CalendarDay>?

    /// The first possible day, or `nil` if the text is not understood.
    public var first: CalendarDay? { days?.lowerBound }
    /// The last possible day, or `nil` if the text is not understood.
    public var last: CalendarDay? { days?.upperBound }

    /// Creates a date from days parsed from `text` elsewhere, or `nil` if they are in the wrong order or the text is
    /// too long.
    public init?(text: String, first: CalendarDay, last: CalendarDay) {
        guard first <= last, StoryLimits.fits(text, characters: StoryLimits.dateLength) else { return nil }
        self.text = text
        days = first...last
    }

    /// Creates a date from words that are not understood, or `nil` if there are none or too many.
    public init?(words text: String) {
        guard !text.isEmpty, StoryLimits.fits(text, characters: StoryLimits.dateLength) else { return nil }
        self.text = text
        days = nil
    }

    /// Creates a date without validation: `first` must not be after `last`, and `text` must be short and describe
    /// exactly these days.
    init(shown text: String, first: CalendarDay, last: CalendarDay) {
        self.text = text
        days = first...last
    }

    /// Parses `YYYY`, `YYYY-MM`, `YYYY-MM-DD`, or `A/B` for a span; `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        let sides = text.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...2).contains(sides.count), let start = StoryDate.days(sides[0]) else { return nil }
        guard let end = sides.count == 2 ? StoryDate.days(sides[1]) : start else { return nil }
        self.init(text: String(text), first: start.lowerBound, last: end.upperBound)
    }

    /// Whether the date was read as a season, as EDTF says, where its text, such as `2001-21`, may also mean years: 2001 to
    /// 2021.
    public var mayMeanYears: Bool {
        guard let days, days.upperBound.daysSince1970 - days.lowerBound.daysSince1970 < 366 else { return false }
        let fields = text.split(separator: "-", omittingEmptySubsequences: false)
        guard fields.count == 2, fields[0].utf8.count == 4, fields[1].utf8.count == 2, let year = Int(fields[0]),
            let second = Int(fields[1]), year > 0
        else { return false }
        return (21...41).contains(second) && second > year % 100
    }

    /// The error for a well-formed date that does not exist.
    package static let noSuchDay = "names a date that does not exist in the calendar"

    /// Returns whether a text has the form `YYYY`, `YYYY-MM` or `YYYY-MM-DD`, even if the day does not exist.
    package static func isWellFormed(_ text: some StringProtocol) -> Bool { numbers(String(text)) != nil }

    /// Returns the days of `YYYY`, `YYYY-MM` or `YYYY-MM-DD`, or `nil` for anything else.
    public static func days(_ text: some StringProtocol) -> ClosedRange<CalendarDay>? {
        // The year 0000 means an unknown year far more often than 1 BC.
        guard let numbers = numbers(String(text)), numbers.year > 0 else { return nil }
        return days(year: numbers.year, month: numbers.month, day: numbers.day)
    }

    /// Returns the year, and the month and day if given, of a text of the form `YYYY`, `YYYY-MM` or `YYYY-MM-DD`; `nil`
    /// for anything else.
    ///
    /// Every row of every list may have three dates, so this reads bytes and allocates no strings.
    private static func numbers(_ text: String) -> (year: Int, month: Int?, day: Int?)? {
        var (year, month): (Int?, Int?) = (nil, nil)
        var (value, digits) = (0, 0)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits += 1
                guard digits <= 4 else { return nil }
                value = value * 10 + Int(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "-"):
                guard month == nil, digits == (year == nil ? 4 : 2) else { return nil }
                if year == nil { year = value } else { month = value }
                (value, digits) = (0, 0)
            default:
                return nil
            }
        }
        guard digits == (year == nil ? 4 : 2) else { return nil }
        guard let year else { return (value, nil, nil) }
        guard let month else { return (year, value, nil) }
        return (year, month, value)
    }

    /// Returns the days of a year or a month, or one day; `nil` if they do not exist.
    public static func days(year: Int, month: Int?, day: Int?) -> ClosedRange<CalendarDay>? {
        let lastMonth = month ?? 12
        guard (1...12).contains(lastMonth) else { return nil }
        guard let first = CalendarDay(year: year, month: month ?? 1, day: day ?? 1) else { return nil }
        let length = CalendarDay.length(ofMonth: lastMonth, year: year)
        guard let last = CalendarDay(year: year, month: lastMonth, day: day ?? length) else { return nil }
        return first...last
    }
}

/// An instant in UTC, in milliseconds since 1970.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public let milliseconds: Int64

    /// Creates an instant.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The calendar day in UTC, or `nil` outside the years 1...9999.
    public var day: CalendarDay? {
        let days = milliseconds >= 0 ? milliseconds / 86_400_000 : -((-(milliseconds + 1)) / 86_400_000) - 1
        return (-719_162...2_932_896).contains(days) ? CalendarDay(daysSince1970: Int32(days)) : nil
    }

    /// Returns the instant `span` milliseconds later, clamped to the range of `Int64`.
    public func advanced(byMilliseconds span: Int64) -> Timestamp {
        let (sum, overflow) = milliseconds.addingReportingOverflow(span)
        return Timestamp(milliseconds: overflow ? (span > 0 ? .max : .min) : sum)
    }

    /// Orders instants by time.
    public static func < (a: Timestamp, b: Timestamp) -> Bool { a.milliseconds < b.milliseconds }
}
