/// The marks of privacy in what is written into a picture.
extension RowPrivacy {
    /// The maximum length of a mark in bytes, which becomes a tag about which an import asks.
    private static let longestMark = 60
    /// The maximum number of words of a text that are looked at.
    private static let mostWords = 400

    /// Returns what restricts a picture among its words.
    ///
    /// As tags they are what an import asks about.
    /// - Parameters:
    ///   - keywords: keywords, of which each or a level of it (`Access|Private`) may be a mark.
    ///   - texts: captions, titles and comments, which may begin with one or be marked as titles are.
    ///   - terms: rights and instructions, which may have one anywhere.
    /// - Returns: the marks in that order, each once.
    package static func marks(keywords: [String], texts: [String], terms: [String]) -> [String] {
        let levels = keywords.flatMap { [$0] + $0.split { "|/".contains($0) }.map { String($0).trimmed } }
        let found = levels.filter(marks) + texts.compactMap(mark) + terms.compactMap(term)
        var seen: Set<String> = []
        return found.filter { seen.insert($0).inserted }
    }

    /// Returns the mark with which a text begins, or that a title has beside its words.
    private static func mark(in text: String) -> String? {
        guard PrivacyWords.marksText(text) || PrivacyWords.isMarked(text) else { return nil }
        return ([beginning(of: text[...])] + pieces(of: text)).first(where: marks)
    }

    /// Returns the first mark in a text about rights or use, at whatever word it begins.
    private static func term(in text: String) -> String? {
        for piece in pieces(of: text) {
            if marks(piece) { return piece }
            let words = piece.split(whereSeparator: \.isWhitespace)
            for start in words.indices.dropFirst() {
                let rest = beginning(of: piece[words[start].startIndex...])
                if PrivacyWords.isDemand(rest), marks(rest) { return rest }
            }
        }
        return nil
    }

    /// Returns the parts of a text between marks of punctuation.
    private static func pieces(of text: String) -> [String] {
        text.split(maxSplits: mostWords, whereSeparator: \.isWhitespace).prefix(mostWords).joined(separator: " ")
            .replacing(" - ", with: "\n").split { ".,;:!?–—|()[]\n".contains($0) }
            .map { beginning(of: $0) }.filter { !$0.isEmpty }
    }

    /// Returns a text up to the last whole word within the length of a mark.
    private static func beginning(of text: Substring) -> String {
        let text = text.drop(while: \.isWhitespace)
        guard text.utf8.count > longestMark else { return String(text).trimmed }
        var (length, end) = (0, text.startIndex)
        for index in text.indices {
            length += text[index].utf8.count
            guard length <= longestMark else { break }
            if text[index].isWhitespace { end = index }
        }
        return String(text[..<end]).trimmed
    }
}
