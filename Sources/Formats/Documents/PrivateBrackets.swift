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

    /// What opens and closes a private part, in ASCII.
    private struct Marks {
        let open: [UInt8]
        let close: [UInt8]

        static let brackets = Marks(open: Array("[[".utf8), close: Array("]]".utf8))
        static let braces = Marks(open: Array("{".utf8), close: Array("}".utf8))
    }

    /// Returns a text without its private parts, which may stand within each other; one that is not closed ends with the text.
    ///
    /// - Complexity: O(length).
    mutating func removed(from text: String) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }) else { return text }
        let bytes = Array(text.utf8)
        var kept: [UInt8] = []
        var (index, depth, left) = (0, 0, 0)
        var marks = Marks.brackets
        while index < bytes.count {
            let rest = bytes[index...]
            if depth == 0, let opened = opening(rest) {
                (marks, depth, left) = (opened, 1, left + 1)
                index += opened.open.count
            } else if depth > 0, rest.starts(with: marks.open) {
                depth += 1
                index += marks.open.count
            } else if depth > 0, rest.starts(with: marks.close) {
                depth -= 1
                index += marks.close.count
            } else {
                if depth == 0 { kept.append(bytes[index]) }
                index += 1
            }
        }
        count += left
        return left == 0 ? text : String(decoding: kept, as: UTF8.self)[...].trimmingBlanks
    }

    /// Returns the marks of the private part that begins here, if one does.
    private func opening(_ text: ArraySlice<UInt8>) -> Marks? {
        if text.starts(with: Marks.brackets.open) { return .brackets }
        return includesBraces && text.starts(with: Marks.braces.open) ? .braces : nil
    }
}
