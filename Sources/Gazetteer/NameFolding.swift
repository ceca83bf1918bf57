/// Access to name folding, for tests and for tools that explain a result.
package enum NameFolding: Sendable {
    /// Returns the folded words of a text: without case, accents and punctuation.
    package static func words(of text: String) -> [String] {
        let folded = FoldedText(text)
        return folded.tokens.map { String(decoding: folded.bytes(of: $0), as: UTF8.self) }
    }

    /// Returns the key used to find a name: its words, with common abbreviations, joined by spaces.
    package static func key(of name: String) -> String {
        String(decoding: FoldedText(name).wholeKey, as: UTF8.self)
    }
}
