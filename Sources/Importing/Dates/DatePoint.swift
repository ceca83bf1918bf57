import Stories

/// One year, month, day, season, decade or century as tokens.
enum DatePoint {
    /// Returns the possible days, or `nil` if the tokens are not such a date.
    static func days(_ tokens: [DateToken]) -> ClosedRange<CalendarDay>? {
        let isBC = tokens.contains(.bc)
        let plain = tokens.filter { $0 != .bc && $0 != .ad }
        if plain.count < tokens.count {
            // An era once, with one date.
            guard tokens.count - plain.count == 1 else { return nil }
            if plain.contains(.century) { return century(plain, isBC: isBC) }
            return inEra(plain, isBC: isBC)
        }
        return short(plain) ?? century(plain, isBC: false) ?? season(plain) ?? quarter(plain) ?? numeric(plain)
            ?? dayList(plain) ?? monthAndDays(plain) { digits, value in digits == 4 && value > 0 }
    }

    /// The decade of the latest unfinished number: `209` for the 2090s.
    private static let latestDecade = 209

    /// Reads a year, a decade or the years of an unfinished number.
    private static func short(_ tokens: [DateToken]) -> ClosedRange<CalendarDay>? {
        switch (tokens.first, tokens.dropFirst().first, tokens.count) {
        case (.years(let years), _, 1), (.decade, .years(let years), 2):
            DateSpan.years(years.lowerBound, years.upperBound)
        case (.number(let year, digits: 4), _, 1) where year > 0: DateSpan.years(year, year)
        // `196` means the 1960s. `500` cannot mean the 5000s, so it is not read as a decade.
        case (.number(let decade, digits: 3), _, 1) where decade <= latestDecade:
            DateSpan.years(decade * 10, decade * 10 + 9)
        case (.decade, .number(let year, digits: 4), 2) where year.isMultiple(of: 10): DateSpan.decade(year)
        case (.number(let year, digits: 4), .decade, 2) where year.isMultiple(of: 10): DateSpan.decade(year)
        default: nil
        }
    }

    private static func century(_ tokens: [DateToken], isBC: Bool) -> ClosedRange<CalendarDay>? {
        guard tokens.count == 2 else { return nil }
        switch (tokens[0], tokens[1]) {
        // `19th c.` is a century as well.
        case (.number(let number, digits: 1...2), .century), (.century, .number(let number, digits: 1...2)),
            (.number(let number, digits: 1...2), .circa):
            return DateSpan.century(number, isBC: isBC)
        default: return nil
        }
    }

    /// Reads a date of an era: `44 BC`, `15 March 44 BC`, `AD 79`.
    private static func inEra(_ tokens: [DateToken], isBC: Bool) -> ClosedRange<CalendarDay>? {
        guard case .number(let number, digits: 1...5) = tokens.last ?? .other, number > 0 else { return nil }
        let year = isBC ? 1 - number : number
        if tokens.count == 1 { return DateSpan.years(year, year) }
        return monthAndDays(Array(tokens.dropLast()), year: year)
    }

    /// Reads `summer 1936`, `winter 1935-36`, `spring-summer 1936`.
    private static func season(_ tokens: [DateToken]) -> ClosedRange<CalendarDay>? {
        let parts = tokens.filter { ![.hyphen, .slash, .dash, .and, .comma, .to, .until].contains($0) }
        let seasons = parts.compactMap { if case .season(let season) = $0 { season } else { nil } }
        let numbers = parts.compactMap(number)
        guard !seasons.isEmpty, seasons.count + numbers.count == parts.count, let year = numbers.first,
            year.digits == 4,
            year.value > 0
        else { return nil }
        switch (seasons.count, numbers.count) {
        case (1, 1): return seasons[0].days(in: year.value)
        // A winter at the end lasts into the next year.
        case (2, 1): return seasons[1].days(in: year.value)
        case (1, 2):
            let next = numbers[1]
            guard next.digits == 4 ? next.value == year.value + 1 : next.value == (year.value + 1) % 100 else {
                return nil
            }
            // Only a winter lasts over the turn of the year where the hemisphere is not known.
            return seasons[0] == .winter
                ? Season.acrossYears(year.value) : DateSpan.years(year.value, year.value + 1)
        default: return nil
        }
    }

