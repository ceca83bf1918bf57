import Stories

/// Spans of days that words stand for.
enum DateSpan {
    /// The number of years that `ca.` extends to either side; of a month as many months, of a day as many days.
    static let circaYears = 5

    /// Returns all days of some years, or `nil` if they are outside of ``CalendarDay/years``.
    static func years(_ first: Int, _ last: Int) -> ClosedRange<CalendarDay>? {
        guard first <= last, case .days(let days) = ExtendedDate.days(of: first...last) else { return nil }
        return days
    }

    /// Returns the days of some months of a year.
    static func months(_ year: Int, _ first: Int, count: Int) -> ClosedRange<CalendarDay>? {
        guard let start = StoryDate.days(year: year, month: first, day: nil),
            let end = StoryDate.days(year: year, month: first + count - 1, day: nil)
        else { return nil }
        return start.lowerBound...end.upperBound
    }

    /// Returns the years of a decade such as `1920s`.
    ///
    /// `1900s` may mean the decade or the century; the century covers both.
    static func decade(_ year: Int) -> ClosedRange<CalendarDay>? {
        years(year, year + (year.isMultiple(of: 100) ? 99 : 9))
    }

    /// Returns the years of a century, counted from 1.
    static func century(_ number: Int, isBC: Bool) -> ClosedRange<CalendarDay>? {
        guard (1...100).contains(number) else { return nil }
        return isBC ? years(1 - number * 100, 100 - number * 100) : years(number * 100 - 99, number * 100)
    }

    /// Returns a whole year, a whole month or a day extended by ``circaYears`` such units to either side; any other span
    /// is unchanged.
    static func about(_ days: ClosedRange<CalendarDay>) -> ClosedRange<CalendarDay> {
        let (first, last) = (days.lowerBound.components, days.upperBound.components)
        if days.lowerBound == days.upperBound {
            let day = days.lowerBound.daysSince1970
            let (start, end) = (day - Int32(circaYears), day + Int32(circaYears))
            return max(.earliest, CalendarDay(daysSince1970: start))...min(.latest, CalendarDay(daysSince1970: end))
        }
        guard first.year == last.year, first.day == 1,
            last.day == CalendarDay.length(ofMonth: last.month, year: last.year)
        else { return days }
        if first.month == last.month { return monthsAbout(first.year, first.month) ?? days }
        guard first.month == 1, last.month == 12 else { return days }
        return years(first.year - circaYears, last.year + circaYears) ?? days
    }

    /// Returns the days of a month and of ``circaYears`` months on either side.
    private static func monthsAbout(_ year: Int, _ month: Int) -> ClosedRange<CalendarDay>? {
        let (before, after) = (year * 12 + month - 1 - circaYears, year * 12 + month - 1 + circaYears)
        func days(_ count: Int) -> ClosedRange<CalendarDay>? {
            let month = (count % 12 + 12) % 12
            return StoryDate.days(year: (count - month) / 12, month: month + 1, day: nil)
        }
        guard let start = days(before), let end = days(after) else { return nil }
        return start.lowerBound...end.upperBound
    }

    /// Returns all days before a span.
    static func before(_ days: ClosedRange<CalendarDay>) -> ClosedRange<CalendarDay>? {
        guard days.lowerBound > .earliest else { return nil }
        return .earliest...CalendarDay(daysSince1970: days.lowerBound.daysSince1970 - 1)
    }

    /// Returns all days after a span.
    static func after(_ days: ClosedRange<CalendarDay>) -> ClosedRange<CalendarDay>? {
        guard days.upperBound < .latest else { return nil }
        return CalendarDay(daysSince1970: days.upperBound.daysSince1970 + 1)...CalendarDay.latest
    }
}

/// A season, whose dates depend on the hemisphere.
enum Season: Int {
    case spring, summer, autumn, winter

    /// Returns the days that a season of a year may mean where the hemisphere is not known: the year, and for a winter
    /// also the part in the next year.
    func days(in year: Int) -> ClosedRange<CalendarDay>? {
        guard let days = DateSpan.years(year, year) else { return nil }
        return self == .winter ? days.lowerBound...Season.marchEnd(year + 1) : days
    }

    /// Returns the days of a season of a year, as astronomers or meteorologists count them.
    func days(in year: Int, isNorth: Bool) -> ClosedRange<CalendarDay>? {
        let month = [3, 6, 9, 12][isNorth ? rawValue : (rawValue + 2) % 4]
        guard let first = CalendarDay(year: year, month: month, day: 1) else { return nil }
        if month == 12 { return first...Season.marchEnd(year + 1) }
        return CalendarDay(year: year, month: month + 3, day: 23).map { first...$0 }
    }

    /// Returns the days of a winter that begins in one year and ends in the next.
    static func acrossYears(_ year: Int) -> ClosedRange<CalendarDay>? {
        CalendarDay(year: year, month: 12, day: 1).map { $0...marchEnd(year + 1) }
    }

    /// The end of what begins in December.
    private static func marchEnd(_ year: Int) -> CalendarDay {
        CalendarDay(year: year, month: 3, day: 20) ?? .latest
    }
}

/// Times of day, of which only the form matters here.
enum ClockTime {
    /// Returns whether a text is a time with an optional zone: `23:20`, `23:20:30.5Z`, `23:20:30-04`.
    static func isTime(_ text: Substring) -> Bool { length(text) == text.utf8.count }

    /// Returns the length in bytes of the time with which a text begins; 0 if it begins with none.
    static func length(_ text: Substring) -> Int {
        let bytes = Array(text.utf8.prefix(48))
        var at = 0
        func number(_ digits: ClosedRange<Int>, _ limit: Int) -> Bool {
            var (end, value) = (at, 0)
            while end < bytes.count, end - at < digits.upperBound, (0x30...0x39).contains(bytes[end]) {
                value = value * 10 + Int(bytes[end] - 0x30)
                end += 1
            }
            guard digits.contains(end - at), value <= limit else { return false }
            at = end
            return true
        }
        func skip(_ characters: String) -> Bool {
            guard at < bytes.count, characters.utf8.contains(bytes[at]) else { return false }
            at += 1
            return true
        }
        guard number(1...2, 24), skip(":"), number(2...2, 59) else { return 0 }
        if skip(":") {
            guard number(2...2, 60) else { return 0 }
            if skip(".,") { guard number(1...9, .max) else { return 0 } }
        }
        if skip("Zz") { return at }
        let end = at
        if skip("+-") {
            guard number(2...2, 24) else { return end }
            let hours = at
            _ = skip(":")
            if !number(2...2, 59) { at = hours }
        }
        return at
    }
}
