import Stories

/// Dates with the month as a word: `may 3, 1911`, `3 may 1911`, `may 1911`, `may 3-5, 1911`, `summer 1936`.
enum MonthPhrase {
    /// Returns the possible days, or `nil` if the text, which must be in lower case, is not such a date.
    static func days(_ text: String) -> ClosedRange<CalendarDay>? {
        guard text.utf8.count <= 60 else { return nil }
        let words = text.split { $0 == " " || $0 == "," || $0 == "." || $0 == "-" || $0 == "/" }.map(String.init)
            .filter { $0 != "of" && $0 != "the" }
        guard (2...4).contains(words.count), let year = words.last.flatMap(year) else { return nil }
        let rest = words.dropLast()
        // A season means the whole year: its dates depend on the region, and winter spans two years.
        if rest.count == 1, let word = rest.first, seasons.contains(word) {
            return StoryDate.days(year: year, month: nil, day: nil)
        }
        let months = rest.compactMap(month)
        let numbers = rest.compactMap(dayOfMonth)
        guard !months.isEmpty, months.count + numbers.count == rest.count, let first = months.first else { return nil }
        switch (months.count, numbers.count) {
        case (1, 0): return StoryDate.days(year: year, month: first, day: nil)
        case (1, 1): return StoryDate.days(year: year, month: first, day: numbers[0])
        case (1, 2): return span(year, first, numbers[0], first, numbers[1])
        case (2, 0): return span(year, first, nil, months[1], nil)
        default: return nil
        }
    }

    private static func span(
        _ year: Int,
        _ month: Int,
        _ day: Int?,
        _ lastMonth: Int,
        _ lastDay: Int?
    )
        -> ClosedRange<CalendarDay>?
    {
        guard let start = StoryDate.days(year: year, month: month, day: day)?.lowerBound else { return nil }
        guard let end = StoryDate.days(year: year, month: lastMonth, day: lastDay)?.upperBound else { return nil }
        return start <= end ? start...end : nil
    }

    private static func year(_ word: String) -> Int? {
        word.utf8.count == 4 ? word.wholeNumber : nil
    }

    private static func dayOfMonth(_ word: String) -> Int? {
        let digits = String(word.prefix { $0.isASCIIDigit })
        guard digits.utf8.count <= 2, ["", "st", "nd", "rd", "th"].contains(word.dropFirst(digits.count)) else {
            return nil
        }
        return digits.wholeNumber
    }

    private static let seasons: Set<String> = ["spring", "summer", "autumn", "fall", "winter"]

    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]

    /// Returns the number of a month from its name or an abbreviation of at least three letters.
    private static func month(_ word: String) -> Int? {
        guard word.utf8.count >= 3 else { return nil }
        return months.firstIndex { $0.hasPrefix(word) }.map { $0 + 1 }
    }
}
