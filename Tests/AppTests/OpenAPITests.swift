import Web
import App
import Library
import Formats
import Foundation
import Geometry
import HTTPTypes
import Testing
import TestSupport

@Suite("The OpenAPI document against the running service")
struct OpenAPITests {
    @Test("Every documented GET returns the documented shape and rejects undocumented parameters")
    func answersMatch() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let samples = try await OpenAPITests.fill(client, fixture)
            let document = try await client.get("/openapi.json").json
            #expect(document["openapi"]?.string == "3.1.0")
            for (path, operations) in try #require(document["paths"]?.object).sorted(by: { $0.key < $1.key }) {
                guard let operation = operations["get"] else { continue }
                var address = path + OpenAPITests.requiredQuery(of: operation)
                for (name, value) in samples { address = address.replacing("{\(name)}", with: value) }
                #expect(!address.contains("{"), "\(path): give its parameter a sample in fill(_:_:)")
                // The holder of a share link asks with its secret alone.
                let isForHolder = operation["security"]?[0]?["link"] != nil
                let headers = isForHolder ? KeyTests.bearer(samples["secret of a link"] ?? "") : [:]
                let user = isForHolder ? nil : "ben"
                let reply = try await client.get(address, as: user, headers: headers)
                // Routes for an app's backend and for operators are not for ben.
                let scopes = operation["security"]?[0]?["bearer"]?.array?.compactMap(\.string) ?? []
                if !Set(["act-as", "admin:ops"]).isDisjoint(with: scopes) {
                    #expect(reply.status == 403, "\(address)")
                    continue
                }
                // The test's service has no gazetteer: those routes say so.
                if ["/v1/geocode", "/v1/suggest", "/v1/reverse"].contains(path) {
                    #expect(reply.status == 503)
                    continue
                }
                // The interfaces of other geocoders have their own tests, and take parameters as they come.
                if OpenAPITests.isCompatible(path) {
                    #expect([200, 500, 503].contains(reply.status), "\(address)")
                    continue
                }
                // Without a provider there is nowhere to go; ProviderSignInTests have one.
                if path.hasPrefix("/signin/") {
                    #expect(reply.status == 404)
                    continue
                }
                // Apps that report positions have tests of their own; a report without a position is refused.
                if path == "/ingest/osmand" {
                    #expect(reply.status == 400)
                    continue
                }
                #expect(reply.status == 200, "\(address)")
                let content = operation["responses"]?["200"]?["content"]?.object ?? [:]
                let mediaType = try #require(reply.headers[.contentType])
                #expect(content[mediaType] != nil, "\(address): \(mediaType)")
                // An export has the schema of its format.
                guard mediaType.hasSuffix("json"), path != "/v1/export" else { continue }
                let schema = content[mediaType]?["schema"] ?? .null
                let faults = SchemaChecker(document: document).faults(of: reply.json, schema: schema)
                #expect(faults == [], "\(address)")
                let separator = address.contains("?") ? "&" : "?"
                let odd = try await client.get(address + separator + "undocumented=1", as: user, headers: headers)
                #expect(odd.status == 400)
            }
        }
    }

    @Test("Every documented operation exists, needs a token exactly as documented, and returns documented problems")
    func operationsExist() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let document = try await client.get("/openapi.json").json
                for (path, operations) in try #require(document["paths"]?.object).sorted(by: { $0.key < $1.key }) {
                    let all = try #require(operations.object)
                    for method in ["get", "post", "put", "patch", "delete"] {
                        let request = try #require(HTTPRequest.Method(method.uppercased()))
                        let address = path.replacing(/\{\w+\}/, with: "0123456789abcdef0123456789abcdef")
                        let reply = try await client.send(request, address, as: nil, method == "get" ? nil : "{}")
                        guard let operation = all[method] else {
                            #expect(reply.status == 405, "\(method) \(path)")
                            continue
                        }
                        let needsToken = operation["security"]?.array?.contains { $0.object?.isEmpty == true } == false
                        #expect((reply.status == 401) == needsToken, "\(method) \(path)")
                        // The interfaces of other geocoders tell what is wrong in their own words.
                        guard reply.status >= 400, !OpenAPITests.isCompatible(path) else { continue }
                        // A page for people says it as a page, and an app that shows the answer as it is gets text.
                        if let type = reply.headers[.contentType], type.hasPrefix("text/") {
                            let types = operation["responses"]?["default"]?["content"]?.object ?? [:]
                            #expect(types[type] != nil, "\(method) \(path)")
                            continue
                        }
                        let problem = JSONValue.object(["$ref": .string("#/components/schemas/Problem")])
                        #expect(SchemaChecker(document: document).faults(of: reply.json, schema: problem) == [])
                    }
                }
            }
    }

    @Test("The service rejects every body the documented schema rejects, field by field")
    func bodiesMatch() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let document = try await client.get("/openapi.json").json
                let checker = SchemaChecker(document: document)
                let schema = JSONValue.object(["$ref": .string("#/components/schemas/StoryInput")])
                for (body, isGood) in [
                    ("{\"kind\":\"photo\",\"title\":\"x\"}", true), ("{\"kind\":\"photo\"}", false),
                    ("{\"kind\":\"photo\",\"title\":\"x\",\"tags\":\"a\"}", false),
                    ("{\"kind\":\"photo\",\"title\":\"x\",\"location\":{\"lat\":1}}", false),
                    ("{\"kind\":\"photo\",\"title\":\"x\",\"location\":null,\"text\":null}", true),
                    ("{\"kind\":\"photo\",\"title\":\"x\",\"surprise\":1}", false),
                ] {
                    let value = try JSONValue(parsing: Array(body.utf8))
                    #expect(checker.faults(of: value, schema: schema).isEmpty == isGood, "\(body)")
                    let reply = try await client.send(.post, "/v1/stories", as: "ana", body)
                    #expect((reply.status == 201) == isGood, "\(body)")
                }
            }
    }

    @Test("Every example in the document fits its schema, in both versions")
    func examples() async throws {
        try await ServiceFixture()
            .run { client async throws in
                for path in ["/openapi.json", "/openapi-3.0.json"] {
                    let document = try await client.get(path).json
                    let checker = SchemaChecker(document: document)
                    var (count, faults) = (0, [String]())
                    func look(_ value: JSONValue, _ path: String) {
                        for (index, item) in (value.array ?? []).enumerated() { look(item, "\(path)[\(index)]") }
                        for (name, member) in value.object ?? [:] where name != "example" {
                            look(member, "\(path).\(name)")
                        }
                        guard let schema = value["schema"], let example = value["example"] else { return }
                        count += 1
                        faults += checker.faults(of: example, schema: schema).map { "\(path): \($0)" }
                    }
                    look(document["paths"] ?? .null, "")
                    for (name, example) in document["components"]?["examples"]?.object ?? [:] {
                        count += 1
                        let problem = JSONValue.object(["$ref": .string("#/components/schemas/Problem")])
                        faults += checker.faults(of: example["value"] ?? .null, schema: problem)
                            .map { "\(name): \($0)" }
                    }
                    #expect(faults.sorted() == [] && count > 400, "\(path)")
                }
            }
    }

    @Test("Every operation has a chapter, and the document for OpenAPI 3.0 describes the same operations")
    func versions() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let (new, old) = (
                    try await client.get("/openapi.json").json, try await client.get("/openapi-3.0.json").json
                )
                #expect(old["openapi"]?.string == "3.0.3")
                let chapters = Set((new["tags"]?.array ?? []).compactMap { $0["name"]?.string })
                for (path, operations) in new["paths"]?.object ?? [:] {
                    for (method, operation) in operations.object ?? [:] {
                        let tags = operation["tags"]?.array?.compactMap(\.string) ?? []
                        #expect(tags.count == 1 && chapters.isSuperset(of: tags), "\(method) \(path)")
                        let other = old["paths"]?[path]?[method]
                        #expect(other?["operationId"] == operation["operationId"], "\(method) \(path)")
                        let types = operation["requestBody"]?["content"]?.object?.keys.sorted() ?? []
                        #expect(!types.contains("*/*"), "\(method) \(path)")
                    }
                }
                // Words that OpenAPI 3.0 does not know.
                func look(_ value: JSONValue, _ path: String) {
                    for (index, item) in (value.array ?? []).enumerated() { look(item, "\(path)[\(index)]") }
                    guard let members = value.object else { return }
                    #expect(members["const"] == nil && members["type"]?.string != "null", "\(path)")
                    for (name, member) in members where name != "example" { look(member, "\(path).\(name)") }
                }
                look(old["paths"] ?? .null, "paths")
                look(old["components"]?["schemas"] ?? .null, "schemas")
            }
    }

    @Test("Every string in the document has a pattern or an enum")
    func patterns() async throws {
        try await ServiceFixture()
            .run { client async throws in
                var (missing, count) = ([String](), 0)
                func look(_ value: JSONValue, _ path: String) {
                    if let items = value.array {
                        for (index, item) in items.enumerated() { look(item, "\(path)[\(index)]") }
                    }
                    guard let members = value.object else { return }
                    if members["type"]?.string == "string" {
                        count += 1
                        if members["pattern"] == nil, members["enum"] == nil { missing.append(path) }
                    }
                    for (name, member) in members { look(member, "\(path).\(name)") }
                }
                look(try await client.get("/openapi.json").json, "")
                #expect(missing.sorted() == [] && count > 300)
            }
    }

    /// Whether a path belongs to the interface of another geocoder.
    private static func isCompatible(_ path: String) -> Bool {
        ["/nominatim/", "/photon/", "/pelias/"].contains(where: path.hasPrefix)
    }

    /// One of everything that answers can hold; returns a value for every parameter of a path, for ben to read.
    private static func fill(_ client: Client, _ fixture: ServiceFixture) async throws -> [String: String] {
        let extra =
            ",\"date\":\"1936\",\"tags\":[\"a\"],\"people\":[\"b\"],\"text\":\"c\",\"alt\":\"d\",\"media_url\":\"/m\""
        let id = try await client.create(as: "ana", title: "Alone", latitude: 60, extra: extra)
        _ = try await client.send(.put, "/v1/stories/\(id)/thumbnail", as: "ana", SmallPicture.webp())
        let place = try await fillPlaces(of: id, client)
        for number in 0..<25 { _ = try await client.create(as: "ana", title: "Here \(number)") }
        let nowhere = try await client.create(as: "ana", title: "Nowhere", latitude: nil)
        _ = try await client.send(.put, "/v1/stories/\(nowhere)/hide", as: "ben")
        let report = try await client.send(.post, "/v1/stories/\(id)/report", as: "ben", "{\"reason\":\"spam\"}")
        _ = try await client.send(
            .put,
            "/v1/me/notification-settings",
            as: "ben",
            "{\"enabled\":true,\"keep_fixes_days\":1}"
        )
        let here = "{\"name\":\"Here\",\"lat\":33.7554,\"lon\":-84.3736}"
        let named = try await client.send(.post, "/v1/named-places", as: "ben", here)
        let fix =
            "{\"device\":\"p\",\"fixes\":[{\"t\":\"2026-11-21T12:00:00Z\",\"lat\":33.7554,\"lon\":-84.3736,\"acc\":5}]}"
        _ = try await client.send(.post, "/v1/fixes", as: "ben", fix)
        fixture.clock.advance(seconds: 20)
        _ = try await fixture.library.fences.fireTimers()
        _ = try await client.send(.put, "/v1/stories/\(id)/favourite", as: "ben")
        let trip = "{\"title\":\"Trip\",\"privacy\":\"public\"}"
        let collection = try await client.send(.post, "/v1/collections", as: "ana", trip)
        _ = try await client.send(.patch, "/v1/stories/\(id)", as: "ana", "{\"collection\":\"Trip\"}")
        _ = try await client.create(as: "ana", title: "There", extra: ",\"collection\":\"Trip\"")
        let share = "{\"collection\":\"\(collection.json["id"]?.string ?? "")\",\"precision\":\"exact\"}"
        let link = try await client.send(.post, "/v1/me/share-links", as: "ana", share)
        _ = try await client.send(.post, "/v1/me/share-links", as: "ben", try await fillShare(client))
        let marker = try await client.clusters(zoom: 3, as: "ben").first { $0["id"]?.integer != nil }
        let kept = try await client.get("/v1/fixes", as: "ben").json
        let told = try await client.get("/v1/notifications", as: "ben").json
        let hook = #"{"kind":"webhook","target":{"url":"https://example.org/hook"}}"#
        let channel = try await client.send(.post, "/v1/me/channels", as: "ben", hook)
        return [
            "notification": try #require(told["notifications"]?[0]?["id"]?.string),
            "fix": try #require(kept["fixes"]?[0]?["id"]?.string),
            "basemap": "land",
            "story_place": place,
            "import": try #require(
                try await client.send(.post, "/v1/imports?name=a.csv", as: "ben", "title\nA\n").json["id"]?.string
            ),
            "cluster": try #require(marker?["id"]?.integer).description, "z": "0", "x": "0", "y": "0",
            "channel": try #require(channel.json["id"]?.string),
            "collection": try #require(collection.json["id"]?.string),
            "named_place": try #require(named.json["id"]?.string),
            "place": PlaceID(Coordinate(wrappingLatitude: 33.7554, longitude: -84.3736)).description,
            "id": id, "family": try await fillFamilies(client), "invitation": try await fillLink(client),
            "secret of a link": try #require(link.json["secret"]?.string),
            "entry": "1", "device": "phone", "report": try #require(report.json["tracking_id"]?.string),
        ]
    }

    /// Adds places to a story that ben sees, as points, lines and areas, and one that waits for him.
    ///
    /// Returns the id of one that everybody sees.
    private static func fillPlaces(of id: String, _ client: Client) async throws -> String {
        let line = #""geometry":{"type":"LineString","coordinates":[[10,50],[11,51]]}"#
        let area = #""geometry":{"type":"Polygon","coordinates":[[[10,50],[11,50],[11,51],[10,50]]]}"#
        let parts = [("MultiPoint", "[[10,50],[-170,0]]"), ("MultiLineString", "[[[10,50],[11,51]]]")]
            .map { #""geometry":{"type":"\#($0)","coordinates":\#($1)}"# }
        let areas = #""geometry":{"type":"MultiPolygon","coordinates":[[[[10,50],[11,50],[11,51],[10,50]]]]}"#
        let whole = [#""lat":1,"lon":2,"seconds":760,"role":"born""#, line, area + #","name":"Somewhere""#]
        var ids: [String] = []
        for fields in whole + parts + [areas] {
            let made = try await client.send(.post, "/v1/stories/\(id)/places", as: "ana", "{\(fields)}")
            ids.append(try #require(made.json["story_place"]?.string))
        }
        let own = try await client.create(as: "ben", title: "Mentioned")
        let guess = #"{"lat":1,"lon":2,"source":"ai_extracted"}"#
        _ = try await client.send(.post, "/v1/stories/\(own)/places", as: "ben", guess)
        return try #require(ids.first)
    }

    /// What ben shares, so that there is a link in his list.
    private static func fillShare(_ client: Client) async throws -> String {
        let id = try await client.create(as: "ben", title: "Ben's")
        return "{\"story\":\"\(id)\"}"
    }

    /// The token in the link of an invitation.
    private static func fillLink(_ client: Client) async throws -> String {
        let family = try await client.makeFamily(of: "ana", "Linked")
        let outcomes = try await client.invite([#"{"email":"y@example.org"}"#], into: family, as: "ana")
        return try #require(outcomes[0]["link"]?.string?.split(separator: "=").last.map(String.init))
    }

    /// Families, members, invitations both ways and the news of a deleted family; returns a family that ben owns.
    private static func fillFamilies(_ client: Client) async throws -> String {
        let family = try await client.makeFamily(of: "ben", "Bens")
        _ = try await client.invite([#"{"user":"ana"}"#, #"{"email":"x@example.org"}"#], into: family, as: "ben")
        let other = try await client.makeFamily(of: "ana", "Anas")
        _ = try await client.invite([#"{"user":"ben"}"#], into: other, as: "ana")
        let shared = try await client.makeFamily(of: "ana", "Both")
        try await client.join(shared, as: "ben", invitedBy: "ana", role: "owner")
        _ = try await client.send(.delete, "/v1/families/\(shared)", as: "ana")
        return family
    }

    /// Values for the parameters an operation cannot do without.
    private static func requiredQuery(of operation: JSONValue) -> String {
        let samples = ["bbox": "-180,-85,180,85", "zoom": "3", "q": "Atlanta", "lat": "33", "lon": "-84"]
        let names =
            operation["parameters"]?.array?
            .filter {
                $0["in"]?.string == "query" && $0["required"]?.bool == true
            }
            .compactMap { $0["name"]?.string } ?? []
        return names.isEmpty ? "" : "?" + names.map { "\($0)=\(samples[$0] ?? "1")" }.joined(separator: "&")
    }
}

/// Checks values against the JSON Schema of the document, independently of the service's own code.
struct SchemaChecker {
    let document: JSONValue

    func faults(of value: JSONValue, schema: JSONValue, at path: String = "$") -> [String] {
        if let reference = schema["$ref"]?.string, let name = reference.split(separator: "/").last {
            let named = document["components"]?["schemas"]?[String(name)] ?? .null
            return named.isNull ? ["\(path): no schema \(name)"] : faults(of: value, schema: named, at: path)
        }
        if schema["nullable"]?.bool == true, value.isNull { return [] }
        if let all = schema["allOf"]?.array { return all.flatMap { faults(of: value, schema: $0, at: path) } }
        if let choices = schema["anyOf"]?.array {
            let all = choices.map { faults(of: value, schema: $0, at: path) }
            return all.contains([]) ? [] : all.joined() + ["\(path): no alternative fits"]
        }
        if let constant = schema["const"], constant != value { return ["\(path): not \(constant)"] }
        if let words = schema["enum"]?.array, !words.contains(value) { return ["\(path): not one of \(words)"] }
        switch schema["type"]?.string {
        case "object": return objectFaults(value, schema, path)
        case "array": return arrayFaults(value, schema, path)
        case "string":
            guard let text = value.string else { return ["\(path): no text"] }
            let length = text.unicodeScalars.count
            let fits = length >= schema["minLength"]?.integer ?? 0 && length <= schema["maxLength"]?.integer ?? .max
            guard fits else { return ["\(path): length \(length)"] }
            guard let pattern = schema["pattern"]?.string else { return [] }
            return text.range(of: pattern, options: .regularExpression) != nil ? [] : ["\(path): not \(pattern)"]
        case "integer", "number":
            guard let number = value.number else { return ["\(path): no number"] }
            if schema["type"]?.string == "integer", number != number.rounded() { return ["\(path): not whole"] }
            let fits =
                number >= schema["minimum"]?.number ?? -.infinity && number <= schema["maximum"]?.number ?? .infinity
            return fits ? [] : ["\(path): \(number) out of range"]
        case "boolean": return value.bool == nil ? ["\(path): no truth value"] : []
        case "null": return value.isNull ? [] : ["\(path): not null"]
        default: return []
        }
    }

    private func objectFaults(_ value: JSONValue, _ schema: JSONValue, _ path: String) -> [String] {
        guard let object = value.object else { return ["\(path): no object"] }
        let properties = schema["properties"]?.object ?? [:]
        var found = (schema["required"]?.array ?? []).compactMap(\.string).filter { object[$0] == nil }
            .map { "\(path).\($0): missing" }
        for (name, member) in object {
            if let known = properties[name] {
                found += faults(of: member, schema: known, at: "\(path).\(name)")
            } else if schema["additionalProperties"]?.bool == false {
                found.append("\(path).\(name): not in the schema")
            }
        }
        return found
    }

    private func arrayFaults(_ value: JSONValue, _ schema: JSONValue, _ path: String) -> [String] {
        guard let items = value.array else { return ["\(path): no list"] }
        let tooMany = items.count > schema["maxItems"]?.integer ?? .max ? ["\(path): too many"] : []
        return tooMany
            + items.enumerated().flatMap { faults(of: $1, schema: schema["items"] ?? .null, at: "\(path)[\($0)]") }
    }
}
