import Stories

/// One date of a list as tokens: `ca. 1920`, `3 de mayo de 1911`, `1900-1905`, `before the 18th century`.
struct DatePhrase {
    /// The possible days, or `nil` if the tokens are not a date.
    let days: ClosedRange<CalendarDay>?
    /// Whether the second number of a year such as `1911/12` was read as a year, and may be a month.
    let mayBeMonth: Bool

    /// The largest number of tokens that mean anything.
    static let longest = 40

    /// The largest number of words such as before and circa that mean anything; `after ca. 1905 and before ca. 1911` has
    /// four.
    private static let mostRelations = 6

    private static let relations: Set<DateToken> = [
        .circa, .before, .after, .since, .until, .from, .orLater, .orEarlier,
    ]

    /// Reads the tokens of a date.
    ///
    /// - Complexity: bounded, because there are at most ``longest`` tokens, few ways to split them, and few words that
    ///   may belong to one side or to both.
    init(_ tokens: [DateToken], secondNumber: DateReading.SecondNumber? = nil) {
        let plain = tokens.count > DatePhrase.longest ? [] : DatePhrase.plain(tokens)
        let joined = DateShorthand.joined(plain, readsMonths: secondNumber == .month)
        mayBeMonth = joined.mayBeMonth
        let relations = plain.count(where: DatePhrase.relations.contains)
        let isDate = !plain.contains(.other) && relations <= DatePhrase.mostRelations
        days = isDate ? DatePhrase.phrase(joined.tokens) : nil
    }

    /// Returns the tokens without those that change nothing, with Roman numerals beside a century as numbers.
    private static func plain(_ tokens: [DateToken]) -> [DateToken] {
        let hasCentury = tokens.contains(.century)
        let hasYear = tokens.contains { if case .number(_, digits: 4) = $0 { true } else { false } }
        var result: [DateToken] = []
        for (index, token) in tokens.enumerated() {
            switch token {
            case .filler, .detail: continue
            // `from early to mid 1920s`
            case .until where joinsDetails(tokens, at: index): if result.last == .from { result.removeLast() }
            case .roman(let number) where hasCentury: result.append(.number(number, digits: 2))
            // `3/IV/1911`
            case .roman(let number):
                let isMonth = result.contains { if case .number = $0 { true } else { false } } && number <= 12
                result.append(isMonth ? .month(number) : .other)
            case .dayAbbreviation: if index > 0 { result.append(.other) }
            case .quarter where hasYear: result.append(token)
            case .part, .quarter:
                // `1st half`: the number says which.
                if case .number(1...4, digits: 1) = result.last { result.removeLast() }
            default: result.append(token)
            }
        }
        return withCentury(result)
    }

    /// Returns whether the words on both sides of one are details: `mid-to-late 1920s`.
    private static func joinsDetails(_ tokens: [DateToken], at index: Int) -> Bool {
        tokens[..<index].last { $0 != .hyphen } == .detail && tokens[(index + 1)...].first { $0 != .hyphen } == .detail
    }

    /// Returns tokens with a century for the last word of `17th-18th c.`, which after a year or a month is circa.
    private static func withCentury(_ tokens: [DateToken]) -> [DateToken] {
        let start = tokens.dropLast()
        guard tokens.last == .circa, case .number? = start.last else { return tokens }
        let isOfNumbers = start.allSatisfy { token in
            switch token {
            case .number(1...21, digits: 1...2): true
            default: separators.contains(token)
            }
        }
        return isOfNumbers ? start + [.century] : tokens
    }

    private static let separators: Set<DateToken> = [.to, .and, .comma, .slash, .hyphen, .dot, .colon, .dash]

    private static func trimmed(_ tokens: some Collection<DateToken>) -> [DateToken] {
        var result = Array(tokens.drop { separators.contains($0) })
        while let last = result.last, separators.contains(last) { result.removeLast() }
        return result
    }

    private static func phrase(_ tokens: some Collection<DateToken>) -> ClosedRange<CalendarDay>? {
        let tokens = trimmed(tokens)
        guard let first = tokens.first, let last = tokens.last else { return nil }
        let (start, rest) = (tokens.dropLast(), tokens.dropFirst())
        // First of all, because between days of one month it only joins them: `3 until 5 May`.
        if first == .until { return through(rest) }
        if let days = DatePoint.days(tokens) { return days }
        switch first {
        case .before: return before(rest)
        case .after: return after(rest)
        // `in or before 1900`: as the first word, `or before` has only a preposition before it.
        case .orEarlier: return through(rest)
        case .orLater: return onwards(rest)
        case .since, .from: return range(trimmed(rest)) ?? onwards(rest)
        default: break
        }
        switch (first, last) {
        case (_, .orLater): return onwards(start)
        case (_, .orEarlier): return through(start)
        // `ca. 1921-ca. 1925`: each side is extended by itself.
        case (.circa, _) where rest.contains(.circa): return range(tokens) ?? phrase(rest).map(DateSpan.about)
        case (.circa, _): return phrase(rest).map(DateSpan.about)
        case (_, .circa) where start.contains(.circa) || first == .unknown:
            return range(tokens) ?? phrase(start).map(DateSpan.about)
        case (_, .circa): return phrase(start).map(DateSpan.about)
        default: return range(tokens)
        }
    }

