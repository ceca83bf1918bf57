import Library
import Formats
package import Geometry
import Stories

/// The texts that a parameter accepts and their values: one declaration defines the schema, the check and the parser.
package struct ParameterKind<Value: Sendable>: Sendable {
    package let schema: Schema
    /// Rejects a text before the handler runs.
    package let admit: @Sendable (_ text: String) throws(ParameterMismatch) -> Void
    /// Returns the value of an admitted text.
    package let read: @Sendable (_ text: String) throws(ParameterMismatch) -> Value

    /// Returns a kind of ids of at most 64 bytes, parsed by `read`.
    ///
    /// If `read` returns `nil`, the error says that the value must be `things`.
    package static func id(_ things: String, read: @escaping @Sendable (String) -> Value?) -> Self {
        Self(.text(minBytes: 1, maxBytes: 64), form: nil) { (text: String) throws(ParameterMismatch) -> Value in
            guard let value = read(text) else { throw ParameterMismatch(message: "must be \(things)") }
            return value
        }
    }

    /// Creates a kind whose texts are checked when the handler reads them; before that, only empty texts are rejected.
    private init(judgedLater schema: Schema, read: @escaping @Sendable (String) throws(ParameterMismatch) -> Value) {
        self.schema = schema
        self.read = read
        admit = { (text: String) throws(ParameterMismatch) in
            if text.isEmpty { throw ParameterMismatch(message: "must not be empty") }
        }
    }

    /// Creates a kind of texts that match `schema`; `form` describes the expected text if the schema alone does not.
    fileprivate init(
        _ schema: Schema,
        form: String?,
        read: @escaping @Sendable (String) throws(ParameterMismatch) -> Value
    ) {
        self.schema = schema
        self.read = read
        admit = { (text: String) throws(ParameterMismatch) in
            guard let problem = schema.problems(in: .string(text)).first else { return }
            throw ParameterMismatch(message: form.map { "must be \($0)" } ?? problem.message)
        }
    }

    /// Returns a kind of a few words, each with its value.
    package static func word(meaning words: [(text: String, value: Value)]) -> Self {
        let known = words.map(\.text)
        let read = { @Sendable (text: String) throws(ParameterMismatch) -> Value in
            guard let word = words.first(where: { $0.text == text }) else {
                let choice = known.count == 1 ? known[0] : "one of \(known.joined(separator: ", "))"
                throw ParameterMismatch(message: "must be \(choice)")
            }
            return word.value
        }
        let admit = { @Sendable (text: String) throws(ParameterMismatch) in _ = try read(text) }
        return Self(schema: .word(known), admit: admit, read: read)
    }

    private init(
        schema: Schema,
        admit: @escaping @Sendable (String) throws(ParameterMismatch) -> Void,
        read: @escaping @Sendable (String) throws(ParameterMismatch) -> Value
    ) {
        self.schema = schema
        self.admit = admit
        self.read = read
    }

    /// Returns a kind of texts within a length in bytes, parsed by `read`; errors say that they must be `form`.
    ///
    /// `pattern` documents the texts as a regular expression of ECMA-262.
    package static func text(
        _ bytes: ClosedRange<Int>,
        pattern: String? = nil,
        form: String,
        read: @escaping @Sendable (String) -> Value?
    ) -> Self {
        Self(
            .text(minBytes: bytes.lowerBound, maxBytes: bytes.upperBound, pattern: pattern),
            form: form
        ) { (text: String) throws(ParameterMismatch) -> Value in
            guard let value = read(text) else { throw ParameterMismatch(message: "must be \(form)") }
            return value
        }
    }

    /// Returns a kind of texts within a length in bytes, parsed by `read`, which says what is wrong with any other.
    package static func text(
        _ bytes: ClosedRange<Int>,
        explainedBy read: @escaping @Sendable (String) throws(ParameterMismatch) -> Value
    ) -> Self {
        Self(.text(minBytes: bytes.lowerBound, maxBytes: bytes.upperBound), form: nil, read: read)
    }
}

