/// Wishes not to publish something, wherever a value has them.
extension PrivacyWords {
    /// What is not to be done, in a value that asks for it.
    private static let pleas: Set<String> = [
        "publish", "published", "publication", "share", "shared", "release", "released", "show", "shown", "display",
        "displayed", "online", "internet", "web", "website", "public",
    ]
    private static let negations = [
        ["do", "not"], ["don", "t"], ["dont"], ["never"], ["not", "for"], ["not", "to"],
    ]
    /// The number of words from a negation on among which a plea is looked for.
    private static let reach = 7
    /// Words by which a sentence limits what the one before it denies, as "Share only with the family" does.
    private static let limiters: Set<String> = [
        "only", "family", "private", "privately", "until", "till", "after", "before", "unless", "without", "with",
        "within", "inside", "members", "staff", "consent", "permission", "approval", "not", "never", "no", "don",
    ]
    /// Verbs that tell what somebody never did.
    private static let told: Set<String> = ["published", "shared", "released", "displayed"]
    /// Words by which such a sentence may tell a secret, as "They never shared this story" does.
    private static let secrets: Set<String> = [
        "this", "these", "it", "them", "that", "outside", "family", "anyone", "anybody", "public", "publicly", "online",
        "internet", "web", "website", "interview", "interviews", "story", "stories", "with",
    ]
    /// Words that a full stop shortens.
    private static let shortened: Set<String> = [
        "mr", "mrs", "ms", "dr", "st", "jr", "sr", "prof", "rev", "fr", "gen", "col", "capt", "lt", "sgt", "mt", "vol",
        "co", "no", "nr", "pp",
    ]

    /// Returns whether a value asks not to publish something: "Do not publish", "not for publication".
    ///
    /// A negation reaches no further than its sentence: "He did not want to. Published in 1936." asks for nothing.
    static func isPlea(_ value: String) -> Bool {
        guard hasNegation(value) else { return false }
        let sentences = sentences(value).map(words)
        let limits = sentences.map { $0.contains(where: limiters.contains) }
        let all = sentences.enumerated().flatMap { number, words in words.map { (word: $0, sentence: number) } }
        let words = all.map(\.word)
        return words.indices.contains { index in
            let rest = words[index...]
            guard negations.contains(where: { rest.starts(with: $0) }) else { return false }
            return all[index...].prefix(reach)
                .contains { word, sentence in
                    guard pleas.contains(word) else { return false }
                    if sentence > all[index].sentence { return limits[sentence] }
                    return !isTold(words[...index].suffix(2) + words[(index + 1)...].prefix(1), sentences[sentence])
                }
        }
    }

    /// Returns whether the words around a negation tell what somebody never did: "She never published her poems".
    private static func isTold(_ around: ArraySlice<String>, _ sentence: [String]) -> Bool {
        guard around.count == 3, let first = around.first, ["she", "he", "they"].contains(first),
            let last = around.last, told.contains(last), around.dropFirst().first == "never"
        else { return false }
        return !sentence.contains(where: secrets.contains)
    }

    /// Returns the sentences of a value; the end of a very short one may be emphasis: "DO NOT. PUBLISH."
    private static func sentences(_ value: String) -> [String] {
        var sentences: [String] = []
        var start = value.startIndex
        for index in value.indices where ".!?".contains(value[index]) {
            let next = value.index(after: index)
            let rest = value[next...]
            let following = rest.first { !$0.isWhitespace }
            guard rest.first?.isWhitespace == true, let following, following.isUppercase || following.isNumber else {
                continue
            }
            let words = words(String(value[start..<index]))
            guard words.count > 2, let last = words.last, last.count > 1, !shortened.contains(last) else { continue }
            sentences.append(String(value[start..<next]))
            start = next
        }
        return sentences + [String(value[start...])]
    }

    /// Returns quickly whether a value of moderate length may contain a negation: "not", "don't", "never".
    private static func hasNegation(_ value: String) -> Bool {
        guard (8...longest).contains(value.utf8.count) else { return false }
        var last: (UInt8, UInt8) = (0, 0)
        for byte in value.utf8 {
            let small = byte | 0x20
            if last.1 == UInt8(ascii: "o"), last.0 == UInt8(ascii: "n"), small == UInt8(ascii: "t") { return true }
            if last.1 == UInt8(ascii: "o"), last.0 == UInt8(ascii: "d"), small == UInt8(ascii: "n") { return true }
            if last.1 == UInt8(ascii: "e"), last.0 == UInt8(ascii: "n"), small == UInt8(ascii: "v") { return true }
            last = (last.1, small)
        }
        return false
    }
}
