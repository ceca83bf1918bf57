import Stories

/// What archives leave out of dates: the end of `1893-` and the beginning of `?-1893`.
enum DateShorthand {
    /// Returns the tokens of a date, or of a list of dates, with what was left out.
    static func completed(_ tokens: [DateToken]) -> [DateToken] {
        withOpenEnd(withoutDoubt(tokens))
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

    /// Returns the tokens with words for the hyphen at the end of `1893-`; not of `1911-05-`, where a day is missing.
    private static func withOpenEnd(_ tokens: [DateToken]) -> [DateToken] {
        guard isSpan(tokens), tokens.last == .hyphen || tokens.last == .dash else { return tokens }
        return tokens.dropLast() + [.orLater]
    }
}
