/// Normalisation of street names for comparison: folded, with short forms for street types and directions.
package enum StreetName: Sendable {
    /// Short forms of words: the form of the US postal service if there is one.
    private static let short: [String: String] = {
        let table = """
            alley aly|avenue ave|av ave|aven ave|boulevard blvd|bl blvd|boul blvd|circle cir|court ct|crescent cres|cove cv
            crossing xing|drive dr|doctor dr|estate est|estates ests|expressway expy|extension ext|freeway fwy|gardens gdns
            garden gdn|grove grv|heights hts|highway hwy|hill hl|hills hls|island is|junction jct|lane ln|la ln|landing lndg
            manor mnr|mount mt|mountain mtn|parkway pkwy|pky pkwy|pkway pkwy|place pl|plaza plz|point pt|road rd|ridge rdg
            route rte|saint st|sainte st|square sq|station sta|street st|str st|terrace ter|terr ter|trail trl|tr trl
            turnpike tpke|tpk tpke|valley vly|view vw|village vlg|walk wlk|way wy|north n|south s|east e|west w
            northeast ne|northwest nw|southeast se|southwest sw|junior jr|first 1|second 2|third 3|fourth 4|fifth 5
            sixth 6|seventh 7|eighth 8|ninth 9|tenth 10|eleventh 11|twelfth 12|fort ft|center ctr|centre ctr
            """
        var words: [String: String] = [:]
        for pair in table.split(whereSeparator: { $0 == "|" || $0 == "\n" }) {
            let parts = pair.split(separator: " ")
            if parts.count == 2 { words[String(parts[0])] = String(parts[1]) }
        }
        return words
    }()

    private static let kinds: Set<String> = [
        "aly", "ave", "blvd", "cir", "ct", "cres", "cv", "dr", "expy", "fwy", "hwy", "ln", "pkwy", "pl", "plz", "rd",
        "rte", "sq", "st", "ter", "trl", "tpke", "wy", "loop", "row", "path", "xing", "wlk",
    ]

    /// Street types that are long enough to be misspelt.
    private static let longKinds: [(letters: [UInt32], short: String)] =
        short.filter { kinds.contains($0.value) && $0.key.utf8.count >= 5 }
        .sorted { $0.key < $1.key }
        .map { (FoldedText.letters($0.key.utf8), $0.value) }

    /// Returns the comparison forms that a partially typed word may represent: its own, and the short forms of longer
    /// words that begin with it.
    static func forms(ofBeginning folded: String) -> [String] {
        let known = word(folded)
        guard known == folded, folded.utf8.count >= 3 else { return [known] }
        let longer = Set(short.filter { $0.key.hasPrefix(folded) }.values)
        return [known] + longer.subtracting([known]).sorted()
    }

    private static let strasse = FoldedText.letters("strasse".utf8)

    /// Returns the form of a word used for comparison; recognizes a street type even with one typo.
    static func likelyWord(_ folded: String) -> String {
        let known = word(folded)
        guard known == folded, (4...30).contains(folded.utf8.count), !isKind(folded) else { return known }
        let letters = FoldedText.letters(folded.utf8)
        // "Hauptstrase"
        for length in [6, 7] where letters.count > length + 2 {
            guard EditCost.between(Array(letters.suffix(length)), strasse)?.edits == 1 else { continue }
            return folded.dropLast(length) + "str"
        }
        return longKinds.first { EditCost.between(letters, $0.letters)?.edits == 1 }?.short ?? known
    }

    private static let directions: Set<String> = ["n", "s", "e", "w", "ne", "nw", "se", "sw"]

    /// Returns the form of one folded word used for comparison.
    static func word(_ folded: String) -> String {
        if let known = short[folded] { return known }
        let digits = folded.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
        if digits > 0, digits + 2 == folded.utf8.count, ["st", "nd", "rd", "th"].contains(folded.suffix(2)) {
            return String(folded.prefix(digits))
        }
        if folded.utf8.count > 8, folded.hasSuffix("strasse") { return String(folded.dropLast(4)) }
        return folded
    }

    /// Returns the key of a whole name as UTF-8; empty if the name contains no words.
    package static func key(_ name: String) -> [UInt8] { key(of: AddressWord.words(of: name)) }

    /// Returns the key of a whole name as UTF-8; empty if the name contains no words.
    static func key(_ name: some StringProtocol) -> [UInt8] {
        key(of: AddressWord.words(of: name))
    }

    /// Returns the key of a sequence of words.
    static func key(of words: some Sequence<AddressWord>) -> [UInt8] {
        Array(words.map { word($0.text) }.joined(separator: " ").utf8.prefix(longestKey))
    }

    /// Returns whether a word in its short form is a street type.
    static func isKind(_ word: String) -> Bool { kinds.contains(word) }

    /// Returns whether a word in its short form is a direction.
    static func isDirection(_ word: String) -> Bool { directions.contains(word) }

    static let longestKey = 120
}

/// A house number normalised for comparison and sorting: "12", "12a", "94-12".
public struct HouseNumber: Hashable, Sendable {
    /// The folded text, keeping hyphens between numbers.
    public let text: String
    /// The sort value along the street: the number, or both parts of a hyphenated one.
    public let value: UInt32

    /// Parses a number as entered; `nil` if it does not begin with a digit.
    public init?(_ written: some StringProtocol) { self.init(parsing: written) }

    /// Parses a number as entered.
    ///
    /// This overload is specialised for `String`, because compiling a gazetteer parses millions of addresses.
    package init?(_ written: String) { self.init(parsing: written) }

    private init?(parsing written: some StringProtocol) {
        let words = AddressWord.words(of: written)
        guard let first = words.first, let value = HouseNumber.value(of: first.text) else { return nil }
        self.text = words.prefix(3).map(\.text).joined(separator: " ")
        self.value = value
    }

    init(text: String, value: UInt32) {
        self.text = text
        self.value = value
    }

    /// Returns the value of a folded word, or `nil` if it does not begin with a digit or is too long for a house
    /// number.
    static func value(of word: String) -> UInt32? {
        let parts = word.split(separator: "-", maxSplits: 1)
        guard let first = parts.first, let number = leading(first), number < 1_000_000 else { return nil }
        guard parts.count == 2, let second = leading(parts[1]), second < 1000, number < 100_000 else { return number }
        return number * 1000 + second
    }

    private static func leading(_ text: Substring) -> UInt32? {
        let digits = text.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        // At most two letters may follow the digits: "12b" is accepted, and so is "1st", but "10001abc" is not.
        guard !digits.isEmpty, digits.count <= 6, text.utf8.count - digits.count <= 2 else { return nil }
        return UInt32(String(Substring(digits)))
    }
}

/// A word of an address: a folded word, or a number with the parts joined to it by hyphens.
struct AddressWord: Sendable {
    var text: String
    /// The index of the part between commas that contains the word.
    var segment: Int

    static func words(of text: some StringProtocol) -> [AddressWord] {
        let folded = FoldedText(text)
        var words: [AddressWord] = []
        for token in folded.tokens {
            let part = String(decoding: folded.bytes(of: token), as: UTF8.self)
            if token.isHyphenated, let last = words.last, startsWithDigit(last.text), startsWithDigit(part) {
                words[words.count - 1].text += "-" + part
            } else {
                words.append(AddressWord(text: part, segment: token.segment))
            }
        }
        return words
    }

    static func startsWithDigit(_ text: String) -> Bool {
        text.utf8.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
    }
}
