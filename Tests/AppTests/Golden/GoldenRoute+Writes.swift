import App
import Library
import Formats
import HTTPTypes
import Storage
import Stories
import TestSupport

extension GoldenRoute {
    /// The ways in which something can be written: with bodies of every sort, versions, keys of repetition.
    mutating func askWrites() async throws {
        try await renew()
        try await say("unknown parameter", query: GoldenQuery(rule.query).with("surprise", "1"))
        if !operation.query.isEmpty { try await askQuery() }
        try await askHeaders()
        guard operation.body != nil || rule.body != nil else { return }
        try await askBodies()
        try await renew()
        for mutation in GoldenBodies(document: document).mutations(of: rule.body, schema: operation.body ?? .null) {
            try await say(mutation.name, body: mutation.body)
        }
    }

    private mutating func askHeaders() async throws {
        if operation.headers.contains("If-Match") {
            for tag in ["\"old\"", "W/\"old\"", "old", "", "*"] {
                try await renew()
                try await say("if it is \(tag)", ["If-Match": tag])
            }
        }
        guard operation.headers.contains("Idempotency-Key") else { return }
        try await renew()
        for key in ["", String(repeating: "k", count: 256)] {
            try await say("under a key of \(key.count) bytes", ["Idempotency-Key": key])
        }
        try await say("under a key", ["Idempotency-Key": "one"])
        try await say("under the key again", ["Idempotency-Key": "one"])
        try await say("under the key, another request", ["Idempotency-Key": "one"], body: "{}")
        try await say("under the key, as somebody else", as: .member, ["Idempotency-Key": "one"])
    }

    private mutating func askBodies() async throws {
        let bodies: [(name: String, body: String?)] = [
            ("no body", nil), ("an empty body", ""), ("an empty object", "{}"), ("an empty list", "[]"),
            ("a text", "\"x\""),
            ("null", "null"), ("half a body", #"{"a":"#), ("two bodies", "{}{}"), ("a member twice", #"{"a":1,"a":2}"#),
            ("no UTF-8 escape", #"{"a":"\ud800"}"#), ("deep", String(repeating: "[", count: 40)),
            ("an unknown member", GoldenBodies.adding("surprise", .number(1), to: rule.body)),
        ]
        for (name, body) in bodies { try await say(name, body: .some(body)) }
        try await renew()
        try await say("as plain text", ["Content-Type": "text/plain"])
        try await renew()
        try await say("as a form", ["Content-Type": "application/x-www-form-urlencoded"])
        try await say("in brotli", ["Content-Encoding": "br"])
        try await say("in gzip that is none", ["Content-Encoding": "gzip"])
        try await say("announced too large", ["Content-Length": "99999999999"])
    }
}

/// Bodies that differ from a good one in one member.
struct GoldenBodies: Sendable {
    let document: JSONValue

    /// How deep members are changed.
    private static let depth = 3
    /// Lists and texts up to this long are made one too long.
    private static let longest = 6_000

    /// The body with another member.
    static func adding(_ name: String, _ value: JSONValue, to body: String?) -> String {
        text(setting([name], to: value, in: parsed(body)))
    }

    /// A body for each way in which a member that the schema knows can be wrong.
    func mutations(of body: String?, schema: JSONValue) -> [(name: String, body: String)] {
        let good = GoldenBodies.parsed(body)
        return wrongs(of: resolved(schema), at: [], depth: 0)
            .map { wrong in
                let path = wrong.path.joined(separator: ".")
                return (
                    "\(path) \(wrong.name)",
                    GoldenBodies.text(GoldenBodies.setting(wrong.path, to: wrong.value, in: good))
                )
            }
    }

    private struct Wrong {
        let path: [String]
        let name: String
        let value: JSONValue
    }

    private func wrongs(of schema: JSONValue, at path: [String], depth: Int) -> [Wrong] {
        guard depth < GoldenBodies.depth else { return [] }
        return (schema["properties"]?.object ?? [:]).sorted { $0.key < $1.key }
            .flatMap { name, schema -> [Wrong] in
                let (place, member) = (path + [name], resolved(schema))
                let own = wrongValues(of: member).map { Wrong(path: place, name: $0.name, value: $0.value) }
                return own + wrongs(of: member, at: place, depth: depth + 1) + wrongItems(of: member, at: place, depth)
            }
    }

    /// What can be wrong in the one item of a list of objects.
    private func wrongItems(of list: JSONValue, at path: [String], _ depth: Int) -> [Wrong] {
        guard let items = list["items"] else { return [] }
        return wrongs(of: resolved(items), at: path + ["0"], depth: depth + 1)
    }

    private func wrongValues(of schema: JSONValue) -> [(name: String, value: JSONValue)] {
        var values: [(name: String, value: JSONValue)] = [("is null", .null)]
        switch schema["type"]?.string {
        case "string":
            values += [("is a number", .number(1)), ("is empty", .string("")), ("is blank", .string(" "))]
            values += [("has two lines", .string("a\nb")), ("is some word", .string("some word"))]
            values.append(("holds a NUL", .string("a\u{0}")))
            let most = [
                schema["x-maxBytes"]?.integer, schema["x-maxCharacters"]?.integer, schema["maxLength"]?.integer,
            ]
            .compactMap(\.self).min()
            if let most, most <= GoldenBodies.longest {
                values.append(("is too long", .string(String(repeating: "a", count: most + 1))))
            }
        case "integer", "number":
            values += [("is a text", .string("1")), ("is half", .number(0.5)), ("is far too much", .number(1e18))]
            if let least = schema["minimum"]?.number { values.append(("is too little", .number(least - 1))) }
            if let most = schema["maximum"]?.number { values.append(("is too much", .number(most + 1))) }
        case "boolean":
            values += [("is a text", .string("true")), ("is true", .bool(true)), ("is false", .bool(false))]
        case "array":
            values += [("is an object", .object([:])), ("is empty", .array([])), ("holds true", .array([.bool(true)]))]
            values.append(("holds a text twice", .array([.string("a"), .string("a")])))
            if let most = schema["maxItems"]?.integer, most <= GoldenBodies.longest {
                values.append(("is too long", .array((0...most).map { .string("a\($0)") })))
            }
        default:
            values += [("is a text", .string("x")), ("is an empty object", .object([:])), ("is a list", .array([]))]
        }
        return values
    }

    /// The schema that a reference names, or the first of several that is more than null.
    private func resolved(_ schema: JSONValue) -> JSONValue {
        if let name = schema["$ref"]?.string?.split(separator: "/").last {
            return resolved(document["components"]?["schemas"]?[String(name)] ?? .null)
        }
        let choices = (schema["anyOf"]?.array ?? []).map(resolved)
        return choices.first { $0["type"]?.string != "null" } ?? schema
    }

    /// The value with what stands at a path replaced; a number in the path is the only item of a list.
    private static func setting(_ path: [String], to new: JSONValue, in value: JSONValue) -> JSONValue {
        guard let name = path.first else { return new }
        let rest = Array(path.dropFirst())
        if name == "0" { return .array([setting(rest, to: new, in: value[0] ?? .object([:]))]) }
        var members = value.object ?? [:]
        members[name] = setting(rest, to: new, in: members[name] ?? .object([:]))
        return .object(members)
    }

    private static func parsed(_ body: String?) -> JSONValue {
        (try? JSONValue(parsing: Array((body ?? "{}").utf8))) ?? .object([:])
    }

    private static func text(_ value: JSONValue) -> String {
        var json = JSONWriter()
        json.value(value)
        return json.text
    }
}
