import Geometry

/// One piece of a condition's text.
enum QueryToken: Hashable, Sendable {
    /// A word: a keyword or the name of a property.
    case word(String)
    /// The name of a property in double quotes.
    case name(String)
    case text(String)
    case number(Double)
    /// A sign such as `(` or `<=`.
    case sign(String)
    case end

    /// What it is, for messages.
    var shown: String {
        switch self {
        case .word(let word): QueryToken.short(word)
        case .name(let name): "\"\(QueryToken.short(name))\""
        case .text: "a text"
        case .number: "a number"
        case .sign(let sign): sign
        case .end: "the end"
        }
    }

    private static func short(_ text: String) -> String { text.count > 30 ? text.prefix(30) + "…" : text }
}

/// Splits the text of a condition into pieces.
struct QueryTokens {
    private let scalars: [Unicode.Scalar]
    private var at = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    /// Returns the next piece with the index of its first character.
    mutating func next() throws(QueryTextError) -> (token: QueryToken, start: Int) {
        while let scalar = peek, scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r" { at += 1 }
        let start = at
        guard let scalar = peek else { return (.end, start) }
        switch scalar {
        case "'": return (.text(try quoted(by: "'")), start)
        case "\"":
            let name = try quoted(by: "\"")
            guard !name.isEmpty else { throw QueryTextError(message: "the name is empty", position: start + 1) }
            return (.name(name), start)
        case "(", ")", ",", "=":
            at += 1
            return (.sign(String(scalar)), start)
        case "<", ">":
            at += 1
            if let second = peek, second == "=" || scalar == "<" && second == ">" {
                at += 1
                return (.sign(String(scalar) + String(second)), start)
            }
            return (.sign(String(scalar)), start)
        case _ where QueryTokens.isDigit(scalar) || scalar == "-" || scalar == "+" || scalar == ".":
            return (.number(try number()), start)
        case _ where QueryTokens.isLetter(scalar):
            while let next = peek, QueryTokens.isLetter(next) || QueryTokens.isDigit(next) || next == "." { at += 1 }
            return (.word(text(start..<at)), start)
        default:
            throw QueryTextError(message: "this character has no meaning here", position: start + 1)
        }
    }

    private var peek: Unicode.Scalar? { at < scalars.count ? scalars[at] : nil }

    private func text(_ range: Range<Int>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars[range])
        return String(view)
    }

    /// Reads what stands between two quotation marks, of which two in a row mean one.
    private mutating func quoted(by mark: Unicode.Scalar) throws(QueryTextError) -> String {
        let start = at
        at += 1
        var content = String.UnicodeScalarView()
        while let scalar = peek {
            at += 1
            if scalar == mark {
                guard peek == mark else { return String(content) }
                at += 1
            }
            content.append(scalar)
        }
        throw QueryTextError(message: "the quotation mark is not closed", position: start + 1)
    }

    private mutating func number() throws(QueryTextError) -> Double {
        let start = at
        if peek == "-" || peek == "+" { at += 1 }
        while let scalar = peek {
            let isExponentSign = (scalar == "-" || scalar == "+") && (scalars[at - 1] == "e" || scalars[at - 1] == "E")
            guard QueryTokens.isDigit(scalar) || scalar == "." || scalar == "e" || scalar == "E" || isExponentSign
            else {
                break
            }
            at += 1
        }
        guard at - start <= 40, let number = DecimalText.number(text(start..<at)), number.isFinite else {
            throw QueryTextError(message: "this is not a number", position: start + 1)
        }
        return number
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || scalar == "_" || scalar.value > 0x7F
    }
}
