import Stories

/// A part of a date in words, the same for all languages.
enum DateToken: Hashable {
    /// A number of up to nine digits, with the number of its digits.
    case number(Int, digits: Int)
    /// Some years: `1920s`, `192-`, `19--`.
    case years(ClosedRange<Int>)
    /// A decade without its century: the `30er` of `1920/30er`.
    case shortDecade(Int)
    /// A word such as thirty, which is read as the decade of `anni trenta` alone.
    case tens(Int)
    case month(Int)
    case season(Season)
    /// The `q` of `q2 1936`, and quarter; of anything but a year it is a ``part``.
    case quarter
    case circa, before, after, since, until, from, orLater, orEarlier, now
    case to, and
    case century, decade, bc, ad
    case comma, slash, hyphen, dot, colon, dash, semicolon
    /// Words that change nothing about the possible days: of, the, probably.
    case filler
    /// Words that change nothing either, and may be joined to one another: early to mid, Monday to Friday.
    case detail
    /// A question mark, which doubts what is before it, or stands for an unknown side of a span.
    case doubt
    /// Words that name a part of a period: half, quarter.
    case part
    /// Words that state that no date is known.
    case unknown
    /// A word that may be a number in Roman numerals.
    case roman(Int)
    /// A name of a day that is also something else: `mar`, `do`.
    case dayAbbreviation
    /// Anything else.
    case other
}

/// Splits a text into tokens.
struct DateTokenizer {
    private let characters: [Character]
    private var at = 0
    private var tokens: [DateToken] = []
    private var words: [String] = []
    private var hasTime = false

    /// Returns the tokens of a text.
    ///
    /// With `splitsAtBrackets`, what is in brackets is a date of its own; otherwise brackets are ignored.
    static func tokens(of text: String, splitsAtBrackets: Bool) -> [DateToken] {
        var tokenizer = DateTokenizer(characters: DateTokenizer.plain(text, splitsAtBrackets: splitsAtBrackets))
        tokenizer.run()
        return tokenizer.tokens
    }

    private init(characters: [Character]) {
        self.characters = characters
    }

    /// Returns a text in lower case without accents, with all dashes as `-`, or `–` if they mean a span.
    private static func plain(_ text: String, splitsAtBrackets: Bool) -> [Character] {
        var result: [Character] = []
        // `<1920` compares, and `<1920>` is in brackets.
        let compares = text.contains("<") != text.contains(">")
        for character in withAccentedWords(text.lowercased()) {
            switch character {
            case "<" where compares, ">" where compares: result.append(character)
            case "[", "]", "(", ")", "{", "}", "<", ">": if splitsAtBrackets { result.append(";") }
            case "\"", "\u{201C}", "\u{201D}", "\u{AB}", "\u{BB}", "©": continue
            case "\u{2010}", "\u{2011}": result.append("-")
            case "\u{2012}", "\u{2013}", "\u{2014}", "\u{2015}": result.append("\u{2013}")
            case "'", "\u{2018}", "\u{2019}", "\u{B4}", "`": result.append("'")
            case _ where character.isWhitespace: if let last = result.last, last != " " { result.append(" ") }
            case _ where character.isASCII: result.append(character)
            default: result += DateVocabulary.folded(character)
            }
        }
        return result
    }

