import Stories

/// One date of a list as tokens: `ca. 1920`, `3 de mayo de 1911`, `1900-1905`, `before the 18th century`.
struct DatePhrase {
    /// The possible days, or `nil` if the tokens are not a date.
    let days: ClosedRange<CalendarDay>?
    /// Whether the second number of a year such as `1911/12` was read as a year, and may be a month.
    let mayBeMonth: Bool

    /// The largest number of tokens that mean anything.
    static let longest = 40

    /// Reads the tokens of a date.
    ///
    /// - Complexity: bounded, because there are at most ``longest`` tokens and few ways to split them.
    init(_ tokens: [DateToken], secondNumber: DateReading.SecondNumber? = nil) {
        let plain = tokens.count > DatePhrase.longest ? [] : DatePhrase.plain(tokens)
        let joined = DateShorthand.joined(plain, readsMonths: secondNumber == .month)
        mayBeMonth = joined.mayBeMonth
        days = plain.contains(.other) ? nil : DatePhrase.phrase(joined.tokens)
    }

    /// Returns the tokens without those that change nothing, with Roman numerals beside a century as numbers.
    private static func plain(_ tokens: [DateToken]) -> [DateToken] {
        let hasCentury = tokens.contains(.century)
        var result: [DateToken] = []
        for (index, token) in tokens.enumerated() {
            switch token {
            case .filler: continue
            case .roman(let number) where hasCentury: result.append(.number(number, digits: 2))
            // `3/IV/1911`
            case .roman(let number):
                let isMonth = result.contains { if case .number = $0 { true } else { false } } && number <= 12
                result.append(isMonth ? .month(number) : .other)
            case .dayAbbreviation: if index > 0 { result.append(.other) }
            case .part:
                // `1st half`: the number says which.
                if case .number(1...4, digits: 1) = result.last { result.removeLast() }
            default: result.append(token)
            }
        }
        return result
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
        if let days = DatePoint.days(tokens) { return days }
        let rest = tokens.dropFirst()
        switch (first, rest.first) {
        // Before about 1900 may be a little later than 1900.
        case (.before, .circa): return phrase(rest).map { .earliest...$0.upperBound }
        case (.after, .circa): return phrase(rest).map { $0.lowerBound...CalendarDay.latest }
        // Before or in 1900 includes it.
        case (.before, .and): return through(rest)
        case (.after, .and): return onwards(rest)
        case (.before, _): return phrase(rest).flatMap(DateSpan.before)
        case (.after, _): return phrase(rest).flatMap(DateSpan.after)
        // `in or before 1900`: as the first word, `or before` has only a preposition before it.
        case (.until, _), (.orEarlier, _): return through(rest)
        case (.orLater, _): return onwards(rest)
        case (.since, _), (.from, _): return range(trimmed(rest)) ?? onwards(rest)
        default: break
        }
        let start = tokens.dropLast()
        switch (first, last) {
        case (_, .orLater): return onwards(start)
        case (_, .orEarlier): return through(start)
        // `ca. 1921-ca. 1925`: each side is extended by itself.
        case (.circa, _) where rest.contains(.circa): return range(tokens) ?? phrase(rest).map(DateSpan.about)
        case (.circa, _): return phrase(rest).map(DateSpan.about)
        case (_, .circa) where start.contains(.circa): return range(tokens) ?? phrase(start).map(DateSpan.about)
        case (_, .circa): return phrase(start).map(DateSpan.about)
        default: return range(tokens)
        }
    }

    /// Returns the days from the first day of a date on, unless both its sides are then open.
    private static func onwards(_ tokens: some Collection<DateToken>) -> ClosedRange<CalendarDay>? {
        phrase(tokens).flatMap { $0.lowerBound == .earliest ? nil : $0.lowerBound...CalendarDay.latest }
    }

    /// Returns the days until the last day of a date, unless both its sides are then open.
    private static func through(_ tokens: some Collection<DateToken>) -> ClosedRange<CalendarDay>? {
        phrase(tokens).flatMap { $0.upperBound == .latest ? nil : CalendarDay.earliest...$0.upperBound }
    }

    /// Reads two dates with a separator: `1900-1905`, `from May to July 1911`, `1914-18`, `18th-19th century`.
    private static func range(_ tokens: [DateToken]) -> ClosedRange<CalendarDay>? {
        for separators: Set<DateToken> in [[.to, .until], [.dash], [.slash], [.hyphen], [.and]] {
            let found = tokens.indices.filter { separators.contains(tokens[$0]) }
            guard found.count == 1 else { continue }
            let (left, right) = (trimmed(tokens[..<found[0]]), trimmed(tokens[(found[0] + 1)...]))
            // An unfinished number such as `193` stands for a decade only by itself: `1936-367` is no span.
            if case .number(_, digits: 3) = right.first, right.count == 1 { continue }
            if left == [.unknown], let end = through(right) { return end }
            guard !left.isEmpty, !right.isEmpty, let start = start(left, before: right) else { continue }
            if right == [.now] || right == [.unknown] { return start.lowerBound...CalendarDay.latest }
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
        // `3 - 5 May 1911`, `3 May - 2 June 1911`, `500-400 BC`.
        for length in 1...3 where right.count > length {
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