extension ParameterKind where Value == Int {
    /// Returns the kind of whole numbers within a range.
    package static func integer(_ range: ClosedRange<Int>) -> Self {
        Self(judgedLater: .integer(range)) { (text: String) throws(ParameterMismatch) -> Int in
            guard let number = Int(text), range.contains(number) else {
                throw ParameterMismatch(
                    message: "must be a whole number between \(range.lowerBound) and \(range.upperBound)"
                )
            }
            return number
        }
    }
}

extension ParameterKind where Value == Double {
    /// Returns the kind of numbers within a range.
    package static func number(_ range: ClosedRange<Double>) -> Self {
        Self(judgedLater: .number(range)) { (text: String) throws(ParameterMismatch) -> Double in
            guard let number = DecimalText.number(text), range.contains(number) else {
                let (least, most) = range.boundsInWords
                throw ParameterMismatch(message: "must be a number between \(least) and \(most)")
            }
            return number
        }
    }
}

extension ParameterKind where Value == [Double] {
    /// Returns the kind of lists of numbers, separated by commas that may be encoded: a list is one value.
    package static func numbers(_ range: ClosedRange<Double>, count: ClosedRange<Int>) -> Self {
        let schema = Schema.array(.number(range), minItems: count.lowerBound, maxItems: count.upperBound)
        return Self(judgedLater: schema) { (text: String) throws(ParameterMismatch) -> [Double] in
            // Blanks before a number are taken as in the boxes of the other routes.
            let numbers = text.split(separator: ",", omittingEmptySubsequences: false)
                .map { DecimalText.number($0.drop { $0 == " " }) }
            let known = numbers.compactMap(\.self).filter(range.contains)
            guard known.count == numbers.count, count.contains(known.count) else {
                throw ParameterMismatch(
                    message: "must be \(count.lowerBound) to \(count.upperBound) numbers, separated by commas"
                )
            }
            return known
        }
    }
}

extension ParameterKind where Value == Bool {
    /// The words "true" and "false".
    package static var flag: Self { .word(meaning: [("true", true), ("false", false)]) }
}

extension ParameterKind where Value: CaseIterable & RawRepresentable<String> {
    /// Returns the kind whose words are the cases of an enumeration.
    package static func word(of type: Value.Type) -> Self {
        .word(meaning: type.allCases.map { ($0.rawValue, $0) })
    }
}

extension ParameterKind where Value == String {
    /// Returns the kind of texts within a length in bytes.
    package static func text(_ bytes: ClosedRange<Int>) -> Self {
        .fitting(.text(minBytes: bytes.lowerBound, maxBytes: bytes.upperBound))
    }

    /// Returns the kind of human-written texts within a length in user-perceived characters.
    package static func characters(_ count: ClosedRange<Int>) -> Self {
        .fitting(.characters(min: count.lowerBound, max: count.upperBound))
    }

    /// Returns the kind of a few words that are their own values.
    package static func word(_ words: [String]) -> Self { .word(meaning: words.map { ($0, $0) }) }

    /// Returns the kind of texts that match a schema; `form` describes the expected text if the schema alone does not.
    package static func fitting(_ schema: Schema, form: String? = nil) -> Self {
        Self(schema, form: form) { (text: String) throws(ParameterMismatch) in text }
    }
}

extension ParameterKind where Value == BoundingBox {
    /// Bounding boxes as `west,south,east,north` in degrees.
    package static var box: ParameterKind<BoundingBox> {
        Self(
            .text(minBytes: 7, maxBytes: 120, pattern: TextPattern.box),
            form: "west,south,east,north: four numbers in degrees, separated by commas"
        ) { (text: String) throws(ParameterMismatch) -> BoundingBox in
            do throws(BoundingBox.ParsingError) {
                return try BoundingBox(parsing: text)
            } catch {
                throw ParameterMismatch(message: error.description)
            }
        }
    }
}
