import Stories

/// Dates in the Extended Date/Time Format (EDTF, part of ISO 8601-2).
///
/// Reads levels 0 and 1 whole, and of level 2 the sets, qualified parts, unspecified digits, subdivisions of the year,
/// exponential years and significant digits. Of ISO 8601-1 it also reads `19360503`, `1936-W18-7` and `1936-124`.
enum ExtendedDate {
    /// What a text in the format means.
    enum Reading: Equatable {
        /// The possible days.
        case days(ClosedRange<CalendarDay>)
        /// A date outside of ``CalendarDay/years``.
        case outOfRange
        /// A date of which not even the century is known: `XXXX-12-XX`.
        case undated
    }

    /// Returns the meaning of a text, or `nil` if it is not in the format.
    ///
    /// - Complexity: O(length), with at most 10,000 steps per date that has unspecified digits.
    static func reading(_ text: some StringProtocol) -> Reading? {
        let text = Substring(text)
        guard let first = text.utf8.first, let last = text.utf8.last else { return nil }
        switch (first, last) {
        case (UInt8(ascii: "["), UInt8(ascii: "]")), (UInt8(ascii: "{"), UInt8(ascii: "}")):
            return set(text.dropFirst().dropLast())
        default:
            return text.utf8.contains(UInt8(ascii: "/")) ? interval(text) : date(text)
        }
    }

    /// Returns the days that contain the days of all readings.
    private static func union(_ readings: [Reading]) -> Reading? {
        var days: ClosedRange<CalendarDay>?
        for reading in readings {
            guard case .days(let more) = reading else { return reading }
            let first = min(days?.lowerBound ?? more.lowerBound, more.lowerBound)
            days = first...max(days?.upperBound ?? more.upperBound, more.upperBound)
        }
        return days.map(Reading.days)
    }

    /// Returns the days from a start to an end, `nil` meaning an open one; `nil` if they are in the wrong order.
    private static func span(_ start: Reading?, _ end: Reading?) -> Reading? {
        for side in [start, end] {
            if let side, side == .outOfRange || side == .undated { return side }
        }
        var (first, last) = (CalendarDay.earliest, CalendarDay.latest)
        if case .days(let days) = start { first = days.lowerBound }
        if case .days(let days) = end { last = days.upperBound }
        return first <= last ? .days(first...last) : nil
    }

    /// Reads `1985/2004`, `1985/..`, `../1985`, `1985/` and `/1985`.
    private static func interval(_ text: Substring) -> Reading? {
        let sides = text.split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        let isOpen = sides.map { $0.isEmpty || $0 == ".." }
        guard isOpen != [true, true] else { return nil }
        let (start, end) = (isOpen[0] ? nil : date(sides[0]), isOpen[1] ? nil : date(sides[1]))
        guard isOpen[0] || start != nil, isOpen[1] || end != nil else { return nil }
        return span(start, end)
    }

    /// Reads what stands between the brackets of `[1667,1668,1670..1672]` or `{..1984}`.
    private static func set(_ text: Substring) -> Reading? {
        let items = text.split(separator: ",", omittingEmptySubsequences: false)
        var readings: [Reading] = []
        for (index, item) in items.enumerated() {
            let ends = item.drop { $0 == " " }.split(separator: "..", omittingEmptySubsequences: false)
            switch ends.count {
            case 1:
                guard let single = date(ends[0]) else { return nil }
                readings.append(single)
            case 2:
                let (start, end) = (date(ends[0]), date(ends[1]))
                // Only a whole set is open, at its beginning or its end.
                guard start != nil || (ends[0].isEmpty && index == 0),
                    end != nil || (ends[1].isEmpty && index == items.count - 1),
                    start != nil || end != nil, let range = span(start, end)
                else { return nil }
                readings.append(range)
            default: return nil
            }
        }
        return union(readings)
    }

    /// Reads one date.
    private static func date(_ text: Substring) -> Reading? {
        guard (4...40).contains(text.utf8.count) else { return nil }
        if text.utf8.first == UInt8(ascii: "Y") { return longYear(text.dropFirst(), isPrefixed: true) }
        if text.utf8.contains(UInt8(ascii: "S")) { return longYear(text, isPrefixed: false) }
        if text.utf8.contains(UInt8(ascii: "T")) { return instant(text) }
        if let parts = DatePattern(withoutZeros(text)) { return parts.reading }
        return basic(text).map(Reading.days)
    }

    /// Reads a day with a time, of which only the form is checked: `1985-04-12T23:20:30+04:30`.
    ///
    /// Wikidata writes months and years as such days, with a sign: `-0500-00-00T00:00:00Z`.
    private static func instant(_ text: Substring) -> Reading? {
        let halves = text.split(separator: "T", omittingEmptySubsequences: false)
        guard halves.count == 2, ClockTime.isTime(halves[1]) else { return nil }
        let day = halves[0].first == "+" ? halves[0].dropFirst() : halves[0]
        let known = withoutZeros(day)
        guard day.utf8.count >= 10, let parts = DatePattern(known),
            parts.isPlainDay || known.utf8.count < day.utf8.count
        else { return nil }
        return parts.reading
    }