    /// Returns a text with another word for `dès`, which without its accent is `des`.
    private static func withAccentedWords(_ text: String) -> String {
        text.contains("è") ? text.replacing(#/\bdès\b/#, with: "depuis") : text
    }

    private func peek(_ offset: Int = 0) -> Character? {
        characters.indices.contains(at + offset) ? characters[at + offset] : nil
    }

    /// Whether only signs follow.
    private var isLast: Bool { characters[at...].allSatisfy { !$0.isLetter && !$0.isASCIIDigit } }

    private mutating func run() {
        while let character = peek() {
            if character.isASCIIDigit {
                flushWords()
                number()
            } else if character.isLetter {
                let word = characters[at...].prefix(while: \.isLetter)
                at += word.count
                words.append(String(word))
            } else {
                symbol(character)
            }
        }
        flushWords()
    }

    /// Reads a sign; within a phrase such as `n/a` or `av. J.-C.` it belongs to the words around it.
    private mutating func symbol(_ character: Character) {
        at += 1
        // A word follows directly, or after a space.
        let next = peek() == " " ? peek(1) : peek()
        switch character {
        case " ", "'": return
        case "." where next?.isASCIIDigit == true && isAnteOrAfter:
            words = []
            tokens.append(.other)
        case ".": if words.isEmpty, next?.isASCIIDigit == true { tokens.append(.dot) }
        case "/" where !words.isEmpty && peek()?.isLetter == true: words.append("/")
        case "-" where !words.isEmpty && peek()?.isLetter == true: words.append("-")
        default:
            flushWords()
            tokens.append(sign(character))
        }
    }

    /// Whether the words so far are the `a` of `a. 1920`, which means ante to some and after to others.
    private var isAnteOrAfter: Bool { words == ["a"] && (tokens.last ?? .semicolon) == .semicolon }

    private mutating func sign(_ character: Character) -> DateToken {
        if let comparison = comparison(character) { return comparison }
        switch character {
        case ",": return .comma
        case ";", "|": return .semicolon
        case "/": return .slash
        case ":": return .colon
        case "&": return .and
        case "+": return .orLater
        case "?": return .doubt
        case "!", "*": return .filler
        case "~", "\u{2248}": return .circa
        case "\u{2013}": return .dash
        case "-":
            let isSpaced = at > 1 && characters[at - 2] == " " && peek() == " "
            var isDouble = false
            while peek() == "-" {
                at += 1
                isDouble = true
            }
            if isSpaced || (isDouble && peek()?.isASCIIDigit == true) { return .dash }
            // Two hyphens at the end of `1929--` stand for a month and a day that were never filled in.
            return isDouble && isLast ? .filler : .hyphen
        default: return .other
        }
    }

    /// Reads a sign of comparison: `<1920`, `>=1920`, `≤1920`.
    private mutating func comparison(_ character: Character) -> DateToken? {
        switch character {
        case "\u{2264}": return .until
        case "\u{2265}": return .since
        case "<", ">":
            let isInclusive = peek() == "="
            if isInclusive { at += 1 }
            return character == "<" ? (isInclusive ? .until : .before) : isInclusive ? .since : .after
        default: return nil
        }
    }

    /// Reads a number with what belongs to it: `3rd`, `1920s`, `192-`, `19--`, `19??`, `10:30 pm`.
    private mutating func number() {
        let digits = String(characters[at...].prefix(while: \.isASCIIDigit))
        let rest = String(characters[at...].prefix(40))
        // In `2001:05:03`, as cameras write days, the colons come after the year.
        let time = tokens.last == .colon ? 0 : ClockTime.length(Substring(rest))
        if time > 0 {
            // `um 10:00` is about the time, and the day is as exact as without it.
            if tokens.last == .circa { tokens.removeLast() }
            hasTime = true
            at += time
            skipZone()
            return
        }
        at += digits.utf8.count
        guard digits.utf8.count <= 9, let value = Int(digits) else {
            tokens.append(.other)
            return
        }
        let suffix = String(characters[at...].prefix(while: \.isLetter))
        if suffix.isEmpty, let years = unfinished(value, digits.utf8.count) {
            tokens.append(.years(years))
            return
        }
        var mark = suffix
        if mark.isEmpty, peek() == "'", peek(1) == "s", peek(2)?.isLetter != true {
            mark = "s"
            at += 1
        }
        switch (digits.utf8.count, mark) {
        case (2, "s") where value.isMultiple(of: 10), (2, "er") where value.isMultiple(of: 10),
            (2, "ern") where value.isMultiple(of: 10):
            tokens.append(.shortDecade(value))
        case (_, ""), (1...2, "st"), (1...2, "nd"), (1...2, "rd"), (1...2, "th"), (1...2, "e"), (1...2, "er"),
            (1...2, "eme"), (1...2, "ieme"), (1...2, "o"), (1...2, "a"), (1...2, "de"), (1...2, "ste"), (1...2, "re"),
            (1...2, "ere"), (1...2, "ro"):
            tokens.append(.number(value, digits: digits.utf8.count))
        case (2, "t"):
            // `03t10:00`: a day and a time.
            tokens.append(.number(value, digits: 2))
        case (4, "s"), (4, "er"), (4, "ers"), (4, "ern"):
            tokens.append(.years(value...(value + (value.isMultiple(of: 100) ? 99 : 9))))
        case (3, "x"), (3, "u"), (3, "s"): tokens.append(.years((value * 10)...(value * 10 + 9)))
        case (2, "xx"), (2, "uu"): tokens.append(.years((value * 100)...(value * 100 + 99)))
        case (4, "c"), (4, "ca"): tokens += [.number(value, digits: 4), .circa]
        case (4, "ff"): tokens += [.number(value, digits: 4), .orLater]
        case (1...4, "bc"), (1...4, "bce"):
            tokens += [.number(value, digits: digits.utf8.count), .bc]
        case (1...4, "ad"), (1...4, "ce"):
            tokens += [.number(value, digits: digits.utf8.count), .ad]
        default: tokens.append(.other)
        }
        at += mark.count
    }

    /// Skips the zone that stands apart from a time, as in e-mails: `10:00:00 +0100`.
    private mutating func skipZone() {
        guard peek() == " ", let sign = peek(1), sign == "+" || sign == "-" else { return }
        guard (2...5).allSatisfy({ peek($0)?.isASCIIDigit == true }), peek(6)?.isASCIIDigit != true else { return }
        at += 6
    }

    /// Returns the years of `192-`, `19--`, `19??` and `19__`, and moves past the marks.
    private mutating func unfinished(_ value: Int, _ digits: Int) -> ClosedRange<Int>? {
        guard let mark = peek(), "-?_".contains(mark) else { return nil }
        let marks = characters[at...].prefix { $0 == mark }.count
        if let next = peek(marks), next.isASCIIDigit || next.isLetter { return nil }
        switch (digits, marks) {
        case (3, 1...2) where mark == "-":
            at += marks
            return (value * 10)...(value * 10 + 9)
        case (2, 2):
            at += marks
            return (value * 100)...(value * 100 + 99)
        default: return nil
        }
    }

    /// The meaning of words that leave the end open where nothing but them follows a date: `1920 on`, `1893-date`.
    private var openEnd: DateToken? {
        guard let last = tokens.last, !words.isEmpty, isLast else { return nil }
        switch (words, last) {
        case (["on"], .number), (["on"], .years), (["and", "on"], .number), (["and", "on"], .years): return .orLater
        case (["date"], .hyphen), (["date"], .dash), (["date"], .slash): return .now
        default: return nil
        }
    }

    private var isAfterRoman: Bool {
        if case .roman = tokens.last { true } else { false }
    }

    /// Turns the words read so far into tokens, the longest known phrase first.
    private mutating func flushWords() {
        if let open = openEnd {
            words = []
            tokens.append(open)
            return
        }
        var rest = words[...]
        words = []
        while let first = rest.first {
            // After a time, Eastern Standard Time and not an estimate.
            if first == "est", hasTime {
                rest = rest.dropFirst()
                continue
            }
            let phrases = DateVocabulary.phrases[first] ?? []
            if let phrase = phrases.first(where: { rest.starts(with: $0.words) }) {
                tokens += phrase.tokens
                rest = rest.dropFirst(phrase.words.count)
                continue
            }
            rest = rest.dropFirst()
            switch first {
            case "-": tokens.append(.hyphen)
            case "/": tokens.append(.slash)
            // `XIXe s.`
            case "s" where isAfterRoman: tokens.append(.century)
            default: tokens.append(DateVocabulary.token(first))
            }
        }
    }
}
