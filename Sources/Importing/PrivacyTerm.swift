import Stories

/// Restrictions with an end, such as "closed until 2050"; once it has passed, they restrict nothing.
enum PrivacyTerm {
    private static let restrictions: Set<String> = [
        "closed", "restricted", "embargoed", "embargo", "sealed", "withheld",
    ]
    private static let months: Set<String> = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
    ]
    /// The maximum length in bytes of a text that is read.
    private static let longest = 200
    /// The age in years at which an embargo is an event of history, and not one on a story.
    private static let history = 50

    /// Returns whether a value is nothing but a term that has passed: "Sealed until 1998".
    static func isOver(_ value: String, on today: CalendarDay?) -> Bool { overStart(value, on: today) == 0 }

    /// Returns whether a title ends with a term that has passed: "Interview (sealed until 1998)".
    static func endsOver(_ title: String, on today: CalendarDay?) -> Bool { overStart(title, on: today) != nil }

    /// Returns whether a value under a name such as "Closed" is the end of a restriction, and may still be to come:
    /// "until 2050", "2050".
    static func isAhead(_ value: String, on today: CalendarDay?) -> Bool {
        guard value.utf8.count <= longest else { return false }
        let words = PrivacyWords.words(value)
        if words.first == "until" || words.first == "till" { return !isOver("closed " + value, on: today) }
        guard let today else { return false }
        return words.contains { year($0).map { $0 > today.components.year } ?? false }
    }

    /// Returns whether all parts of a title after the word "embargo" are years of long ago: "Embargo (1807)".
    static func isHistory(_ parts: some Collection<[String]>, on today: CalendarDay?) -> Bool {
        guard let today, !parts.isEmpty else { return false }
        return parts.allSatisfy { words in
            words.count <= 2 && words.allSatisfy { year($0).map { $0 + history <= today.components.year } ?? false }
        }
    }

    /// Returns the index of the word at which a passed term begins; `nil` if the text says anything after it or
    /// restricts before it.
    private static func overStart(_ text: String, on today: CalendarDay?) -> Int? {
        guard let today, text.utf8.count <= longest, !text.contains("?") else { return nil }
        let words = PrivacyWords.words(text)
        let start = zip(words, words.dropFirst()).enumerated()
            .first { restrictions.contains($1.0) && ($1.1 == "until" || $1.1 == "till") }
        guard let start = start?.offset, words[..<start].allSatisfy({ !PrivacyWords.restricting.contains($0) }),
            isPast(words[(start + 2)...], before: today.components.year)
        else { return nil }
        return start
    }

    /// Returns whether words are a date in a year before this one: "1998", "1 May 1998", "1998-05-01".
    ///
    /// A date of this year may be still to come, and one without four digits may be of any century.
    private static func isPast(_ words: ArraySlice<String>, before thisYear: Int) -> Bool {
        let years = words.compactMap(year)
        let others = words.filter { year($0) == nil }
        guard words.count <= 3, years.count == 1, let year = years.first, year < thisYear else { return false }
        return others.allSatisfy { months.contains($0) || (Int($0).map { (1...31).contains($0) } ?? false) }
    }

    /// Returns a year of our era and of modern times; "1500" may be a time of day, and "1450" a year of another calendar.
    private static func year(_ word: String) -> Int? {
        word.utf8.count == 4 ? Int(word).flatMap { $0 >= 1_800 ? $0 : nil } : nil
    }
}
