import Stories

/// What archives leave out of dates: the century of `1893/4`, `1920/30er` and `anni '30`, the end of `1893-`, the beginning
/// of `?-1893`.
enum DateShorthand {
    /// Returns the tokens of a date, or of a list of dates, with what was left out, except for years of one date.
    static func completed(_ tokens: [DateToken]) -> [DateToken] {
        withOpenEnd(withoutDoubt(withDecades(tokens)))
    }

    private static let separators: Set<DateToken> = [.hyphen, .dash, .slash, .to, .until]

    private static func isSpan(_ tokens: [DateToken]) -> Bool {
        tokens.count(where: separators.contains) == 1
    }

    /// Returns the tokens without question marks, but for those that are a whole side of a span.
    private static func withoutDoubt(_ tokens: [DateToken]) -> [DateToken] {
        var result = tokens.filter { $0 != .doubt }
        guard result.count < tokens.count, isSpan(tokens) else { return result }
        if tokens.first == .doubt, let first = result.first, separators.contains(first) {
            result.insert(.unknown, at: 0)
        }
        if tokens.last == .doubt, let last = result.last, separators.contains(last) { result.append(.unknown) }
        return result
    }

    /// Returns the tokens with words for the open end of `1893-`, `1893-?` and `1911-05-03-`; not of `1911-05-`, where a
    /// day is missing.
    private static func withOpenEnd(_ tokens: [DateToken]) -> [DateToken] {
        var start = tokens
        if let last = start.last, last == .unknown || last == .now {
            start.removeLast()
            guard let mark = start.last, separators.contains(mark) else { return tokens }
        } else {
            guard tokens.last == .hyphen || tokens.last == .dash else { return tokens }
        }
        start.removeLast()
        let numbers = start.filter { $0 != .circa }
        let isDay = numbers.count == 5 && DatePoint.numeric(numbers) != nil
        guard isDay || !start.contains(where: separators.contains) else { return tokens }
        guard start.contains(where: isNumber) else { return tokens }
        return start + [.orLater]
    }

    private static func isNumber(_ token: DateToken) -> Bool {
        switch token {
        case .number, .years: true
        default: false
        }
    }

    /// Returns the tokens with the years of decades that lack their century: of `1920/30er` the 1930s.
    ///
    /// With no year before it, `20er Jahre` or `años 20` is of the twentieth century, unless another one is named.
    private static func withDecades(_ tokens: [DateToken]) -> [DateToken] {
        let hasMonth = tokens.contains { if case .month = $0 { true } else { false } }
        let isOfCentury = tokens.contains(.century) || tokens.contains(.bc)
        var countsDecades = false
        var latest: Int?
        func years(_ decade: Int) -> DateToken {
            var first: Int?
            if let latest {
                first = lastYear(decade, digits: 2, after: latest)
            } else if decade >= 20, !isOfCentury {
                first = 1900 + decade
            }
            guard let first else { return .other }
            latest = first
            return .years(first...(first + 9))
        }
        return tokens.map { token in
            switch token {
            case .decade: countsDecades = !hasMonth && !isOfCentury
            case .number(let year, digits: 4): (latest, countsDecades) = (year, false)
            case .years(let years): latest = years.lowerBound
            case .shortDecade(let decade): return years(decade)
            case .number(let decade, digits: 2) where countsDecades && decade.isMultiple(of: 10): return years(decade)
            case .tens(let decade): return countsDecades ? years(decade) : .other
            default: break
            }
            return token
        }
    }

    /// Returns the year that the last one or two digits name after another: 1894 of `1893/4`, 1900 of `1899/00`; `nil` if
    /// it is not after it.
    static func lastYear(_ short: Int, digits: Int, after year: Int) -> Int? {
        guard year > 0, digits == 1 || digits == 2 else { return nil }
        let unit = digits == 1 ? 10 : 100
        let rest = year % unit
        if short == 0, digits == 2, rest >= 90 { return year - rest + unit }
        return short > rest ? year - rest + short : nil
    }

    /// Returns the year that the last digits name after another and a mark; `nil` if they name a month, or none.
    private static func lastYear(
        _ short: Int,
        digits: Int,
        after year: Int,
        mark: DateToken,
        isApproximate: Bool
    ) -> Int? {
        guard mark == .slash || mark == .hyphen else { return nil }
        // Databases write zeros for an unknown month.
        if short == 0, year % 100 != 99 { return nil }
        // EDTF has `1911-12` for a month. It has no words, so in `ca. 1911-12` the hyphen is that of `ca. 1914-18`.
        if mark == .hyphen, digits == 2, short != 0, !isApproximate { return nil }
        return lastYear(short, digits: digits, after: year)
    }

    /// Returns the tokens of one date with years as one: `1911/12`, `1893-5`, `1999-00`.
    ///
    /// With `readsMonths`, a number that may be a month or none stays apart. Beside months and seasons the numbers mean
    /// something else: `3 February 1699/00`.
    static func joined(_ tokens: [DateToken], readsMonths: Bool) -> (tokens: [DateToken], mayBeMonth: Bool) {
        guard !tokens.contains(where: isNamed) else { return (tokens, false) }
        var (result, mayBeMonth, index) = ([DateToken](), false, 0)
        while index < tokens.count {
            let isApproximate = result.last == .circa || tokens.dropFirst(index + 3).first == .circa
            if let (years, second) = years(tokens[index...], isApproximate: isApproximate),
                !(second <= 12 && readsMonths), !endsInNumber(result)
            {
                result.append(.years(years))
                if second <= 12 { mayBeMonth = true }
                index += 3
            } else {
                result.append(tokens[index])
                index += 1
            }
        }
        return (result, mayBeMonth)
    }

    /// Returns whether tokens are a season other than winter of two years: `summer 1911-12`.
    static func turnsYear(_ tokens: [DateToken]) -> Bool {
        let seasons = tokens.filter { if case .season = $0 { true } else { false } }
        let years = tokens.filter { if case .number = $0 { true } else { false } }
        guard seasons.count == 1, seasons != [.season(.winter)], years.count == 2,
            case .number(let year, digits: 4) = years[0], case .number(let next, _) = years[1]
        else { return false }
        return next == year + 1 || next == (year + 1) % 100
    }

    private static func isNamed(_ token: DateToken) -> Bool {
        switch token {
        case .month, .season, .quarter, .century, .bc: true
        default: false
        }
    }

    /// Returns the years with which tokens begin, and the second number, unless a third number follows, as in `1893-5-3`.
    private static func years(
        _ tokens: ArraySlice<DateToken>,
        isApproximate: Bool
    ) -> (years: ClosedRange<Int>, second: Int)? {
        let next = Array(tokens.prefix(5))
        guard next.count >= 3, case .number(let year, digits: 4) = next[0],
            case .number(let second, let digits) = next[2],
            let last = lastYear(second, digits: digits, after: year, mark: next[1], isApproximate: isApproximate)
        else { return nil }
        if next.count == 5, isMark(next[3]), case .number(_, digits: 1...2) = next[4] { return nil }
        return (year...last, second)
    }

    /// Returns whether tokens end in a number of a day or a month with a mark, to which a year may belong: `3/`.
    private static func endsInNumber(_ tokens: [DateToken]) -> Bool {
        guard let mark = tokens.last, isMark(mark), case .number(_, digits: 1...2)? = tokens.dropLast().last else {
            return false
        }
        return true
    }

    private static func isMark(_ token: DateToken) -> Bool {
        switch token {
        case .slash, .hyphen, .dot, .colon: true
        default: false
        }
    }
}
