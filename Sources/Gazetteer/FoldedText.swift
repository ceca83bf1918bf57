import Folding

/// A text split into folded words, for comparing names and queries.
///
/// Case, accents and punctuation are removed; full stops and apostrophes join ("U.S." becomes `us`, "O'Fallon" becomes
/// `ofallon`).
package struct FoldedText: Sendable {
    /// One word.
    package struct Token: Sendable, Equatable {
        /// The range of its bytes.
        var range: Range<Int>
        /// The index of the part between commas that contains the word.
        var segment: Int
        /// Whether a hyphen joined it to the previous word.
        var isHyphenated: Bool
    }

    /// The folded bytes of all words, without separators.
    private(set) var bytes: [UInt8] = []
    /// The words in order.
    package private(set) var tokens: [Token] = []

    private var start = 0
    private var segment = 0
    private var isHyphenated = false
    // A full stop after two or more letters ends the word if a letter follows directly ("St.Louis", not "U.S.A.").
    private var hasPendingStop = false
    private var runStart = 0
    private var previous: Unicode.Scalar?

    /// The maximum number of characters processed.
    package static let longest = 512

    /// Folds at most `limit` characters of `text`.
    ///
    /// This overload is specialised for `String`, because compiling a gazetteer folds millions of names.
    package init(_ text: String, limit: Int = longest) { self.init(folding: text, limit: limit) }

    /// Folds at most `limit` characters of `text`.
    init(_ text: some StringProtocol, limit: Int = longest) { self.init(folding: text, limit: limit) }

    private init(folding text: some StringProtocol, limit: Int) {
        let table = FoldTable.standard
        for scalar in text.unicodeScalars.prefix(limit) { append(scalar, table) }
        endToken()
    }

    /// Returns a text without commas between two letters if a space follows the second letter ("Celin,a OH"); `nil` if
    /// there are no such commas, or if the text has more than 300 bytes.
    static func withoutCommasInWords(_ text: String) -> String? {
        let bytes = Array(text.utf8.prefix(300))
        func isLetter(_ index: Int) -> Bool {
            index < bytes.count && (bytes[index] | 0x20) >= 0x61 && (bytes[index] | 0x20) <= 0x7A
        }
        let commas = bytes.indices.filter { index in
            guard bytes[index] == UInt8(ascii: ","), index > 0, isLetter(index - 1), isLetter(index + 1) else {
                return false
            }
            return index + 2 < bytes.count && bytes[index + 2] == 0x20
        }
        guard !commas.isEmpty, bytes.count == text.utf8.count else { return nil }
        return String(decoding: bytes.enumerated().filter { !commas.contains($0.offset) }.map(\.element), as: UTF8.self)
    }

    /// Returns the first `count` words.
    func prefix(_ count: Int) -> FoldedText {
        var text = self
        text.tokens.removeLast(max(0, tokens.count - count))
        return text
    }

    /// Returns the text with each word of a script without spaces split into the names that it consists of.
    ///
    /// `isName` returns whether the given bytes are a name. Only words that are not names themselves are split.
    func cutBetweenNames(_ isName: (ArraySlice<UInt8>) -> Bool) -> FoldedText {
        guard bytes.contains(where: { $0 >= Self.firstIdeographic }) else { return self }
        var text = self
        text.tokens = tokens.flatMap { token -> [Token] in
            let word = bytes[token.range]
            guard word.count <= 60, word.allSatisfy({ $0 >= 0x80 }), let first = word.first,
                first >= Self.firstIdeographic, !isName(word), let cuts = Self.cuts(word, isName, depth: 3)
            else { return [token] }
            return zip([token.range.lowerBound] + cuts, cuts + [token.range.upperBound])
                .map { Token(range: $0..<$1, segment: token.segment, isHyphenated: false) }
        }
        return text
    }

    /// The lowest first byte of Han, kana and Hangul letters in UTF-8; names contain no other characters from this byte
    /// on.
    private static let firstIdeographic: UInt8 = 0xE3

    /// Returns the positions at which a word splits into names, or `nil`; a longer first name is preferred.
    private static func cuts(_ word: ArraySlice<UInt8>, _ isName: (ArraySlice<UInt8>) -> Bool, depth: Int) -> [Int]? {
        guard depth > 0 else { return nil }
        for cut in word.indices.dropFirst().reversed() where word[cut] & 0xC0 != 0x80 && isName(word[..<cut]) {
            if isName(word[cut...]) { return [cut] }
            if let more = cuts(word[cut...], isName, depth: depth - 1) { return [cut] + more }
        }
        return nil
    }

    /// Returns the bytes of one word.
    package func bytes(of token: Token) -> ArraySlice<UInt8> { bytes[token.range] }

    /// Returns the key of consecutive words, joined by single spaces; if `canonical`, words with a short form are in
    /// that form.
    package func key(_ range: Range<Int>, canonical: Bool) -> [UInt8] {
        var key: [UInt8] = []
        for index in range {
            if index > range.lowerBound { key.append(0x20) }
            let word = bytes(of: tokens[index])
            if canonical, let short = Abbreviations.short(for: word, isAlone: range.count == 1) {
                key.append(contentsOf: short)
            } else {
                key.append(contentsOf: word)
            }
        }
        return key
    }

    private mutating func append(_ scalar: Unicode.Scalar, _ table: FoldTable) {
        let value = scalar.value
        if value < 0x80 {
            appendASCII(UInt8(truncatingIfNeeded: value))
        } else if Self.commas.contains(value) {
            appendASCII(UInt8(ascii: ","))
        } else if let digit = DecimalDigit.ascii(scalar) {
            appendASCII(digit)
        } else if !compose(scalar) {
            switch table.fold(scalar) {
            case .itself: appendLetters(UTF8.encode(scalar).map(Array.init) ?? [])
            case .dropped: break
            case .separator: endToken()
            case .text(let range):
                for part in table.texts[range].split(separator: 0x20, omittingEmptySubsequences: false).enumerated() {
                    if part.offset > 0 { endToken() }
                    appendLetters(Array(part.element))
                }
            }
        }
        previous = scalar
    }

    /// Commas and semicolons in other scripts: Arabic, ideographic, full-width.
    private static let commas: [UInt32] = [0x060C, 0x061B, 0x3001, 0xFF0C, 0xFF1B]

    private mutating func appendASCII(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            appendLetter(byte)
        case UInt8(ascii: "A")...UInt8(ascii: "Z"):
            appendLetter(byte | 0x20)
        case UInt8(ascii: "'"), UInt8(ascii: "`"):
            break
        case UInt8(ascii: "."):
            hasPendingStop = true
        case UInt8(ascii: "&"):
            endToken()
            appendLetters(Array("and".utf8))
            endToken()
        case UInt8(ascii: ","), UInt8(ascii: ";"), 0x0A:
            endToken()
            if let last = tokens.last, last.segment == segment { segment += 1 }
        case UInt8(ascii: "-"):
            endToken()
            isHyphenated = tokens.last != nil
        default:
            endToken()
        }
    }

    @inline(__always)
    private mutating func appendLetter(_ byte: UInt8) {
        if hasPendingStop { resolveStop() }
        bytes.append(byte)
    }

    private mutating func appendLetters(_ letters: [UInt8]) {
        if hasPendingStop { resolveStop() }
        bytes.append(contentsOf: letters)
    }

    private mutating func resolveStop() {
        hasPendingStop = false
        if bytes.count - runStart > 1 { endToken() }
        runStart = bytes.count
    }

    private mutating func endToken() {
        hasPendingStop = false
        guard bytes.count > start else {
            isHyphenated = false
            return
        }
        tokens.append(Token(range: start..<bytes.count, segment: segment, isHyphenated: isHyphenated))
        start = bytes.count
        runStart = start
        isHyphenated = false
    }

    /// Composes the last letter and a following character that belongs to it; stored names are composed.
    private mutating func compose(_ scalar: Unicode.Scalar) -> Bool {
        guard LetterComposition.isSecond(scalar.value), let last = lastScalar,
            let composed = LetterComposition.composed(last, scalar.value)
        else { return false }
        return replaceLast(composed)
    }

    /// The last character of the current word, if it has three bytes in UTF-8.
    private var lastScalar: UInt32? {
        guard bytes.count - start >= 3 else { return nil }
        let tail = bytes[(bytes.count - 3)...].map(UInt32.init)
        guard tail[0] & 0xF0 == 0xE0 else { return nil }
        return (tail[0] & 0x0F) << 12 | (tail[1] & 0x3F) << 6 | tail[2] & 0x3F
    }

    private mutating func replaceLast(_ value: UInt32) -> Bool {
        guard let scalar = Unicode.Scalar(value), let encoded = UTF8.encode(scalar) else { return false }
        bytes.removeLast(3)
        bytes.append(contentsOf: encoded)
        return true
    }
}

