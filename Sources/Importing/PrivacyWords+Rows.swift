import Stories

// Marks of single rows, in tags, titles and texts.
extension PrivacyWords {
    /// Words of ``restricting`` that may also be what a story is about.
    private static let topics: Set<String> = ["family", "friends", "secret", "internal"]
    /// Beginnings of a demand; what is not to be done follows within a few words.
    private static let demands = [
        ["do", "not"], ["don", "t"], ["dont"], ["not", "for"], ["please", "do", "not"],
        ["please", "don", "t"], ["nicht", "zur"], ["bitte", "nicht"], ["ne", "pas"], ["no", "publicar"],
        ["não", "publicar"],
    ]
    private static let demandVerbs: Set<String> = [
        "publish", "published", "publication", "share", "shared", "release", "released", "online", "internet", "web",
        "veröffentlichen", "veröffentlichung", "publier", "diffuser", "publicar",
    ]
    /// Words that mark a title in front of a colon, a dash or a bracket.
    private static let titleMarks: Set<String> = [
        "sealed", "withheld", "embargo", "draft", "redacted", "entwurf", "brouillon",
    ]
    /// Further marks, their words joined by underscores.
    private static let rowMarks: Set<String> = [
        "restricted_access", "access_restricted", "internal_use", "internal_use_only", "riservato", "vertrouwelijk",
        "niet_openbaar", "nicht_veröffentlichen", "do_not_publish", "not_for_publication", "off_the_record",
    ]
    /// What restricts in front of "until".
    private static let terms: Set<String> = ["restricted", "embargoed", "embargo", "sealed"]

    /// Returns whether a whole tag, kind or folder restricts its story.
    static func marksRow(_ value: String, on today: CalendarDay? = nil) -> Bool {
        guard value.utf8.count <= 60 else { return false }
        let words = words(value)
        if marks(words) || isDemand(value) { return true }
        return (words.starts(with: ["closed", "until"]) || isTerm(words)) && !PrivacyTerm.endsOver(value, on: today)
    }

    private static func marks(_ words: [String]) -> Bool {
        let plain = words.joined(separator: "_")
        return restricting.contains(plain) && !topics.contains(plain) || rowMarks.contains(plain)
    }

    /// Returns whether words set a term: "embargoed until 2040".
    private static func isTerm(_ words: [String]) -> Bool {
        zip(words, words.dropFirst()).contains { terms.contains($0) && ($1 == "until" || $1 == "till") }
    }

    /// Returns whether a text is a mark, or begins with one or with a demand, as in "CONFIDENTIAL: she said …".
    static func marksText(_ text: String, on today: CalendarDay? = nil) -> Bool {
        if isDemand(text) { return true }
        guard let first = firstLetter(of: text), textStarts.contains(first) || first >= 0x80 else { return false }
        let start = text.prefix(40)
        // "(private) from Yorktown, go west" is a way.
        let mark = start.prefix { !".:–—|!([".contains($0) }
        let words = words(String(mark))
        return (mark.endIndex < start.endIndex || start.endIndex == text.endIndex) && marks(words)
            || isTerm(Array(self.words(String(start)).prefix(3))) && !PrivacyTerm.endsOver(text, on: today)
    }

    /// The first letters of ``restricting`` and ``rowMarks``, by which other texts are put aside quickly.
    private static let textStarts = Set(
        (restricting.union(rowMarks).union(terms)).compactMap { $0.utf8.first.map { $0 | 0x20 } }
    )

    /// Returns the first byte of a letter, small if it is one of ASCII.
    private static func firstLetter(of text: String) -> UInt8? {
        text.utf8.lazy.map { $0 | 0x20 }.first { (0x61...0x7A).contains($0) || $0 >= 0x80 }
    }

    /// Returns whether a text begins with a demand: "Please do not publish", "Not for publication".
    static func isDemand(_ value: String) -> Bool {
        guard let first = firstLetter(of: value), starts.contains(first) else { return false }
        // "Don't know who he is. Please share" demands nothing, and "don't hesitate to share" the contrary.
        let sentence = value.prefix(80).drop { !$0.isLetter }.prefix { !".!?\n".contains($0) }
        let words = words(String(sentence))
        guard !words.contains(where: ["hesitate", "forget"].contains) else { return false }
        return demands.contains { demand in
            words.starts(with: demand)
                && words.dropFirst(demand.count - 1).prefix(5).contains(where: demandVerbs.contains)
        }
    }

    /// Returns whether a text begins with a weaker one: "Not to be released", which may be about the object itself.
    static func isWish(_ value: String) -> Bool {
        guard firstLetter(of: value) == UInt8(ascii: "n") else { return false }
        // "Not to be reproduced. Published in 1936" is about the copies.
        let words = words(String(value.prefix(80).prefix { !".!?\n".contains($0) }))
        return words.starts(with: ["not", "to", "be"])
            && words.dropFirst(3).prefix(4).contains(where: demandVerbs.contains)
    }

    /// The first letters of all demands, by which other texts are put aside quickly.
    private static let starts = Set("dnpb".utf8)

    /// Returns whether a part of a title restricts its story: one in brackets, or beside a colon or a dash.
    static func isMarked(_ title: String, on today: CalendarDay? = nil) -> Bool {
        guard title.utf8.count <= 200 else { return false }
        if hasTill(title), isTerm(words(title)), !PrivacyTerm.endsOver(title, on: today) { return true }
        guard title.utf8.contains(where: separators.contains) else { return false }
        let parts = title.split(separator: " - ").flatMap { $0.split { "()[]–—:|".contains($0) } }
            .map { words(String($0)) }.filter { !$0.isEmpty }
        guard parts.count > 1, let first = parts.first else { return false }
        if first == ["embargo"], PrivacyTerm.isHistory(parts.dropFirst(), on: today) { return false }
        return titleMarks.contains(first.joined(separator: "_")) || parts.contains(where: marks)
            || parts.dropFirst().contains { isDemand($0.joined(separator: " ")) }
    }

    /// Returns quickly whether a text may contain "until" or "till".
    private static func hasTill(_ text: String) -> Bool {
        zip(text.utf8, text.utf8.dropFirst())
            .contains { $0 | 0x20 == UInt8(ascii: "t") && $1 | 0x20 == UInt8(ascii: "i") }
    }

    /// The bytes by which a title may have parts: brackets, colons, hyphens and the first one of a dash.
    private static let separators = Set("([:|-–".utf8)
}
