/// Words of somebody whom the reader may not know, as they stand in a message of ours: short, on one line, and without
/// anything that a mail program would make a link of.
public enum StrangerWords: Sendable {
    /// The most characters that are shown.
    public static let length = 60

    /// A name in quotation marks, so that nobody takes it for our own words.
    public static func quoted(_ text: String) -> String { "“\(plain(text))”" }

    /// A name without quotation marks of its own; a dash when nothing of it can be seen.
    public static func plain(_ text: String) -> String {
        let line = PlainText.line(text).filter { !"“”„\"<>".contains($0) }
        let words = line.replacing("://", with: " ").split(separator: " ").map(unlinked)
        let joined = words.joined(separator: " ")
        guard PlainText.isVisible(joined) else { return "–" }
        return joined.count <= length ? joined : joined.prefix(length - 1) + "…"
    }

    /// A word whose dots and at signs lead nowhere: `example.com` becomes `example·com`, `J.R.` stays.
    private static func unlinked(_ word: Substring) -> String {
        let marks: Set<Character> = [".", "@", "。", "．", "｡"]
        var parts = word.split(omittingEmptySubsequences: false) { marks.contains($0) }
        guard parts.count > 1 else { return String(word) }
        // What ends a sentence ends no address.
        let ending = parts.last?.isEmpty == true ? String(word.suffix(1)) : ""
        if !ending.isEmpty { parts.removeLast() }
        let isAddress = parts.count > 1 && parts.dropFirst().contains { $0.count > 1 }
        return isAddress ? parts.joined(separator: "·") + (ending == "@" ? "" : ending) : String(word)
    }
}
