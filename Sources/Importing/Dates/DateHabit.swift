import Stories

/// How a column writes `2001-21`, which is spring 2001 in EDTF and elsewhere the years 2001 to 2021, and `1911/12`, which
/// is December 1911 or the years 1911 and 1912.
///
/// The other rows of the column decide: `1914-18` can only be years, `2001-23?` beside `19XX` only EDTF, and `1911/1` only
/// a month.
package struct DateHabit: Sendable {
    private var spans = 0
    private var extended = 0
    private var slashes = Months()
    private var hyphens = Months()

    /// How many rows have a month or a year after a mark.
    private struct Months {
        var months = 0
        var years = 0
        /// The second number of the first row in doubt with a year.
        var seconds: [Int: Int] = [:]
    }

    package init() {}

    /// Returns what the rows noted so far suggest for a text in doubt.
    package func secondNumber(of text: String, _ doubt: Doubt) -> DateReading.SecondNumber? {
        switch doubt {
        // A season, as EDTF says, if they suggest nothing.
        case .season: return spans > extended ? .year : .season
        // The years, which include the month, if they suggest nothing.
        case .month:
            let votes = text.utf8.contains(UInt8(ascii: "/")) ? slashes : hyphens
            return votes.months > votes.years ? .month : .year
        case .turnOfYear: return nil
        }
    }

    /// Notes the date of a row, and returns whether it can be read in two ways.
    ///
    /// - Complexity: O(length)
    package mutating func note(_ text: String) -> Bool {
        let doubt = Doubt(text)
        guard doubt != .season else { return true }
        if let (year, second) = DateHabit.numbers(text), second > 12 {
            if second > year % 100 { spans += 1 } else if (21...41).contains(second) { extended += 1 }
        }
        let isExtended = text.utf8.contains { mark in "?~%X.".utf8.contains(mark) }
        if isExtended, ExtendedDate.reading(text) != nil { extended += 1 }
        noteMonth(text)
        return doubt != nil
    }

    /// Notes a date that is read without doubt: beside `1893-10`, `1893-4` is a month.
    ///
    /// `1893-04` decides nothing: a column that has the zero has it everywhere.
    package mutating func note(exact text: String) {
        if let (_, second) = DateHabit.numbers(text), (10...12).contains(second) { hyphens.months += 1 }
    }

    /// Notes whether a text has a month or a year as its second number, if it can be only one of them.
    ///
    /// Of several numbers after one year, most are months: `1905/8`, `1905/9`.
    private mutating func noteMonth(_ text: String) {
        let isSlash = text.utf8.contains(UInt8(ascii: "/"))
        let votes: WritableKeyPath<DateHabit, Months> = isSlash ? \.slashes : \.hyphens
        let fields = text.split(separator: isSlash ? "/" : "-", omittingEmptySubsequences: false)
        guard (2...3).contains(fields.count), fields[0].utf8.count == 4, let year = String(fields[0]).wholeNumber,
            let second = String(fields[1]).wholeNumber, year > 0,
            fields.dropFirst().allSatisfy({ $0.utf8.count <= 2 && String($0).wholeNumber != nil })
        else { return }
        let canBeYears =
            DateShorthand.lastYear(second, digits: fields[1].utf8.count, after: year) != nil
            && (second > 0 || year % 100 == 99)
        // Days such as `1911-05-03` leave open what `1893-5` is.
        if fields.count == 3 ? isSlash || fields[1].utf8.count == 1 : !canBeYears {
            if second <= 12 { self[keyPath: votes].months += 1 }
        } else if fields.count == 2, second > 12 {
            self[keyPath: votes].years += 1
        } else if fields.count == 2, self[keyPath: votes].seconds[year, default: second] != second {
            self[keyPath: votes].months += 1
        } else if fields.count == 2 {
            self[keyPath: votes].seconds[year] = second
        }
    }

    /// Returns the years that a text such as `2001-21` spans, or `nil` if it has another form or cannot span years.
    static func years(_ text: String) -> ClosedRange<CalendarDay>? {
        guard let (year, second) = numbers(text), second >= 21, second > year % 100 else { return nil }
        return DateSpan.years(year, year - year % 100 + second)
    }

    /// Returns the numbers of `NNNN-NN`.
    fileprivate static func numbers(_ text: String) -> (year: Int, second: Int)? {
        guard text.utf8.count == 7 else { return nil }
        let fields = text.split(separator: "-", omittingEmptySubsequences: false)
        guard fields.count == 2, fields[0].utf8.count == 4, let year = String(fields[0]).wholeNumber,
            let second = String(fields[1]).wholeNumber, year > 0
        else { return nil }
        return (year, second)
    }
}

extension DateHabit {
    /// The two readings that a text can have.
    package enum Doubt: Sendable {
        /// A season or some years: `2001-21`.
        case season
        /// A month or some years: `1911/12`.
        case month
        /// A summer of the south or two summers of the north: `summer 1911-12`.
        case turnOfYear

        /// Creates the doubt about a text, or `nil` if there is none of these.
        package init?(_ text: String) {
            if let (year, second) = DateHabit.numbers(text), (21...41).contains(second), second > year % 100 {
                self = .season
                return
            }
            let hasMark = text.utf8.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "-") || $0 >= 0x80 }
            guard hasMark, !DateReading.hasSign(text.trimmed) else { return nil }
            // As dates are read: first as if brackets were not there.
            for splitsAtBrackets in [false, true] {
                let tokens = DateTokenizer.tokens(of: text, splitsAtBrackets: splitsAtBrackets)
                let doubts = tokens.split(separator: .semicolon).lazy.compactMap { Doubt.about(Array($0)) }
                if let first = doubts.first {
                    self = first
                    return
                }
            }
            return nil
        }

        /// Returns the doubt about a part of a list: about the whole, or else about what stands between its commas.
        private static func about(_ part: [DateToken]) -> Doubt? {
            let tokens = DateShorthand.completed(part)
            let whole = DatePhrase(tokens)
            let parts =
                whole.days == nil
                ? tokens.split(separator: .comma).map { (phrase: DatePhrase(Array($0)), tokens: Array($0)) }
                : [(phrase: whole, tokens: tokens)]
            let dates = parts.filter { $0.phrase.days != nil }
            if dates.contains(where: \.phrase.mayBeMonth) { return .month }
            return dates.contains { DateShorthand.turnsYear($0.tokens) } ? .turnOfYear : nil
        }

        /// Returns the words for what a text was read as, with the reading that the column suggests.
        package func explanation(_ second: DateReading.SecondNumber?) -> String {
            let years = "the years from the first to the second number"
            switch (self, second) {
            case (.season, .year):
                return "can mean a season or some years and is read as \(years), like others in this column"
            case (.season, _):
                return "can mean a season or some years and is read as a season of the year (EDTF); for the years "
                    + "from the first to the second write both in full"
            case (.month, .month):
                return "can mean a month or some years and is read as a month, like others in this column; for the "
                    + "years from the first to the second write both in full"
            case (.month, _):
                return "can mean a month or some years and is read as \(years); for a month write YYYY-MM "
                    + "without other words"
            case (.turnOfYear, _):
                return "can mean one season in the south or two in the north and is read as both years"
            }
        }
    }
}
