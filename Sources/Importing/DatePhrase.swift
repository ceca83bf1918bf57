import Stories

/// One date of a list, in lower case: `ca. 1920`, `may 3, 1911`, `1900-1905`.
struct DatePhrase {
    /// The possible days, or `nil` if the date cannot be parsed.
    let days: ClosedRange<CalendarDay>?

    /// The number of years that `ca.` extends to either side.
    static let circaYears = 5

    init(_ text: String) {
        let (core, isCirca) = DatePhrase.unqualified(text)
        guard let range = DatePhrase.range(core) else {
            days = nil
            return
        }
        days = isCirca ? DatePhrase.widened(range) : range
    }

    /// Returns the text without qualifiers and question marks, and whether a qualifier means "about".
    private static func unqualified(_ text: String) -> (core: String, isCirca: Bool) {
        var core = Substring(text)
        var isCirca = false
        let about = [
            "circa", "ca.", "ca ", "c. ", "c.", "about ", "abt. ", "abt ", "approximately ", "approx. ", "around ", "~",
        ]
        let doubt = ["probably ", "possibly ", "perhaps ", "prob. ", "early ", "mid-", "mid ", "late "]
        var isChanging = true
        while isChanging {
            isChanging = false
            for word in about where core.hasPrefix(word) {
                core = core.dropFirst(word.count)
                (isCirca, isChanging) = (true, true)
            }
            for word in doubt where core.hasPrefix(word) {
                core = core.dropFirst(word.count)
                isChanging = true
            }
            core = core.drop { $0 == " " }
        }
        if core.first == "c", core.dropFirst().first?.isASCIIDigit == true {
            core = core.dropFirst()
            isCirca = true
        }
        while let last = core.last, last == "?" || last == "~" || last == " " || last == "." || last == "," {
            isCirca = isCirca || last == "~"
            core = core.dropLast()
        }
        return (String(core), isCirca)
    }

    /// Returns a whole year extended by ``circaYears`` to either side; any other span is unchanged.
    private static func widened(_ range: ClosedRange<CalendarDay>) -> ClosedRange<CalendarDay> {
        let (first, last) = (range.lowerBound.components, range.upperBound.components)
        guard first.month == 1, first.day == 1, last.month == 12, last.day == 31, first.year == last.year else {
            return range
        }
        guard let start = CalendarDay(year: max(1, first.year - circaYears), month: 1, day: 1),
            let end = CalendarDay(year: min(9999, last.year + circaYears), month: 12, day: 31)
        else { return range }
        return start...end
    }

    private static func range(_ text: String) -> ClosedRange<CalendarDay>? {
        if let single = single(text) { return single }
        for mark in [" to ", " until ", " - ", "/", "-"] {
            let sides = text.split(separator: mark, omittingEmptySubsequences: false)
            guard sides.count == 2, let start = single(String(sides[0]).trimmed) else { continue }
            let end = String(sides[1]).trimmed
            guard let last = single(end) ?? shortYear(end, after: start), start.lowerBound <= last.upperBound else {
                continue
            }
            return start.lowerBound...last.upperBound
        }
        return dayList(text)
    }

    /// Parses the `18` in `1914-18`.
    private static func shortYear(_ text: String, after start: ClosedRange<CalendarDay>) -> ClosedRange<CalendarDay>? {
        guard text.utf8.count == 2, let number = text.wholeNumber else { return nil }
        let year = start.lowerBound.components.year
        guard number > year % 100 else { return nil }
        return StoryDate.days(year: year - year % 100 + number, month: nil, day: nil)
    }

    /// Parses `1939-6-19-20` and `1939-5-19, 22, 24`: several days in one month.
    private static func dayList(_ text: String) -> ClosedRange<CalendarDay>? {
        let fields = text.split { $0 == "-" || $0 == "," || $0 == " " }
        guard fields.count >= 4, text.split(separator: "-").count >= 3, fields[0].utf8.count == 4 else { return nil }
        let numbers = fields.compactMap { String($0).wholeNumber }
        guard numbers.count == fields.count else { return nil }
        var days: [CalendarDay] = []
        for number in numbers.dropFirst(2) {
            guard let day = CalendarDay(year: numbers[0], month: numbers[1], day: number) else { return nil }
            days.append(day)
        }
        guard let first = days.min(), let last = days.max() else { return nil }
        return first...last
    }

    /// Parses one year, month, day, decade or century.
    private static func single(_ text: String) -> ClosedRange<CalendarDay>? {
        StoryDate.days(text) ?? vagueYear(text) ?? numeric(text) ?? MonthPhrase.days(text) ?? instant(text)
    }