    /// Returns the days before a date: `before 1900`, `before or in 1900`.
    private static func before(_ tokens: ArraySlice<DateToken>) -> ClosedRange<CalendarDay>? {
        switch (tokens.first, tokens.last) {
        case (.before, _), (.after, _): return nil
        // Before about 1900 may be a little later than 1900.
        case (.circa, _): return phrase(tokens).map { .earliest...$0.upperBound }
        // Before or in 1900 includes it.
        case (.and, _): return through(tokens)
        // `before 1900-`: with both sides open, nothing is said.
        case (_, .orLater): return nil
        default: break
        }
        if let days = DatePoint.days(Array(tokens)) { return DateSpan.before(days) }
        // `before 1911-1915`: the word may belong to the first year alone.
        return range([.before] + tokens) ?? phrase(tokens).flatMap(DateSpan.before)
    }

    /// Returns the days after a date, as far as a second one: `after 1900`, `after 1905 and before 1911`.
    private static func after(_ tokens: ArraySlice<DateToken>) -> ClosedRange<CalendarDay>? {
        if let days = DatePoint.days(Array(tokens)) { return DateSpan.after(days) }
        if let index = tokens.firstIndex(where: { $0 == .before || $0 == .until || $0 == .orEarlier }) {
            // Of `after 1905 and before 1911`, `and before` alone would include 1911.
            let word: DateToken = tokens[index] == .until ? .until : .before
            guard let start = phrase([.after] + tokens[..<index]), let end = phrase([word] + tokens[(index + 1)...]),
                start.lowerBound <= end.upperBound
            else { return nil }
            return start.lowerBound...end.upperBound
        }
        switch (tokens.first, tokens.last) {
        case (.after, _): return nil
        case (.circa, _): return phrase(tokens).map { $0.lowerBound...CalendarDay.latest }
        case (.and, _): return onwards(tokens)
        case (_, .orLater): return after(tokens.dropLast())
        // `after 1911-1915`: the word may belong to the first year alone.
        default: return range([.after] + tokens).flatMap(onwards) ?? phrase(tokens).flatMap(DateSpan.after)
        }
    }

    /// Returns the days from the first day of a date on, unless both its sides are then open.
    private static func onwards(_ tokens: some Collection<DateToken>) -> ClosedRange<CalendarDay>? {
        phrase(tokens).flatMap(onwards)
    }

    private static func onwards(_ days: ClosedRange<CalendarDay>) -> ClosedRange<CalendarDay>? {
        days.lowerBound == .earliest ? nil : days.lowerBound...CalendarDay.latest
    }

    /// Returns the days until the last day of a date, unless both its sides are then open.
    private static func through(_ tokens: some Collection<DateToken>) -> ClosedRange<CalendarDay>? {
        phrase(tokens).flatMap { $0.upperBound == .latest ? nil : CalendarDay.earliest...$0.upperBound }
    }

    /// Reads two dates with a separator: `1900-1905`, `from May to July 1911`, `1914-18`, `18th-19th century`.
    private static func range(_ tokens: [DateToken]) -> ClosedRange<CalendarDay>? {
        // `1911-12` is one month, also after `from`.
        if DatePoint.numeric(tokens.filter { $0 != .circa }) != nil { return nil }
        for separators: Set<DateToken> in [[.to, .until], [.dash], [.slash], [.hyphen], [.and]] {
            let found = tokens.indices.filter { separators.contains(tokens[$0]) }
            guard found.count == 1 else { continue }
            let (left, right) = (trimmed(tokens[..<found[0]]), trimmed(tokens[(found[0] + 1)...]))
            // An unfinished number such as `193` stands for a decade only by itself: `1936-367` is no span.
            if case .number(_, digits: 3) = right.first, right.count == 1 { continue }
            let isList = separators == [.and]
            if left == [.unknown], !isList, let end = through(right) { return end }
            guard !left.isEmpty, !right.isEmpty, let start = start(left, before: right) else { continue }
            if right == [.now] || right == [.unknown], !isList { return start.lowerBound...CalendarDay.latest }
            guard let end = phrase(right) ?? end(right, after: left, start), start.lowerBound <= end.upperBound else {
                continue
            }
            return start.lowerBound...end.upperBound
        }
        return nil
    }

    /// Reads the first side of a range, which may share the year, the era or the century with the second.
    private static func start(_ left: [DateToken], before right: [DateToken]) -> ClosedRange<CalendarDay>? {
        for era: DateToken in [.century, .bc] where right.contains(era) && !left.contains(era) {
            var shared = left + [era]
            if era == .century, right.contains(.bc) { shared.append(.bc) }
            if let days = phrase(shared) { return days }
        }
        if let days = phrase(left) { return days }
        // `3 - 5 May 1911`, `3 May - 2 June 1911`, `500-400 BC`; of `3.-5.6.1911` first the month, then the year alone.
        for length in [right.count - left.count, 1, 2, 3] where length > 0 && length < right.count {
            if let days = DatePoint.days(left + right.suffix(length)) { return days }
        }
        return nil
    }

    /// Reads the second side of a range, which may share the century or the year with the first.
    private static func end(
        _ right: [DateToken],
        after left: [DateToken],
        _ start: ClosedRange<CalendarDay>
    ) -> ClosedRange<CalendarDay>? {
        // `siglos XVIII y XIX`
        if left.contains(.century), !right.contains(.century) {
            let era: [DateToken] = left.contains(.bc) ? [.bc] : []
            return phrase(right + [.century] + era)
        }
        let year = start.lowerBound.components.year
        if case .number(let short, let digits) = right.first, right.count == 1,
            // Of `May 1911 - 5` nobody knows what it means.
            digits == 2 || left.filter({ $0 != .circa }).count == 1,
            let last = DateShorthand.lastYear(short, digits: digits, after: year)
        {
            return DateSpan.years(last, last)
        }
        guard year == start.upperBound.components.year, year > 0 else { return nil }
        return DatePoint.days(right + [.number(year, digits: 4)])
    }
}
