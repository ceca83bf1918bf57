import Formats
import Stories

/// Makes JSON values of the document's schemas: mostly good, sometimes at a limit, sometimes wrong.
struct TwinBodies {
    let document: JSONValue
    /// Whether everything that is made must stay invisible to the viewer.
    var isSecret = false
    /// Where the next locations lie.
    var here: (latitude: Double, longitude: Double) = (10, 10)
    var now: Timestamp

    /// The body of a request.
    func body(_ schema: JSONValue, pools: TwinPools, using draw: inout TwinDraw) throws -> JSONValue {
        let value = try value(schema, named: "", pools: pools, depth: 0, using: &draw)
        return isSecret ? TwinBodies.closed(value) : value
    }

    private func value(
        _ schema: JSONValue,
        named name: String,
        pools: TwinPools,
        depth: Int,
        using draw: inout TwinDraw
    ) throws -> JSONValue {
        // A value of the wrong type.
        if !isSecret, draw.chance(0.4) {
            return draw.pick([.null, .number(1), .string("x"), .array([]), .object([:]), .bool(true), .number(-1e18)])
        }
        if let reference = schema["$ref"]?.string, let component = reference.split(separator: "/").last {
            let named = document["components"]?["schemas"]?[String(component)] ?? .null
            return try value(named, named: name, pools: pools, depth: depth, using: &draw)
        }
        if let choices = schema["anyOf"]?.array {
            return try value(draw.pick(choices), named: name, pools: pools, depth: depth, using: &draw)
        }
        if let constant = schema["const"] { return constant }
        if let words = schema["enum"]?.array { return draw.chance(99) ? draw.pick(words) : .string("other") }
        switch schema["type"]?.string {
        case "object": return try object(schema, pools: pools, depth: depth, using: &draw)
        case "array": return try array(schema, named: name, pools: pools, depth: depth, using: &draw)
        case "string": return try .string(text(schema, named: name, pools: pools, using: &draw))
        case "integer": return .number(number(schema, named: name, using: &draw).rounded())
        case "number": return .number(number(schema, named: name, using: &draw))
        case "boolean": return .bool(draw.chance(50))
        default: return .null
        }
    }

    private func object(
        _ schema: JSONValue,
        pools: TwinPools,
        depth: Int,
        using draw: inout TwinDraw
    ) throws -> JSONValue {
        let required = Set((schema["required"]?.array ?? []).compactMap(\.string))
        var members: [String: JSONValue] = [:]
        let isFull = draw.chance(10)
        for (name, member) in (schema["properties"]?.object ?? [:]).sorted(by: { $0.key < $1.key })
        where required.contains(name) ? draw.chance(98) : draw.chance(isFull ? 95 : depth > 4 ? 5 : 35) {
            members[name] = try value(member, named: name, pools: pools, depth: depth + 1, using: &draw)
        }
        if !isSecret, draw.chance(2) { members["surprise"] = .number(1) }
        return .object(members)
    }

    private func array(
        _ schema: JSONValue,
        named name: String,
        pools: TwinPools,
        depth: Int,
        using draw: inout TwinDraw
    ) throws -> JSONValue {
        let most = schema["maxItems"]?.integer ?? 10
        // Sometimes one more than may be, where that is not too much work.
        let count = most < 60 && draw.chance(1) ? most + 1 : min(most, draw.pick([0, 1, 1, 2, 3]))
        return .array(
            try (0..<count)
                .map { _ in
                    try value(schema["items"] ?? .null, named: name, pools: pools, depth: depth + 1, using: &draw)
                }
        )
    }

