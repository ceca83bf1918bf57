/// Removes what family-tree programs mark as private within a text: `[[…]]` of Legacy and Family Historian, and `{…}` of
/// RootsMagic.
///
/// Their own reports leave it out; their GEDCOM may have it all the same.
struct PrivateBrackets {
    /// Whether braces mark private text too, which other programs use as ordinary characters.
    let includesBraces: Bool
    /// The number of texts removed.
    private(set) var count = 0

    init(includesBraces: Bool) { self.includesBraces = includesBraces }

    /// Returns a text without its private parts; one that is not closed ends with the text.
    ///
    /// - Complexity: O(length).
    mutating func removed(from text: String) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }) else { return text }
        var (kept, rest, left) = ("", text[...], 0)
        while let (start, close) = next(in: rest) {
            kept += rest[..<start]
            left += 1
            let inner = rest[start...].dropFirst(close.count)
            rest = inner.firstRange(of: close).map { rest[$0.upperBound...] } ?? ""
        }
        count += left
        return left == 0 ? text : (kept + rest)[...].trimmingBlanks
    }

    /// Returns where the next private part begins, and what closes it.
    private func next(in text: Substring) -> (start: Substring.Index, close: String)? {
        let square = text.firstRange(of: "[[")?.lowerBound
        let brace = includesBraces ? text.firstIndex(of: "{") : nil
        guard let brace, square.map({ brace < $0 }) ?? true else { return square.map { ($0, "]]") } }
        return (brace, "}")
    }
}
