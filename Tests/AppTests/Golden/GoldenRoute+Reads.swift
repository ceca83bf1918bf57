import App
import Library
import Formats
import HTTPTypes
import Storage
import Stories
import TestSupport

extension GoldenRoute {
    /// The ways in which something can be read: with its tag, packed, page by page, with each parameter good and bad.
    mutating func askReads() async throws {
        try await renew()
        let first = try await say("read")
        let tag = first.fields[.eTag]
        if let tag {
            try await say("with its tag", ["If-None-Match": tag])
            try await say("with its weak tag among others", ["If-None-Match": "\"other\", W/\(tag)"])
            try await say("with any tag", ["If-None-Match": "*"])
            try await say("with another tag", ["If-None-Match": "\"other\""])
            try await say("packed, with its tag", ["Accept-Encoding": "gzip", "If-None-Match": tag])
        }
        try await say("packed", ["Accept-Encoding": "gzip, br"])
        try await say("head", method: .head)
        try await say("as text", ["Accept": "text/html"])
        try await say("as GeoJSON", ["Accept": "application/geo+json"])
        try await say("from a listed origin", ["Origin": "https://app.example"])
        try await say("from another origin", ["Origin": "https://other.example"])
        try await askQuery()
        try await askWrongMethods()
    }

    /// Each parameter that is known, and one that is not.
    mutating func askQuery() async throws {
        let base = GoldenQuery(rule.query)
        try await say("unknown parameter", query: base.with("surprise", "1"))
        try await say("broken escape", query: base.with("surprise", "%zz"))
        for parameter in operation.query {
            let name = parameter.name
            if parameter.isRequired { try await say("without \(name)", query: base.without(name)) }
            let values = GoldenQuery.values(of: parameter)
            for value in values.good {
                try await say("\(name)=\(value)", query: base.with(name, value))
                if rule.access == .anyone {
                    try await say("\(name)=\(value)", as: .anonymous, query: base.with(name, value))
                }
            }
            for value in values.bad { try await say("\(name)=\(value)", query: base.with(name, value)) }
            try await say("\(name) empty", query: base.with(name, ""))
            if let value = values.good.first {
                try await say("\(name) twice", query: base.with(name, value) + "&\(name)=\(value)")
            }
        }
        try await askPages(base)
    }

    /// A page of one, and those after it.
    private mutating func askPages(_ base: GoldenQuery) async throws {
        guard operation.query.contains(where: { $0.name == "limit" }) else { return }
        for role in rule.access == .anyone ? [principal, .anonymous] : [principal] {
            var query = base.with("limit", "2")
            for page in 1...3 {
                let reply = try await say("page \(page) of two each", as: role, query: query)
                guard let json = try? JSONValue(parsing: reply.bytes, limits: .init(bytes: .max)),
                    let next = TwinQuery.next(in: json), let mark = next.firstIndex(of: "?")
                else { break }
                query = String(next[mark...])
            }
        }
    }

    /// Methods that the address does not have.
    private mutating func askWrongMethods() async throws {
        for method in [HTTPRequest.Method.options, .trace, .put, .delete, .post, .patch]
        where method != operation.method && !isKnown(method) {
            try await say("by \(method.rawValue)", method: method, body: .some(nil))
        }
    }

    private func isKnown(_ method: HTTPRequest.Method) -> Bool {
        document["paths"]?[operation.path]?[method.rawValue.lowercased()] != nil
    }
}

/// The query of an address, to be varied.
struct GoldenQuery: Sendable {
    private let pairs: [Substring]

    init(_ text: String) { pairs = text.drop { $0 == "?" }.split(separator: "&") }

    /// The query with a parameter in place of what it has of that name.
    func with(_ name: String, _ value: String) -> String { GoldenQuery.text(others(than: name) + ["\(name)=\(value)"]) }

    /// The query without a parameter.
    func without(_ name: String) -> String { GoldenQuery.text(others(than: name)) }

    private func others(than name: String) -> [String] {
        pairs.filter { !$0.hasPrefix(name + "=") }.map(String.init)
    }

    private static func text(_ pairs: [String]) -> String { pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&") }

    /// Values for a parameter that fit and that do not.
    static func values(of parameter: TwinOperation.Parameter) -> (good: [String], bad: [String]) {
        if let known = known[parameter.name] { return known }
        let schema = parameter.schema
        if let words = schema["enum"]?.array {
            let good = words.compactMap(\.string)
            return (parameter.isList ? good + [good.joined(separator: ",")] : good, ["other"])
        }
        switch schema["type"]?.string {
        case "integer", "number":
            let (least, most) = (schema["minimum"]?.number ?? 0, schema["maximum"]?.number ?? 100)
            // Whatever fits, where the most would be much work.
            let good = [least, min(most, least + 10)].map(text)
            return (good, [text(least - 1), text(most + 1), "x", "NaN"])
        case "boolean": return (["true", "false"], ["maybe"])
        default: return (["river"], [String(repeating: "a", count: (schema["maxLength"]?.integer ?? 4_000) + 1)])
        }
    }

    private static func text(_ number: Double) -> String { Int(exactly: number).map { "\($0)" } ?? "\(number)" }

    private static let latitude = (good: ["33.7554", "-17.8"], bad: ["91", "x", "1e400"])
    private static let longitude = (good: ["-84.3736", "179.995"], bad: ["181", "x", "NaN"])
    private static let words = (
        good: ["river", "Atl", "mill%20bridge", "%C3%89mile", "zebra", "30303"],
        bad: ["%FF", (0..<21).map { "w\($0)" }.joined(separator: "+"), "%00"]
    )
    private static let days = (good: ["1936", "1936-05", "1940-01-01"], bad: ["never", "1936-02-30", "1936-13"])
    private static let cursor = (good: [String](), bad: ["AAAA", "x", "%20"])

    private static let known: [String: (good: [String], bad: [String])] = [
        "bbox": (
            ["-85,33,-84,34", "170,-20,-170,-15", "-180,-90,180,90"],
            ["1,2,3", "0,10,1,-10", "200,0,210,1", "a,b,c,d", "0,0,0,0"]
        ),
        "zoom": (["1", "3.5", "12"], ["25", "-1", "x"]), "q": words, "text": words, "cursor": cursor, "since": cursor,
        "from": days, "to": days, "kind": (["photo", "interview,document", "family_object"], ["No", "No%20Kind"]),
        "tag": (["blues", "secret-tag"], []), "person": (["Ida", "%C3%89mile"], []),
        "prefix": (["b", "ida"], []),
        "owner": (["olga", "never-was"], ["no%20id"]), "user": (["olga", "never-was"], ["no%20id"]),
        "family": (["north", "south"], ["no%20id"]), "collection": (["summer", "never"], []),
        "lat": latitude, "point.lat": latitude, "focus.point.lat": latitude, "lon": longitude, "point.lon": longitude,
        "focus.point.lon": longitude, "near": (["33.75,-84.37"], ["33.75", "91,0", "a,b"]),
        "country": (["us", "US", "France"], ["zz"]), "limit": (["1", "5"], ["0", "100000", "x", "1.5"]),
        "lang": (["en", "fr"], ["english-please"]), "osm_ids": (["N1,N2", "N999999"], ["Q"]),
        "place_ids": (["1,2"], ["x"]), "ticket": ([], ["nonsense", "nonsense-nonsense-nonsense"]),
        "timestamp": (["1795262400", "2026-11-21T12:00:00Z"], ["soon"]),
    ]
}
