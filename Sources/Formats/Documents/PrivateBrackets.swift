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
        while let (start, open, close) = next(in: rest) {
            kept += rest[..<start]
            left += 1
            rest = PrivateBrackets.behind(rest[start...], open, close)
        }
        count += left
        return left == 0 ? text : (kept + rest)[...].trimmingBlanks
    }

    /// Returns what follows a private part, at whose beginning the text begins; parts may stand within parts.
    private static func behind(_ text: Substring, _ open: String, _ close: String) -> Substring {
        var (rest, depth) = (text.dropFirst(open.count), 1)
        while depth > 0, let end = rest.firstRange(of: close) {
            if let start = rest.firstRange(of: open), start.lowerBound < end.lowerBound {
                depth += 1
                rest = rest[start.upperBound...]
            } else {
                depth -= 1
                rest = rest[end.upperBound...]
            }
        }
        return depth > 0 ? "" : rest
    }

    /// Returns where the next private part begins, and what opens and closes it.
    private func next(in text: Substring) -> (start: Substring.Index, open: String, close: String)? {
        let square = text.firstRange(of: "[[")?.lowerBound
        let brace = includesBraces ? text.firstIndex(of: "{") : nil
        guard let brace, square.map({ brace < $0 }) ?? true else { return square.map { ($0, "[[", "]]") } }
        return (brace, "{", "}")
    }
}