    private func text(
        _ schema: JSONValue,
        named name: String,
        pools: TwinPools,
        using draw: inout TwinDraw
    ) throws -> String {
        if let known = try known(name, pools: pools, using: &draw) { return known }
        if schema["format"]?.string == "date-time" { return time(using: &draw) }
        let least = schema["minLength"]?.integer ?? 0
        if let most = schema["x-maxCharacters"]?.integer, most <= 600, draw.chance(1) {
            return String(repeating: "é", count: most + (draw.chance(50) ? 1 : 0))
        }
        let most = schema["x-maxBytes"]?.integer ?? schema["maxLength"]?.integer ?? 100
        if most <= 600, draw.chance(1) { return String(repeating: "é", count: most / 2 + (draw.chance(50) ? 1 : 0)) }
        if draw.chance(1) { return "" }
        let text = (0..<draw.pick(1...4)).map { _ in draw.pick(TwinWords.open + TwinWords.closed) }
            .joined(separator: " ")
        return text.utf8.count < least ? draw.digits(least) : String(text.prefix(max(1, most)))
    }

    /// A value for a member whose name says what it is.
    private func known(_ name: String, pools: TwinPools, using draw: inout TwinDraw) throws -> String? {
        func pooled(_ pool: String, _ path: String = "") throws -> String {
            try pools.value(pool, of: path, using: &draw)
        }
        switch name {
        case "family", "families": return try pooled("family")
        case "user", "users", "owner", "invitee", "invitees", "user_id", "user_ids": return try pooled("user")
        case "id", "ids", "story", "stories", "story_id", "story_ids": return try pooled("id", "/v1/stories/")
        case "tracking_id", "report": return try pooled("report")
        case "invitation", "token": return try pooled("invitation")
        case "key": return try pooled("key")
        case "before": return try pooled("notification")
        case "email", "emails":
            return isSecret
                ? "hal@hidden.example"
                : draw.pick(["gus@secret.example", "mia@example.org", "a@b.example", "none", "Tom@Example.org"])
        case "client_id": return "c\(draw.pick(1...12))"
        case "kind", "kinds": return draw.pick(draw.chance(97) ? TwinWords.kinds + TwinWords.closedKinds : ["No Kind"])
        case "tags": return draw.pick(TwinWords.tags + TwinWords.closedTags)
        case "people": return draw.pick(TwinWords.people + TwinWords.closedPeople)
        case "collection": return draw.pick(TwinWords.collections)
        case "date": return draw.pick(draw.chance(96) ? TwinWords.dates : ["soon"])
        case "device": return draw.pick(["phone", "tablet"])
        case "media_url", "thumbnail_url":
            return draw.pick(draw.chance(96) ? ["https://example.org/a.jpg", "/m/1.jpg"] : ["javascript:1"])
        case "t", "at", "time": return time(using: &draw)
        default: return nil
        }
    }

    private func time(using draw: inout TwinDraw) -> String {
        let offset = draw.chance(80) ? draw.pick(-20...0) : draw.pick(-200_000...200_000)
        let time = Timestamp(milliseconds: now.milliseconds + Int64(offset) * 1_000)
        return draw.chance(98) ? RFC3339.format(time) : "yesterday"
    }

    private func number(_ schema: JSONValue, named name: String, using draw: inout TwinDraw) -> Double {
        switch name {
        case "lat": return here.latitude + (draw.chance(60) ? 0 : 0.1 * (draw.unit() - 0.5))
        case "lon": return here.longitude + (draw.chance(60) ? 0 : 0.1 * (draw.unit() - 0.5))
        case "acc", "accuracy": return draw.pick([5, 12, 40, 300])
        case "cell": return draw.pick(draw.chance(95) ? [0.01, 0.1, 1] : [0.5])
        default: break
        }
        let least = schema["minimum"]?.number ?? 0
        let most = schema["maximum"]?.number ?? 1_000
        switch draw.pick(0...49) {
        case 0...2: return least
        case 3...5: return most
        case 6: return most + 1
        case 7: return least - 1
        default: return least + (min(most, least + 1_000) - least) * draw.unit()
        }
    }

    /// The value with every story in it private.
    private static func closed(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let items): return .array(items.map(closed))
        case .object(var members):
            for (name, member) in members { members[name] = closed(member) }
            if members["privacy"] != nil || members["title"] != nil { members["privacy"] = .string("private") }
            return .object(members)
        default: return value
        }
    }
}