    /// Returns a day without the zeros that stand for an unknown day, or for an unknown month and day.
    private static func withoutZeros(_ text: Substring) -> Substring {
        guard text.utf8.count >= 10, text.hasSuffix("-00") else { return text }
        return text.dropLast(text.hasSuffix("-00-00") ? 6 : 3)
    }

    /// Reads the year in `Y170000002`, `Y-17E7`, `Y3388E2S3` and `1950S2`.
    private static func longYear(_ text: Substring, isPrefixed: Bool) -> Reading? {
        var rest = Substring(text)
        func number(_ limit: Int) -> Int?? {
            let digits = rest.prefix { $0.isASCIIDigit }
            guard !digits.isEmpty else { return nil }
            rest = rest.dropFirst(digits.count)
            return .some(digits.utf8.count <= limit ? Int(digits) : nil)
        }
        let isNegative = rest.first == "-"
        if isNegative { rest = rest.dropFirst() }
        let digits = rest.prefix { $0.isASCIIDigit }.utf8.count
        guard isPrefixed || digits == 4, let base = number(18) else { return nil }
        var year = base
        if rest.first == "E", isPrefixed {
            rest = rest.dropFirst()
            guard let exponent = number(2) else { return nil }
            year = year.flatMap { base in exponent.flatMap { scaled(base, by: $0) } }
        }
        var precision: Int?
        if rest.first == "S" {
            rest = rest.dropFirst()
            guard let significant = number(4) else { return nil }
            guard let known = significant, known > 0 else { return nil }
            precision = known
        }
        guard rest.isEmpty else { return nil }
        guard let year, year <= 1_000_000 else { return .outOfRange }
        var years = year...year
        if let precision {
            let unknown = max(0, String(year).utf8.count - precision)
            let step = (0..<unknown).reduce(1) { step, _ in step * 10 }
            years = (year - year % step)...(year - year % step + step - 1)
        }
        return days(of: isNegative ? (-years.upperBound)...(-years.lowerBound) : years)
    }

    /// Returns a number times a power of ten, or `nil` if it is too large.
    private static func scaled(_ base: Int, by exponent: Int) -> Int? {
        var result = base
        for _ in 0..<exponent {
            let (product, overflow) = result.multipliedReportingOverflow(by: 10)
            if overflow { return nil }
            result = product
        }
        return result
    }

    /// Returns all days of some years, as far as they are within ``CalendarDay/years``.
    static func days(of years: ClosedRange<Int>) -> Reading {
        guard years.overlaps(CalendarDay.years) else { return .outOfRange }
        let within = years.clamped(to: CalendarDay.years)
        guard let first = CalendarDay(year: within.lowerBound, month: 1, day: 1),
            let last = CalendarDay(year: within.upperBound, month: 12, day: 31)
        else { return .outOfRange }
        return .days(first...last)
    }

    /// Reads `19360503`, `1936-W18`, `1936-W18-7` and `1936-124`.
    private static func basic(_ text: Substring) -> ClosedRange<CalendarDay>? {
        let fields = text.split(separator: "-", omittingEmptySubsequences: false)
        func number(_ text: Substring, digits: Int) -> Int? {
            text.utf8.count == digits ? String(text).wholeNumber : nil
        }
        if fields.count == 1 {
            guard text.utf8.count == 8, let year = number(text.prefix(4), digits: 4), year >= 1000,
                let month = number(text.dropFirst(4).prefix(2), digits: 2),
                let day = number(text.dropFirst(6), digits: 2)
            else { return nil }
            return CalendarDay(year: year, month: month, day: day).map { $0...$0 }
        }
        guard let year = number(fields[0], digits: 4), year > 0 else { return nil }
        if fields.count == 2, let ordinal = number(fields[1], digits: 3), ordinal > 0 {
            guard let first = CalendarDay(year: year, month: 1, day: 1) else { return nil }
            let day = CalendarDay(daysSince1970: first.daysSince1970 + Int32(ordinal) - 1)
            return day.components.year == year ? day...day : nil
        }
        guard fields[1].first == "W", let week = number(fields[1].dropFirst(), digits: 2), (1...53).contains(week),
            let fourth = CalendarDay(year: year, month: 1, day: 4)
        else { return nil }
        // The first week contains 4 January; 1970-01-01 was a Thursday.
        let weekday = (Int(fourth.daysSince1970) % 7 + 10) % 7
        let monday = Int(fourth.daysSince1970) - weekday + (week - 1) * 7
        func day(_ number: Int) -> CalendarDay { CalendarDay(daysSince1970: Int32(monday + number - 1)) }
        guard day(4).components.year == year, day(7) <= .latest else { return nil }
        if fields.count == 2 { return day(1)...day(7) }
        guard fields.count == 3, let number = number(fields[2], digits: 1), (1...7).contains(number) else { return nil }
        return day(number)...day(number)
    }
}
