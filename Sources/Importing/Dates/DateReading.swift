package import Stories

/// The result of parsing a date: by this reader alone, wherever dates come in.
package enum DateReading: Hashable, Sendable {
    /// The date was parsed.
    case date(StoryDate)
    /// The date was parsed in part.
    case partial(StoryDate)
    /// The text states that no date is known.
    case unknown
    /// The date is outside of ``CalendarDay/years``.
    case outOfRange
    /// The text cannot be parsed.
    case unreadable

    /// What the second number of `2001-21` or `1911/12` means.
    package enum SecondNumber: Hashable, Sendable {
        /// A season, as in EDTF.
        case season
        /// A month: December 1911.
        case month
        /// The last year of a span: 2001 to 2021.
        case year
    }

    /// Parses a date as written in archives: exact, doubtful, a list or a range, as the span of possible days.
    ///
    /// Reads EDTF (``ExtendedDate``) and words in seven languages (``DateVocabulary``). `ca. 1920` extends five years
    /// to either side, `ca. May 1920` five months and `ca. 3 May 1920` five days; `1920s` and `192-` mean the decade, and
    /// `anni '20` that of the twentieth century; `before 1900` has an open beginning; `5/3/1911`, which may be May or March,
    /// means the year. A list spans from its first to its last day. Without a `secondNumber`, that of `2001-21` is a season,
    /// as in EDTF, and that of `1911/12`, `1893-5` and `ca. 1911-12` a year, which includes the month that it may be.
    ///
    /// - Complexity: bounded by the length of the text, at most ``StoryLimits/dateLength`` characters.
    package init(_ text: String, secondNumber: SecondNumber? = nil) {
        if let exact = StoryDate(text) {
            self = .date(exact)
            return
        }
        let plain = text.trimmed
        guard StoryLimits.fits(plain, characters: StoryLimits.dateLength) else {
            self = .unreadable
            return
        }
        if DateReading.isShortSigned(plain) {
            self = .unreadable
            return
        }
        if secondNumber == .year, let days = DateHabit.years(plain) {
            self = DateReading.found(days, text: text)
            return
        }
        switch ExtendedDate.reading(plain) {
        case .days(let days): self = DateReading.found(days, text: text)
        case .outOfRange: self = .outOfRange
        case .undated: self = .unknown
        case nil: self = DateReading.words(plain, text: text, secondNumber)
        }
    }

    /// Returns the date to store for a text that was read like this: with its days, or the words alone; `nil` for a text
    /// that is empty or too long.
    package func date(of text: String) -> StoryDate? {
        switch self {
        case .date(let date), .partial(let date): date
        case .unknown, .outOfRange, .unreadable: StoryDate(words: text)
        }
    }

    /// Returns whether a text is a minus sign and a number that has not the four digits of a year in EDTF: `-500` may be
    /// 500 BC, 501 BC, or the end of a span.
    private static func isShortSigned(_ text: String) -> Bool {
        let digits = text.utf8.dropFirst()
        return hasSign(text) && digits.count != 4
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// Returns whether a text begins with a minus sign directly before a number.
    static func hasSign(_ text: String) -> Bool {
        text.first == "-" && text.dropFirst().first?.isASCIIDigit == true
    }

    private static func found(_ days: ClosedRange<CalendarDay>, text: String) -> DateReading {
        StoryDate(text: text, first: days.lowerBound, last: days.upperBound).map(DateReading.date) ?? .unreadable
    }

    /// Reads words, first as if brackets were not there, then with what is in them apart: `1911 (printed 1935)`.
    private static func words(_ plain: String, text: String, _ secondNumber: SecondNumber?) -> DateReading {
        if isZero(plain) { return .unknown }
        // Without its sign, a year before Christ would become one after.
        if hasSign(plain) { return .unreadable }
        let whole = list(DateTokenizer.tokens(of: plain, splitsAtBrackets: false), text: text, secondNumber)
        guard whole == .unreadable, plain.contains(where: { "[(<{".contains($0) }) else { return whole }
        return list(DateTokenizer.tokens(of: plain, splitsAtBrackets: true), text: text, secondNumber)
    }

    private static func list(_ tokens: [DateToken], text: String, _ secondNumber: SecondNumber?) -> DateReading {
        var days: ClosedRange<CalendarDay>?
        var isPartial = false
        for part in tokens.split(separator: .semicolon) {
            for found in DateReading.part(DateShorthand.completed(Array(part)), secondNumber) {
                guard let found else {
                    isPartial = true
                    continue
                }
                let first = min(days?.lowerBound ?? found.lowerBound, found.lowerBound)
                days = first...max(days?.upperBound ?? found.upperBound, found.upperBound)
            }
        }
        guard let days else {
            if tokens.contains(.bc), tokens.contains(where: isTooEarly) { return .outOfRange }
            return isPartial ? .unreadable : .unknown
        }
        // `before 1911, after 1905`: dates with two open sides say nothing together.
        if days == .earliest ... .latest { return .unreadable }
        guard let date = StoryDate(text: text, first: days.lowerBound, last: days.upperBound) else {
            return .unreadable
        }
        return isPartial ? .partial(date) : .date(date)
    }

    /// Returns the dates in a part of a list, `nil` for one that cannot be parsed; none if the part states that none is
    /// known.
    private static func part(_ tokens: [DateToken], _ secondNumber: SecondNumber?) -> [ClosedRange<CalendarDay>?] {
        let empty: Set<DateToken> = [.unknown, .filler, .detail]
        if tokens.allSatisfy({ empty.contains($0) || $0 == .hyphen || $0 == .comma }) { return [] }
        if let days = DatePhrase(tokens, secondNumber: secondNumber).days { return [days] }
        for separator: DateToken in [.and, .comma] {
            let parts = tokens.split(separator: separator)
            guard parts.count > 1 else { continue }
            let dates = parts.filter { !$0.allSatisfy(empty.contains) }
            let found = dates.map { DatePhrase(Array($0), secondNumber: secondNumber).days }
            // Words beside a date may be a place; numbers or months that cannot be read make the whole unreadable.
            let isWrong = zip(dates, found)
                .contains { tokens, days in days == nil && tokens.contains(where: isPartOfDate) }
            if !isWrong, found.contains(where: { $0 != nil }) { return found }
        }
        return [nil]
    }

    private static func isPartOfDate(_ token: DateToken) -> Bool {
        switch token {
        case .number, .years, .month, .season: true
        default: false
        }
    }

    /// Returns whether a text is only zeros with separators, as databases and cameras write an unknown date.
    private static func isZero(_ text: String) -> Bool {
        text.utf8.count >= 4 && text.utf8.allSatisfy { "0-:/. T".utf8.contains($0) }
            && text.utf8.contains(UInt8(ascii: "0"))
    }

    private static func isTooEarly(_ token: DateToken) -> Bool {
        if case .number(let number, _) = token { number > 1 - CalendarDay.years.lowerBound } else { false }
    }
}

extension String {
    /// The text without leading and trailing white space.
    package var trimmed: String {
        // Nearly all texts begin and end with a visible ASCII character.
        if let first = utf8.first, let last = utf8.last, (0x21...0x7E).contains(first), (0x21...0x7E).contains(last) {
            return self
        }
        guard let first = firstIndex(where: { !$0.isWhitespace }) else { return "" }
        guard let last = lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return first == startIndex && last == index(before: endIndex) ? self : String(self[first...last])
    }

    /// The number in one to six ASCII digits, or `nil`.
    var wholeNumber: Int? {
        guard (1...6).contains(utf8.count), utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(self)
    }
}

extension Character {
    /// Whether the character is one of 0–9.
    var isASCIIDigit: Bool { isASCII && isNumber }
}