    /// Parses `1920s`, `192-`, `19--`, `1929--`, `19th century`.
    private static func vagueYear(_ text: String) -> ClosedRange<CalendarDay>? {
        let digits = text.prefix { $0.isASCIIDigit }
        guard let number = String(digits).wholeNumber else { return nil }
        let rest = text.dropFirst(digits.count)
        switch (digits.count, rest) {
        case (4, "s"), (4, "'s"), (4, "\u{2019}s"):
            // 1900s may mean the decade or the century; the century covers both.
            return years(number, number + (number.isMultiple(of: 100) ? 99 : 9))
        case (4, "-"), (4, "--"): return years(number, number)
        case (3, "-"), (3, "--"), (3, "x"), (3, "u"), (3, "-?"), (3, ""): return years(number * 10, number * 10 + 9)
        case (2, "--"), (2, "xx"), (2, "uu"): return years(number * 100, number * 100 + 99)
        case (1...2, "th century"), (1...2, "st century"), (1...2, "nd century"), (1...2, "rd century"):
            return years(number * 100 - 99, number * 100)
        default: return nil
        }
    }

    private static func years(_ first: Int, _ last: Int) -> ClosedRange<CalendarDay>? {
        guard let start = CalendarDay(year: max(1, first), month: 1, day: 1) else { return nil }
        guard let end = CalendarDay(year: last, month: 12, day: 31), start <= end else { return nil }
        return start...end
    }

    /// Parses `1939-1-11`, `1939.1`, `1939-00-00`, and `5/13/1911` with month and day in either order.
    private static func numeric(_ text: String) -> ClosedRange<CalendarDay>? {
        for mark: Character in ["-", "/", "."] {
            let fields = text.split(separator: mark, omittingEmptySubsequences: false).map(String.init)
            let numbers = fields.compactMap(\.wholeNumber)
            guard (2...3).contains(fields.count), numbers.count == fields.count else { continue }
            if fields[0].utf8.count == 4 { return yearFirst(fields, numbers) }
            if fields.count == 3, fields[2].utf8.count == 4 { return yearLast(fields, numbers) }
            if fields.count == 2, fields[1].utf8.count == 4, fields[0].utf8.count <= 2 {
                return StoryDate.days(year: numbers[1], month: numbers[0], day: nil)
            }
        }
        return nil
    }

    private static func yearFirst(_ fields: [String], _ numbers: [Int]) -> ClosedRange<CalendarDay>? {
        guard fields.dropFirst().allSatisfy({ (1...2).contains($0.utf8.count) }) else { return nil }
        // Databases write zero for an unknown month or day.
        let month = numbers[1] == 0 ? nil : numbers[1]
        let day = numbers.count < 3 || numbers[2] == 0 ? nil : numbers[2]
        guard month != nil || day == nil else { return nil }
        return StoryDate.days(year: numbers[0], month: month, day: day)
    }

    private static func yearLast(_ fields: [String], _ numbers: [Int]) -> ClosedRange<CalendarDay>? {
        guard fields.dropLast().allSatisfy({ (1...2).contains($0.utf8.count) }) else { return nil }
        let readings = Set(
            [
                StoryDate.days(year: numbers[2], month: numbers[0], day: numbers[1]),
                StoryDate.days(year: numbers[2], month: numbers[1], day: numbers[0]),
            ]
            .compactMap(\.self)
        )
        guard readings.count > 1 else { return readings.first }
        return StoryDate.days(year: numbers[2], month: nil, day: nil)
    }

    /// Parses a day with a time, ignoring the time.
    private static func instant(_ text: String) -> ClosedRange<CalendarDay>? {
        guard text.utf8.count > 10, text.utf8.count <= 40 else { return nil }
        let day = text.prefix(10)
        let time = text.dropFirst(10)
        guard let mark = time.first, mark == "t" || mark == " ", time.contains(":") else { return nil }
        guard time.dropFirst().allSatisfy({ $0.isASCIIDigit || ":.+-z".contains($0) }) else { return nil }
        return StoryDate.days(day)
    }
}

extension Character {
    /// Whether the character is one of 0–9.
    var isASCIIDigit: Bool { isASCII && isNumber }
}

extension String {
    /// The number in one to six ASCII digits, or `nil`.
    var wholeNumber: Int? {
        guard (1...6).contains(utf8.count), utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(self)
    }
}