    /// Reads `q2 1936`, `1936, q2` and `2nd quarter 1936`; with words for its number, the quarter is one of the year.
    private static func quarter(_ tokens: [DateToken]) -> ClosedRange<CalendarDay>? {
        let parts = tokens.filter { ![.hyphen, .slash, .comma].contains($0) }
        let numbers = parts.compactMap(number)
        let years = numbers.filter { $0.digits == 4 && $0.value > 0 }
        guard years.count == 1, let year = years.first?.value, parts.count == numbers.count + 1,
            let index = parts.firstIndex(of: .quarter)
        else { return nil }
        if parts.count == 2 { return DateSpan.years(year, year) }
        // Beside the word or the letter: not `2, 1936, quarter`.
        let beside = parts.indices.filter { abs($0 - index) == 1 }.compactMap { number(parts[$0]) }
        guard parts.count == 3, let quarter = beside.first(where: { $0.digits == 1 })?.value, (1...4).contains(quarter)
        else { return nil }
        return DateSpan.months(year, quarter * 3 - 2, count: 3)
    }

    private static func number(_ token: DateToken) -> (value: Int, digits: Int)? {
        if case .number(let value, let digits) = token { (value, digits) } else { nil }
    }

    /// Reads `1939-1-11`, `1939.1`, `1939-00-00`, `2001:05:03`, `13.5.1911`, and `5/13/1911` with month and day in
    /// either order.
    static func numeric(_ tokens: [DateToken]) -> ClosedRange<CalendarDay>? {
        guard tokens.count == 3 || tokens.count == 5 else { return nil }
        let marks = Set(tokens.indices.filter { !$0.isMultiple(of: 2) }.map { tokens[$0] })
        let fields = tokens.indices.filter { $0.isMultiple(of: 2) }.compactMap { number(tokens[$0]) }
        guard marks.count == 1, let mark = marks.first, [.hyphen, .slash, .dot, .colon].contains(mark),
            fields.count == (tokens.count + 1) / 2
        else { return nil }
        if fields[0].digits == 4 {
            guard fields[0].value > 0, fields.dropFirst().allSatisfy({ $0.digits <= 2 }) else { return nil }
            // Databases write zero for an unknown month or day.
            let month = fields[1].value == 0 ? nil : fields[1].value
            let day = fields.count < 3 || fields[2].value == 0 ? nil : fields[2].value
            guard month != nil || day == nil else { return nil }
            return StoryDate.days(year: fields[0].value, month: month, day: day)
        }
        guard mark != .colon, let year = fields.last, year.digits == 4, year.value > 0,
            fields.dropLast().allSatisfy({ $0.digits <= 2 })
        else { return nil }
        if fields.count == 2 { return StoryDate.days(year: year.value, month: fields[0].value, day: nil) }
        let (first, second) = (fields[0].value, fields[1].value)
        // `00.05.1911`, `00/00/1911`
        if first == 0 || (second == 0 && mark != .dot) {
            let month = max(first, second)
            return StoryDate.days(year: year.value, month: month == 0 ? nil : month, day: nil)
        }
        let dayFirst = StoryDate.days(year: year.value, month: fields[1].value, day: fields[0].value)
        // Dots stand in languages that put the day first.
        if mark == .dot { return dayFirst }
        let monthFirst = StoryDate.days(year: year.value, month: fields[0].value, day: fields[1].value)
        if let dayFirst, let monthFirst, dayFirst != monthFirst { return DateSpan.years(year.value, year.value) }
        return dayFirst ?? monthFirst
    }

