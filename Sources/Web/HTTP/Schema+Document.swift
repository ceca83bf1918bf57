package import Formats
import Stories

/// Writes schemas into documents.
extension Schema {
    /// Writes the schema, as JSON Schema 2020-12 or as OpenAPI 3.0 has it.
    package func write(
        to json: inout JSONWriter,
        as version: OpenAPIDocument.Version = .v31,
        description: String? = nil
    ) {
        if case .nullable(let schema) = self {
            return schema.writeNullable(to: &json, as: version, description: description)
        }
        json.beginObject()
        if version == .v30, description != nil, case .named = self {
            // Beside a reference, nothing else has a meaning there.
            writeAlone(to: &json, as: version)
        } else {
            writeMembers(to: &json, as: version)
        }
        if let description = describing(description) {
            json.member("description", description)
        }
        json.endObject()
    }

    /// Returns the description with the limit on the length, which JSON Schema cannot express.
    private func describing(_ description: String?) -> String? {
        guard case .characters(_, let most) = self else { return description }
        let limit = "At most \(most) user-perceived characters (grapheme clusters)."
        return description.map { $0 + " " + limit } ?? limit
    }

    /// Writes the schema as the only part of `allOf`.
    private func writeAlone(to json: inout JSONWriter, as version: OpenAPIDocument.Version) {
        json.key("allOf")
        json.beginArray()
        write(to: &json, as: version)
        json.endArray()
    }

    private func writeNullable(to json: inout JSONWriter, as version: OpenAPIDocument.Version, description: String?) {
        json.beginObject()
        switch (version, self) {
        case (.v31, _):
            json.key("anyOf")
            json.beginArray()
            write(to: &json)
            json.raw(Array(#"{"type":"null"}"#.utf8))
            json.endArray()
        case (.v30, .word(let words)):
            json.member("type", "string")
            json.key("enum")
            json.beginArray()
            for word in words { json.value(word) }
            json.null()
            json.endArray()
            json.member("nullable", true)
        case (.v30, .named), (.v30, .either), (.v30, .documented):
            writeAlone(to: &json, as: version)
            json.member("nullable", true)
        case (.v30, _):
            writeMembers(to: &json, as: version)
            json.member("nullable", true)
        }
        if let description {
            json.member("description", description)
        }
        json.endObject()
    }

    private func writeMembers(to json: inout JSONWriter, as version: OpenAPIDocument.Version) {
        func type(_ name: String) {
            json.member("type", name)
        }
        switch self {
        case .nullable(let schema), .judgedLater(let schema), .documented(let schema, _):
            schema.writeMembers(to: &json, as: version)
        case .named(let name):
            json.member("$ref", "#/components/schemas/\(name)")
        case .either(let schemas):
            json.key("anyOf")
            json.beginArray()
            for schema in schemas { schema.write(to: &json, as: version) }
            json.endArray()
        case .line(let least, let most):
            Schema.text(minBytes: least, maxBytes: most, pattern: TextPattern.line).writeMembers(to: &json, as: version)
        case .text(let least, let most, let format, let pattern):
            type("string")
            // JSON Schema counts characters, but the limit is in bytes.
            json.key("x-maxBytes")
            json.value(most)
            if least > 0 {
                json.member("minLength", least)
            }
            json.member("maxLength", most)
            if let format {
                json.member("format", format)
            }
            json.member("pattern", pattern ?? TextPattern.of(format: format))
        case .characters(let least, let most):
            type("string")
            // JSON Schema counts code points, of which a character may have several: validating clients are stricter.
            json.key("x-maxCharacters")
            json.value(most)
            json.key("x-maxBytes")
            json.value(StoryLimits.mostBytes(characters: most))
            if least > 0 { json.member("minLength", least) }
            json.member("maxLength", most)
            json.member("pattern", TextPattern.of(format: nil))
        case .word(let words):
            type("string")
            json.member("enum", words)
        case .constant(let word):
            if version == .v31 { return json.member("const", word) }
            type("string")
            json.member("enum", [word])
        case .integer(let range):
            type("integer")
            json.member("minimum", range.lowerBound)
            json.member("maximum", range.upperBound)
        case .number(let range):
            type("number")
            json.member("minimum", range.lowerBound)
            json.member("maximum", range.upperBound)
        case .boolean:
            type("boolean")
        case .array(let schema, let least, let most):
            type("array")
            json.key("items")
            schema.write(to: &json, as: version)
            if let least { json.member("minItems", least) }
            if let most {
                json.member("maxItems", most)
            }
        case .object(let members, let open):
            type("object")
            Schema.writeMembers(members, open: open, to: &json, as: version)
        }
    }

    private static func writeMembers(
        _ members: [Member],
        open: Bool,
        to json: inout JSONWriter,
        as version: OpenAPIDocument.Version
    ) {
        json.key("properties")
        json.beginObject()
        for member in members {
            json.key(member.name)
            member.schema.write(to: &json, as: version, description: member.description)
        }
        json.endObject()
        let required = members.filter(\.isRequired).map(\.name)
        if !required.isEmpty {
            json.member("required", required)
        }
        if !open {
            json.member("additionalProperties", false)
        }
    }
}