extension FoldedText {
    /// The key of all words in their short forms.
    package var wholeKey: [UInt8] { key(0..<tokens.count, canonical: true) }
}

/// Words with an equally common short form.
enum Abbreviations: Sendable {
    private static let pairs: [(long: [UInt8], short: [UInt8], mayBeAlone: Bool)] = [
        ("saint", "st", true), ("sainte", "st", true), ("ste", "st", true), ("sankt", "st", true),
        ("santa", "sta", true), ("santo", "sto", true), ("mount", "mt", true), ("mountain", "mtn", true),
        ("fort", "ft", true), ("point", "pt", true), ("township", "twp", true), ("north", "n", false),
        ("south", "s", false), ("east", "e", false), ("west", "w", false), ("northern", "n", false),
        ("southern", "s", false), ("eastern", "e", false), ("western", "w", false), ("great", "gt", false),
        ("heights", "hts", false), ("springs", "spgs", false), ("junction", "jct", true), ("beach", "bch", false),
        ("center", "ctr", false), ("centre", "ctr", false), ("harbor", "hbr", false), ("harbour", "hbr", false),
        ("street", "st", false), ("avenue", "ave", false), ("boulevard", "blvd", false), ("road", "rd", false),
        ("drive", "dr", false), ("highway", "hwy", false), ("square", "sq", false), ("court", "ct", false),
        ("parkway", "pkwy", false), ("university", "univ", false),
    ]
    .map { (Array($0.0.utf8), Array($0.1.utf8), $0.2) }

    /// Returns the short form of a word, or `nil` if it has none.
    static func short(for word: ArraySlice<UInt8>, isAlone: Bool) -> [UInt8]? {
        guard (3...10).contains(word.count), let first = word.first else { return nil }
        for pair in pairs where pair.long.first == first && pair.long.elementsEqual(word) {
            return isAlone && !pair.mayBeAlone ? nil : pair.short
        }
        return nil
    }
}