    /// Reads `1939-6-19-20` and `1939-5-19, 22, 24`: several days in one month.
    private static func dayList(_ tokens: [DateToken]) -> ClosedRange<CalendarDay>? {
        let numbers = tokens.filter { $0 != .hyphen && $0 != .comma }.compactMap(number)
        let marks = tokens.filter { $0 == .hyphen || $0 == .comma }.count
        guard numbers.count >= 4, numbers.count + marks == tokens.count, numbers[0].digits == 4,
            tokens.dropFirst().first == .hyphen, tokens.dropFirst(3).first == .hyphen
        else { return nil }
        return span(
            numbers.dropFirst(2).map { CalendarDay(year: numbers[0].value, month: numbers[1].value, day: $0.value) }
        )
    }

    /// Returns the first to the last of some days, or `nil` if one does not exist.
    private static func span(_ days: [CalendarDay?]) -> ClosedRange<CalendarDay>? {
        let found = days.compactMap(\.self)
        guard found.count == days.count, let first = found.min(), let last = found.max() else { return nil }
        return first...last
    }

    /// Reads months as words with days and one year, in any order: `may 3, 1911`, `3 may 1911`, `1911 may 3`.
    private static func monthAndDays(
        _ tokens: [DateToken],
        isYear: (_ digits: Int, _ value: Int) -> Bool
    ) -> ClosedRange<CalendarDay>? {
        let years = tokens.indices.filter { index in number(tokens[index]).map { isYear($0.digits, $0.value) } ?? false
        }
        guard let index = years.first, let year = number(tokens[index]) else { return nil }
        let (before, after) = (tokens[..<index], tokens[(index + 1)...])
        if let mark = after.first, [.slash, .hyphen, .dash, .to, .until].contains(mark),
            let next = after.dropFirst().first.flatMap(number)
        {
            let others = Array(before + after.dropFirst(2))
            if mark == .slash, let days = dualDated(others, year.value, next, isLast: after.count == 2) { return days }
            // `May 1911-15`: of the year, not of the month.
            if before.contains(where: { if case .month = $0 { true } else { false } }) { return nil }
        }
        return years.count == 1 ? monthAndDays(Array(before + after), year: year.value) : nil
    }

    /// Reads a day or a month with two years, where the year began in March: `3 February 1699/1700`, `1699/00 Feb. 3`.
    ///
    /// The later year is the one that begins in January, and editors of such texts take it for the date; as a span, the two
    /// would be a year too long. England counted so until 1752, and Venice until 1797.
    private static func dualDated(
        _ tokens: [DateToken],
        _ year: Int,
        _ next: (value: Int, digits: Int),
        isLast: Bool
    ) -> ClosedRange<CalendarDay>? {
        let moduli = [1: 10, 2: 100, 4: 10_000]
        guard year < 1800, let modulus = moduli[next.digits], next.value == (year + 1) % modulus,
            let days = monthAndDays(tokens, year: year + 1)
        else { return nil }
        let isBeforeNewYear = days.upperBound.components.month <= 3
        return isBeforeNewYear || (isLast && next.digits == 2) ? days : nil
    }

    private static func monthAndDays(_ tokens: [DateToken], year: Int) -> ClosedRange<CalendarDay>? {
        var (months, days) = ([Int](), [Int]())
        for token in tokens {
            switch token {
            case .month(let month): months.append(month)
            case .number(let day, digits: 1...2): days.append(day)
            case .comma, .slash, .hyphen, .dash, .dot, .to, .and, .until: continue
            default: return nil
            }
        }
        guard let first = months.first else { return nil }
        switch (months.count, days.count) {
        case (1, 0): return StoryDate.days(year: year, month: first, day: nil)
        case (1, _):
            return days == days.sorted() ? span(days.map { CalendarDay(year: year, month: first, day: $0) }) : nil
        case (_, 0):
            guard months == months.sorted(), let last = months.last else { return nil }
            return DateSpan.months(year, first, count: last - first + 1)
        case (2, 2):
            guard let start = CalendarDay(year: year, month: first, day: days[0]),
                let end = CalendarDay(year: year, month: months[1], day: days[1]), start <= end
            else { return nil }
            return start...end
        default: return nil
        }
    }
}
