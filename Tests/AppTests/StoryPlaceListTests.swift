import App
import Formats
import HTTPTypes
import Library
import TestSupport
import Testing

@Suite("LOC-10 Places of a story in the body of the story")
struct StoryPlaceListTests {
    private static let born = #"{"role":"born","lat":1,"lon":2,"name":"Openfield"}"#
    private static let road =
        #"{"role":"recorded","seconds":760,"geometry":{"type":"LineString","coordinates":[[1,2],[3,4]]}}"#
    private static let guess = #"{"lat":5,"lon":6,"source":"ai_extracted"}"#

    private static func body(_ places: [String], _ extra: String = "") -> String {
        #"{"kind":"interview","title":"x","places":[\#(places.joined(separator: ","))]\#(extra)}"#
    }

    private static func patch(_ places: [String]) -> String { #"{"places":[\#(places.joined(separator: ","))]}"# }

    private static func batch(_ client: Client, _ items: [String]) async throws -> [JSONValue] {
        let body = "{\"items\":[\(items.joined(separator: ","))]}"
        let reply = try await client.send(.post, "/v1/stories/batch", as: "ana", body)
        #expect(reply.status == 200, "\(String(decoding: reply.bytes, as: UTF8.self))")
        return try #require(reply.json["items"]?.array)
    }

    private static func places(_ id: String, _ client: Client, as user: String? = "ana") async throws -> [JSONValue] {
        try await client.get("/v1/stories/\(id)", as: user).json["places"]?.array ?? []
    }

    @Test("LOC-11 A story is created with its places; an extracted one waits, and nobody else learns of it")
    func create() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let places = [StoryPlaceListTests.born, StoryPlaceListTests.road, StoryPlaceListTests.guess]
                let body = StoryPlaceListTests.body(places)
                let made = try await client.send(.post, "/v1/stories", as: "ana", body)
                #expect(made.status == 201)
                let id = try #require(made.json["id"]?.string)
                let own = try await StoryPlaceListTests.places(id, client)
                #expect(own.map { $0["confirmed"]?.bool }.filter { $0 == false }.count == 1 && own.count == 3)
                #expect(own.first?["seconds"]?.number == 760 && own.allSatisfy { $0["created_at"]?.isNull == false })
                let shown = try await StoryPlaceListTests.places(id, client, as: "cora")
                #expect(shown.map { $0["role"]?.string } == ["recorded", "born"])
                let waiting = try await client.get("/v1/me/places/waiting", as: "ana").json["places"]?.array
                #expect(waiting?.count == 1)
            }
    }

    @Test("SYN-01 A batch creates and changes stories with places; a repetition changes nothing")
    func offline() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let story = StoryPlaceListTests.body([StoryPlaceListTests.born, StoryPlaceListTests.road])
            let create = #"{"op":"create","client_id":"a","story":\#(story)}"#
            let made = try await StoryPlaceListTests.batch(client, [create])
            #expect(made[0]["outcome"]?.string == "created")
            let id = try #require(made[0]["id"]?.string)
            let before = try await StoryPlaceListTests.places(id, client)
            let road = try #require(before[0]["id"]?.string)
            fixture.clock.advance(seconds: 60)
            let again = try await StoryPlaceListTests.batch(client, [create])
            #expect(again[0]["outcome"]?.string == "unchanged")
            // The road stays as it is but for its role; the birth place is removed; another is new.
            let list = StoryPlaceListTests.patch([#"{"id":"\#(road)","role":"spoken_of"}"#, #"{"lat":9,"lon":9}"#])
            let tag = try #require(made[0]["etag"]?.string).replacing("\"", with: "\\\"")
            let update = #"{"op":"update","id":"\#(id)","if_match":"\#(tag)","story":\#(list)}"#
            #expect(try await StoryPlaceListTests.batch(client, [update])[0]["outcome"]?.string == "updated")
            let after = try await StoryPlaceListTests.places(id, client)
            #expect(after.count == 2 && after[0]["id"]?.string == road && after[0]["role"]?.string == "spoken_of")
            #expect(after[0]["geometry"] == before[0]["geometry"] && after[0]["seconds"]?.number == 760)
            #expect(after[0]["created_at"] == before[0]["created_at"])
            #expect(after[1]["lat"]?.number == 9 && after[1]["created_at"] != before[0]["created_at"])
            // Its answer was lost: it is already as the client wants it.
            #expect(try await StoryPlaceListTests.batch(client, [update])[0]["outcome"]?.string == "unchanged")
            #expect(try await StoryPlaceListTests.places(id, client) == after)
        }
    }

    @Test("LOC-11 What the list leaves out is removed, and an extraction does not bring it back")
    func removed() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let id = try await client.create(as: "ana", title: "x")
                let path = "/v1/stories/\(id)"
                let given = StoryPlaceListTests.patch([StoryPlaceListTests.born, StoryPlaceListTests.guess])
                #expect(try await client.send(.patch, path, as: "ana", given).status == 200)
                let tag = try await client.get(path, as: "ana").headers[.eTag]
                #expect(try await client.send(.patch, path, as: "ana", given).status == 200)
                #expect(try await client.get(path, as: "ana").headers[.eTag] == tag)
                #expect(try await client.send(.patch, path, as: "ana", #"{"title":"y"}"#).status == 200)
                #expect(try await StoryPlaceListTests.places(id, client).count == 2)
                let bare = StoryPlaceListTests.patch([StoryPlaceListTests.born])
                #expect(try await client.send(.patch, path, as: "ana", bare).status == 200)
                #expect(try await StoryPlaceListTests.places(id, client).count == 1)
                #expect(try await client.send(.patch, path, as: "ana", given).status == 409)
                #expect(try await client.send(.patch, path, as: "ana", #"{"places":null}"#).status == 200)
                #expect(try await StoryPlaceListTests.places(id, client).isEmpty)
            }
    }

    @Test(
        "LOC-07 A wrong place of a list is refused by its number and field, and nothing is stored",
        arguments: [
            (#"{"lat":91,"lon":2}"#, "places[1].lat"), (#"{"role":"born"}"#, "places[1].lat"),
            (#"{"lat":1,"lon":2,"role":"Born!"}"#, "places[1].role"),
            (#"{"lat":1,"lon":2,"seconds":-1}"#, "places[1].seconds"),
            (#"{"lat":1,"lon":2,"geometry":{"type":"Point","coordinates":[1,2]}}"#, "places[1].geometry"),
            (#"{"geometry":{"type":"MultiPoint","coordinates":[]}}"#, "places[1].geometry"),
            (#"{"id":"00000000000000000000000000000001"}"#, "places[1].id"),
            (#"{"lat":1,"lon":2,"name":"a\nb"}"#, "places[1].name"),
        ]
    )
    func invalid(place: String, field: String) async throws {
        try await ServiceFixture()
            .run { client async throws in
                let id = try await client.create(as: "ana", title: "x")
                let list = StoryPlaceListTests.patch([StoryPlaceListTests.born, place])
                let reply = try await client.send(.patch, "/v1/stories/\(id)", as: "ana", list)
                #expect(reply.status == 422, "\(String(decoding: reply.bytes, as: UTF8.self))")
                #expect(reply.json["errors"]?.array?.compactMap { $0["field"]?.string }.contains(field) == true)
                #expect(try await StoryPlaceListTests.places(id, client).isEmpty)
                let story = StoryPlaceListTests.body([StoryPlaceListTests.born, place])
                let item = #"{"op":"create","client_id":"a","story":\#(story)}"#
                let refused = try await StoryPlaceListTests.batch(client, [item])
                #expect(refused[0]["outcome"]?.string == "refused")
                let fields = refused[0]["errors"]?.array?.compactMap { $0["field"]?.string } ?? []
                #expect(fields.contains("story." + field), "\(fields)")
                #expect(try await client.get("/v1/stories", as: "ana").json["numberMatched"]?.integer == 1)
            }
    }

    @Test("LOC-10 A story has at most 50 places, also in a list")
    func limit() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let many = (0..<51).map { #"{"lat":\#($0),"lon":1}"# }
                let refused = try await client.send(.post, "/v1/stories", as: "ana", StoryPlaceListTests.body(many))
                #expect(refused.status == 422 && refused.json["errors"]?[0]?["field"]?.string == "places")
                let body = StoryPlaceListTests.body(many.dropLast())
                let made = try await client.send(.post, "/v1/stories", as: "ana", body)
                #expect(made.status == 201 && made.json["places"]?.array?.count == 50)
            }
    }
}
