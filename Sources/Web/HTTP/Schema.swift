package import Library
package import Formats
import Stories

/// The shape of a JSON value: written into the OpenAPI document and enforced on request bodies, from one declaration.
///
/// A subset of JSON Schema 2020-12, and of what OpenAPI 3.0 has instead.
package indirect enum Schema: Sendable {
    /// Text of at most `maxBytes` bytes of UTF-8.
    ///
    /// `pattern`, a regular expression of ECMA-262, is only documented; the reader of the text checks it.
    case text(minBytes: Int = 0, maxBytes: Int, format: String? = nil, pattern: String? = nil)
    /// Text on one line, without control characters, of at most `maxBytes` bytes of UTF-8.
    case line(minBytes: Int = 0, maxBytes: Int)
    /// Human-written text of at most `max` user-perceived characters.
    case characters(min: Int = 0, max: Int)
    /// One of a few words.
    case word([String])
    /// A whole number.
    case integer(ClosedRange<Int>)
    /// A number.
    case number(ClosedRange<Double>)
    /// True or false.
    case boolean
    /// A list.
    case array(Schema, minItems: Int? = nil, maxItems: Int? = nil)
    /// An object; undeclared members are rejected unless `open`.
    case object([Member], open: Bool = false)
    /// The value or null.
    case nullable(Schema)
    /// One of several shapes.
    case either([Schema])
    /// A schema of the document's components.
    case named(String)
    /// A constant text.
    case constant(String)
    /// Documented like its schema but checked by the handler, so that one invalid item does not reject the others.
    case judgedLater(Schema)
    /// Documented like one schema but checked by another, which leaves details to the handler.
    case documented(Schema, checkedAs: Schema)

    /// One member of an object.
    package struct Member: Sendable {
        package let name: String
        package let schema: Schema
        package let isRequired: Bool
        package let description: String?

        package init(_ name: String, _ schema: Schema, required: Bool = false, _ description: String? = nil) {
            self.name = name
            self.schema = schema
            self.isRequired = required
            self.description = description
        }
    }
}

extension Schema {
    /// A text given as an id, for instance of a user, a family or a story; the schema limits only its length.
    package static let identifier = Schema.text(minBytes: 1, maxBytes: StoryLimits.idLength)
    /// A 128-bit id in hexadecimal.
    package static let hexID = Schema.text(minBytes: 32, maxBytes: 32, pattern: "^[0-9a-f]{32}$")
    /// The name of a device in a request; an answer can hold one from before names had to be one line.
    package static let deviceName = Schema.line(minBytes: 1, maxBytes: StoryLimits.deviceLength)
    /// The name of a kind.
    package static let kind = Schema.text(minBytes: 1, maxBytes: StoryLimits.kindLength, pattern: TextPattern.word)
}

extension ClosedRange<Double> {
    /// The bounds as messages name them: `-90`, `0.01`.
    var boundsInWords: (least: String, most: String) {
        func text(_ bound: Double) -> String { Int(exactly: bound).map { String($0) } ?? String(bound) }
        return (text(lowerBound), text(upperBound))
    }
}

extension Schema {
    /// Returns the problems of `value`, at most one per field, in the order of the declaration.
    package func problems(
        in value: JSONValue,
        at path: String = "",
        components: [String: Schema] = [:]
    ) -> [FieldProblem] {
        func problem(_ message: String) -> [FieldProblem] { [FieldProblem(field: path, message: message)] }
        switch self {
        case .nullable(let schema):
            return value.isNull ? [] : schema.problems(in: value, at: path, components: components)
        case .named(let name):
            return components[name]?.problems(in: value, at: path, components: components) ?? []
        case .either(let schemas):
            let found = schemas.map { $0.problems(in: value, at: path, components: components) }
            return found.min { $0.count < $1.count } ?? []
        case .text(let least, let most, _, _):
            guard let text = value.string else { return problem("must be text") }
            // SQLite and many other programs would take a NUL for the end of the text.
            guard !text.utf8.contains(0) else { return problem("must not contain the character U+0000") }
            guard text.utf8.count <= most else { return problem("must have at most \(most) bytes") }
            if text.utf8.count >= least { return [] }
            return problem(least == 1 ? "must not be empty" : "must have at least \(least) bytes")
        case .line(let least, let most):
            let problems = Schema.text(minBytes: least, maxBytes: most).problems(in: value, at: path)
            guard problems.isEmpty, let text = value.string, !StoryLimits.isLine(text) else { return problems }
            return problem("must be one line, without control characters")
        case .characters(let least, let most):
            guard let text = value.string else { return problem("must be text") }
            guard !text.utf8.contains(0) else { return problem("must not contain the character U+0000") }
            guard StoryLimits.fits(text, characters: most) else {
                return problem(
                    "must have at most \(most) characters and \(StoryLimits.mostBytes(characters: most)) bytes"
                )
            }
            if least == 0 || !text.isEmpty && text.count >= least { return [] }
            return problem(least == 1 ? "must not be empty" : "must have at least \(least) characters")
        case .word(let words):
            guard let text = value.string, words.contains(text) else {
                return problem("must be one of \(words.joined(separator: ", "))")
            }
            return []
        case .judgedLater:
            return []
        case .documented(_, let schema):
            return schema.problems(in: value, at: path, components: components)
        case .constant(let word):
            return value.string == word ? [] : problem("must be \(word)")
        case .integer(let range):
            guard let number = value.integer, range.contains(number) else {
                let form = "must be a whole number between \(range.lowerBound) and \(range.upperBound)"
                return problem(value.string == nil ? form : form + ", not text")
            }
            return []
        case .number(let range):
            guard let number = value.number, range.contains(number) else {
                let (least, most) = range.boundsInWords
                let form = "must be a number between \(least) and \(most)"
                return problem(value.string == nil ? form : form + ", not text")
            }
            return []
        case .boolean:
            return value.bool == nil ? problem("must be true or false") : []
        case .array(let schema, let least, let most):
            guard let items = value.array else { return problem("must be a list") }
            if let least, items.count < least { return problem("must have at least \(least) entries") }
            if let most, items.count > most { return problem("must have at most \(most) entries") }
            return items.enumerated()
                .flatMap { index, item in
                    schema.problems(in: item, at: "\(path)[\(index)]", components: components)
                }
        case .object(let members, let open):
            guard let object = value.object else { return problem("must be an object") }
            return Schema.problems(in: object, members: members, open: open, at: path, components: components)
        }
    }

    private static func problems(
        in object: [String: JSONValue],
        members: [Member],
        open: Bool,
        at path: String,
        components: [String: Schema]
    ) -> [FieldProblem] {
        let prefix = path.isEmpty ? "" : path + "."
        var problems: [FieldProblem] = []
        for member in members {
            if let value = object[member.name] {
                problems += member.schema.problems(in: value, at: prefix + member.name, components: components)
            } else if member.isRequired {
                problems.append(FieldProblem(field: prefix + member.name, message: "is missing"))
            }
        }
        guard !open else { return problems }
        let known = Set(members.map(\.name))
        problems += object.keys.filter { !known.contains($0) }.sorted()
            .map {
                FieldProblem(field: prefix + MadeUpName.shown($0), message: "is not a known field")
            }
        return problems
    }
}
