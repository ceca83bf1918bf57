/// A text of the program's source with the values in it.
///
/// Its English with numbered places, such as `Accurate to about {1} m.`, is the key of its translations, so an
/// interpolated literal is all that a new text needs.
struct Phrase: Sendable, ExpressibleByStringInterpolation {
    private enum Value: Sendable {
        case text(String)
        indirect case phrase(Phrase)
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var phrase = Phrase(key: "", values: [])

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: String) { phrase.key += literal }
        mutating func appendInterpolation(_ text: String) { phrase.add(.text(text)) }
        mutating func appendInterpolation(_ number: Int) { phrase.add(.text(String(number))) }
        mutating func appendInterpolation(_ inner: Phrase) { phrase.add(.phrase(inner)) }
    }

    private var key: String
    private var values: [Value]

    private init(key: String, values: [Value]) { (self.key, self.values) = (key, values) }

    init(stringLiteral literal: String) { self.init(key: literal, values: []) }
    init(stringInterpolation: StringInterpolation) { self = stringInterpolation.phrase }

    /// A text that is the same in every language.
    init(verbatim text: String) { self.init(key: "{1}", values: [.text(text)]) }

    private mutating func add(_ value: Value) {
        values.append(value)
        key += "{\(values.count)}"
    }

    /// Joins the parts of a text that is too long for a line.
    static func + (left: Phrase, right: Phrase) -> Phrase {
        var joined = left
        right.pieces(of: right.key)
            .forEach { piece in
                switch piece {
                case .words(let words): joined.key += words
                case .place(let index): joined.add(right.values[index])
                }
            }
        return joined
    }

    /// Returns the text in a language; in English if the language lacks it.
    func text(in language: PageLanguage) -> String {
        pieces(of: language.translation(of: key) ?? key)
            .map { piece in
                switch piece {
                case .words(let words): words
                case .place(let index):
                    switch values[index] {
                    case .text(let text): text
                    case .phrase(let phrase): phrase.text(in: language)
                    }
                }
            }
            .joined()
    }

    private enum Piece {
        case words(String)
        case place(Int)
    }

    /// Takes a pattern apart; what is no place of a value stays as it is.
    private func pieces(of pattern: String) -> [Piece] {
        var pieces: [Piece] = []
        var rest = pattern[...]
        while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
            if let number = Int(rest[rest.index(after: start)..<end]), values.indices.contains(number - 1) {
                pieces += [.words(String(rest[..<start])), .place(number - 1)]
            } else {
                pieces.append(.words(String(rest[...end])))
            }
            rest = rest[rest.index(after: end)...]
        }
        return pieces + [.words(String(rest))]
    }
}
