/// Text from someone the reader may not know, made safe for our messages: short, on one line, and without anything that
/// a mail client would turn into a link.
public enum StrangerWords: Sendable {
    /// The maximum number of characters shown.
    public static let length = 60

    /// Returns a name in quotation marks, so that it is not taken for our own text.
    public static func quoted(_ text: String) -> String { "“\(plain(text))”" }

    /// Returns a name without its own quotation marks; a dash if it has no visible characters.
    public static func plain(_ text: String) -> String {
        let line = PlainText.line(text).filter { !"“”„\"<>".contains($0) }
        let words = line.replacing("://", with: " ").split(separator: " ").map(unlinked)
        let joined = words.joined(separator: " ")
        guard PlainText.isVisible(joined) else { return "–" }
        return joined.count <= length ? joined : joined.prefix(length - 1) + "…"
    }

    /// Returns a word that mail clients do not turn into a link: `example.com` becomes `example·com`, `J.R.` is
    /// unchanged.
    private static func unlinked(_ word: Substring) -> String {
        let marks: Set<Character> = [".", "@", "。", "．", "｡"]
        var parts = word.split(omittingEmptySubsequences: false) { marks.contains($0) }
        guard parts.count > 1 else { return String(word) }
        // Punctuation at the end of a sentence is not part of a link.
        let ending = parts.last?.isEmpty == true ? String(word.suffix(1)) : ""
        if !ending.isEmpty { parts.removeLast() }
        let isAddress = parts.count > 1 && parts.dropFirst().contains { $0.count > 1 }
        return isAddress ? parts.joined(separator: "·") + (ending == "@" ? "" : ending) : String(word)
    }
}
