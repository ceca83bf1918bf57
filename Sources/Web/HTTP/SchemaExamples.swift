package import Formats
import Stories

/// Makes examples that fit their schemas, with values that their names suggest.
package struct SchemaExamples: Sendable {
    /// Values by the name of a member or a parameter; one that does not fit its schema is not used.
    private let samples: [String: JSONValue]
    private let components: [String: Schema]

    /// Creates examples of schemas that refer to these components.
    package init(samples: [String: JSONValue], components: [String: Schema]) {
        self.samples = samples
        self.components = components
    }

    /// Returns a value that fits the schema.
    package func example(of schema: Schema, named name: String = "") -> JSONValue {
        if let sample = samples[name], fits(sample, schema) { return sample }
        switch schema {
        case .nullable(let schema), .judgedLater(let schema), .documented(let schema, _):
            return example(of: schema, named: name)
        case .named(let component):
            return components[component].map { example(of: $0, named: name) } ?? .null
        case .either(let schemas): return schemas.first.map { example(of: $0, named: name) } ?? .null
        case .object(let members, _):
            let pairs = members.map { ($0.name, example(of: $0.schema, named: $0.name)) }
            return .object(Dictionary(pairs) { first, _ in first })
        case .array(let item, let least, let most):
            let count = min(max(1, least ?? 1), most ?? .max)
            return .array(Array(repeating: example(of: item, named: name), count: count))
        case .word(let words): return .string(words.first ?? "")
        case .constant(let word): return .string(word)
        case .boolean: return .bool(true)
        case .integer(let range): return .number(Double(min(max(1, range.lowerBound), range.upperBound)))
        case .number(let range): return .number(min(max(1, range.lowerBound), range.upperBound))
        case .text(let least, let most, let format, let pattern):
            return .string(SchemaExamples.text(least...max(least, most), format: format, pattern: pattern))
        case .characters(let least, let most), .line(let least, let most):
            return .string(SchemaExamples.text(least...max(least, most), format: nil, pattern: nil))
        }
    }

    /// Returns whether a value fits a schema, as far as the service itself checks it; texts of a form are made here.
    private func fits(_ value: JSONValue, _ schema: Schema) -> Bool {
        guard schema.problems(in: value, components: components).isEmpty else { return false }
        switch schema {
        case .text(_, _, let format, let pattern): return format == nil && pattern == nil
        case .judgedLater(let documented), .documented(let documented, _): return fits(value, documented)
        case .nullable(let documented): return fits(value, documented)
        case .array(let item, _, _): return value.array?.allSatisfy { fits($0, item) } ?? false
        default: return true
        }
    }

    private static let patterns: [String: String] = [
        TextPattern.word: "photo", TextPattern.noticeType: "comment.new", TextPattern.position: "33.7554,-84.3736",
        TextPattern.email: "ana@example.org", TextPattern.box: "-84.5,33.6,-84.2,33.9", TextPattern.day: "1936-05-02",
        TextPattern.dayOfYear: "06-19", TextPattern.referenceSystem: "EPSG:26918",
        "^[0-9A-Z]{4}(-[0-9A-Z]{4}){2}$": "7K3M-9QXD-2PAV",
    ]

    private static func text(_ bytes: ClosedRange<Int>, format: String?, pattern: String?) -> String {
        if let known = pattern.flatMap({ patterns[$0] }) { return known }
        switch format {
        case "date-time": return "2026-06-19T12:00:00Z"
        case "date": return "1936-05-02"
        default: break
        }
        // Of hexadecimal digits, which most patterns of ids admit.
        if pattern != nil || bytes.lowerBound > 7 {
            let digits = "0123456789abcdef"
            let count = max(bytes.lowerBound, min(bytes.upperBound, 32))
            return String(repeating: digits, count: count / 16 + 1).prefix(count).description
        }
        return String("example".prefix(bytes.upperBound))
    }
}
