import App
import Formats
import Geometry
import HTTPTypes
import Library
import Storage
import Stories
import TestSupport
import Testing

@Suite("LOC-10 Places of a story besides its location")
struct StoryPlaceTests {
    private static func add(
        _ fields: String,
        to story: String,
        _ client: Client,
        as user: String = "ana",
        headers: HTTPFields = [:]
    ) async throws -> Client.Reply {
        try await client.send(.post, "/v1/stories/\(story)/places", as: user, "{\(fields)}", headers: headers)
    }

    private static func places(_ story: String, _ client: Client, as user: String?) async throws -> [JSONValue] {
        let reply = try await client.get("/v1/stories/\(story)/places", as: user)
        #expect(reply.status == 200)
        return reply.json["places"]?.array ?? []
    }

    @Test("LOC-10 A place has a role, seconds, a precision and a shape of its own; its story carries it")
    func whole() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let id = try await client.create(as: "ana", title: "x")
                let bare = try await client.get("/v1/stories/\(id)", as: "cora")
                #expect(bare.json["places"] == nil)
                let area = #""geometry":{"type":"Polygon","coordinates":[[[10.1,50],[11,50],[11,51.25],[10.1,50]]]}"#
                let first = try await StoryPlaceTests.add(area + #","role":"born","name":"A county""#, to: id, client)
                #expect(first.status == 201)
                let exact = #""lat":51.123456,"lon":7.1,"seconds":760.25,"role":"recorded""#
                #expect(try await StoryPlaceTests.add(exact, to: id, client).status == 201)
                let coarse = #""lat":48.15,"lon":11.55,"precision":"approximate","cell":0.1,"seconds":9"#
                #expect(try await StoryPlaceTests.add(coarse, to: id, client).status == 201)
                let shown = try await StoryPlaceTests.places(id, client, as: "cora")
                #expect(shown.map { $0["role"]?.string } == ["spoken_of", "recorded", "born"])
                #expect(shown[0]["seconds"]?.number == 9 && shown[0]["precision"]?.string == "approximate")
                #expect(shown[1]["lat"]?.number == 51.123456 && shown[1]["seconds"]?.number == 760.25)
                #expect(shown[2]["geometry"]?["coordinates"]?[0]?[2]?[1]?.number == 51.25)
                #expect(shown[2]["name"]?.string == "A county" && shown[2]["seconds"]?.isNull == true)
                let story = try await client.get("/v1/stories/\(id)", as: "cora")
                #expect(story.json["places"]?.array == shown)
                #expect(story.headers[.eTag] != bare.headers[.eTag])
                let list = try await client.get("/v1/stories", as: "cora").json
                #expect(list["features"]?[0]?["properties"]?["places"]?.array == shown)
            }
    }

    @Test("LOC-10 PRV-03 One hidden place of several leaves no trace for others: bytes, versions, changes, search")
    func hidden() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "x")
            _ = try await StoryPlaceTests.add(#""lat":1,"lon":2,"name":"Openfield""#, to: id, client)
            let surfaces = [
                "/v1/stories/\(id)", "/v1/stories/\(id)/places", "/v1/stories", "/v1/stories?q=secretville",
                "/v1/changes", "/v1/clusters?bbox=-180,-90,180,90&zoom=0", "/v1/facets", "/stories/\(id)",
            ]
            func transcript() async throws -> [String] {
                var transcript: [String] = []
                for viewer in ["ben", "cora", nil] {
                    for path in surfaces where viewer != nil || path != "/v1/changes" {
                        let reply = try await client.get(path, as: viewer)
                        #expect(reply.status == 200, "\(path)")
                        // An answer of changes and its cursor contain the time.
                        let isFeed = path == "/v1/changes"
                        var text = String(decoding: reply.bytes, as: UTF8.self)
                        if isFeed {
                            let (next, time) = (
                                reply.json["next"]?.string ?? "-", reply.json["synced_at"]?.string ?? "-"
                            )
                            text = text.replacing(next, with: "").replacing("\"synced_at\":\"\(time)\"", with: "")
                        }
                        let tag = isFeed ? "" : reply.headers[.eTag] ?? ""
                        transcript.append("\(path) \(tag) \(text)")
                    }
                }
                return transcript
            }
            let before = try await transcript()
            fixture.clock.advance(seconds: 5)
            let secret = #""lat":3,"lon":4,"precision":"hidden","name":"Secretville","seconds":1"#
            let hidden = try await StoryPlaceTests.add(secret, to: id, client)
            #expect(hidden.status == 201)
            let guess = #""lat":5,"lon":6,"source":"ai_extracted","name":"Secretville""#
            #expect(try await StoryPlaceTests.add(guess, to: id, client).status == 202)
            for (old, new) in zip(before, try await transcript()) {
                #expect(old == new)
            }
            #expect(try await StoryPlaceTests.places(id, client, as: "ana").count == 3)
            let found = try await client.get("/v1/stories?q=secretville", as: "ana").json
            #expect(found["numberMatched"]?.integer == 1)
            // Shown to family, it is there for them alone.
            let place = try #require(hidden.json["places"]?[0]?["id"]?.string)
            let path = "/v1/stories/\(id)/places/\(place)"
            #expect(try await client.send(.patch, path, as: "ana", #"{"family_sees_exact":true}"#).status == 200)
            #expect(try await StoryPlaceTests.places(id, client, as: "ben").count == 2)
            #expect(try await StoryPlaceTests.places(id, client, as: "cora").count == 1)
            #expect(try await client.get("/v1/stories?q=secretville", as: "ben").json["numberMatched"]?.integer == 1)
            #expect(try await client.get("/v1/stories?q=secretville", as: "cora").json["numberMatched"]?.integer == 0)
        }
    }

    @Test("LOC-11 An extracted place waits for its owner, is confirmed or rejected, and does not come back")
    func extracted() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "x")
            let (one, two) = (#""lat":1,"lon":2,"source":"ai_extracted""#, #""lat":5,"lon":6,"source":"ai_extracted""#)
            #expect(try await StoryPlaceTests.add(one, to: id, client).status == 202)
            #expect(try await StoryPlaceTests.add(one, to: id, client).status == 202)
            #expect(try await StoryPlaceTests.add(two, to: id, client).status == 202)
            #expect(try await StoryPlaceTests.places(id, client, as: "cora").isEmpty)
            #expect(try await client.get("/v1/me/places/waiting", as: "cora").json["places"]?.array == [])
            let first = try await client.get("/v1/me/places/waiting?limit=1", as: "ana").json
            let next = try #require(first["links"]?["next"]?.string)
            let second = try await client.get(next, as: "ana").json
            #expect(second["links"]?["next"]?.isNull == true && second["places"]?[0]?["story"]?.string == id)
            let waiting = [first, second].compactMap { $0["places"]?[0] }
            let ids = try [1.0, 5.0]
                .map { latitude in
                    try #require(waiting.first { $0["lat"]?.number == latitude }?["id"]?.string)
                }
            let path = "/v1/stories/\(id)/places"
            #expect(try await client.send(.post, "\(path)/\(ids[0])/confirm", as: "cora").status == 403)
            let confirmed = try await client.send(.post, "\(path)/\(ids[0])/confirm?precision=approximate", as: "ana")
            #expect(confirmed.status == 200)
            #expect(try await client.send(.post, "\(path)/\(ids[0])/confirm", as: "ana").status == 404)
            let shown = try await StoryPlaceTests.places(id, client, as: "cora")
            #expect(shown.count == 1 && shown[0]["precision"]?.string == "approximate")
            #expect(try await client.send(.post, "\(path)/\(ids[1])/reject", as: "ana").status == 204)
            #expect(try await StoryPlaceTests.add(two, to: id, client).status == 409)
            #expect(try await StoryPlaceTests.add(one, to: id, client).status == 200)
            #expect(try await client.send(.delete, "\(path)/\(ids[0])", as: "ana").status == 204)
            #expect(try await StoryPlaceTests.add(one, to: id, client).status == 409)
            #expect(try await client.get("/v1/me/places/waiting", as: "ana").json["places"]?.array == [])
        }
    }

    @Test(
        "LOC-07 A place that is wrong is refused with its field, and nothing is stored",
        arguments: [
            (#""lat":91,"lon":2"#, "lat"), (#""role":"born""#, "lat"), (#""lat":1,"lon":2,"role":"Born!""#, "role"),
            (#""lat":1,"lon":2,"seconds":-1"#, "seconds"),
            (#""lat":1,"lon":2,"geometry":{"type":"Point","coordinates":[1,2]}"#, "geometry"),
            (#""geometry":{"type":"MultiPoint","coordinates":[]}"#, "geometry"),
            (#""geometry":{"type":"MultiPolygon","coordinates":[[[[1,2],[2,2],[2,3],[1,4]]]]}"#, "geometry"),
            (#""geometry":"MULTIPOINT((1 2))""#, "geometry"),
            (#""geometry":{"type":"GeometryCollection","geometries":[]}"#, "geometry"),
            (#""geometry":{"type":"LineString","coordinates":[[-180,0],[180,0]]}"#, "geometry"),
            (#""lat":1,"lon":2,"cell":0.5,"precision":"approximate""#, "cell"),
            (#""lat":1,"lon":2,"precision":"hidden","role":"recorded""#, "role"),
        ]
    )
    func invalid(fields: String, field: String) async throws {
        try await ServiceFixture()
            .run { client async throws in
                let id = try await client.create(as: "ana", title: "x", latitude: nil)
                let reply = try await StoryPlaceTests.add(fields, to: id, client)
                #expect(reply.status == 422, "\(String(decoding: reply.bytes, as: UTF8.self))")
                #expect(reply.json["errors"]?.array?.contains { $0["field"]?.string == field } == true)
                #expect(try await StoryPlaceTests.places(id, client, as: "ana").isEmpty)
            }
    }

    @Test("LOC-10 SYN-02 At most 50 places; an Idempotency-Key adds one once; an old version changes nothing")
    func limits() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let id = try await client.create(as: "ana", title: "x")
                let once: HTTPFields = [try #require(HTTPField.Name("Idempotency-Key")): "k"]
                for _ in 0..<2 {
                    let reply = try await StoryPlaceTests.add(#""lat":0,"lon":1"#, to: id, client, headers: once)
                    #expect(reply.status == 201)
                }
                #expect(try await StoryPlaceTests.places(id, client, as: "ana").count == 1)
                for number in 1..<50 {
                    #expect(try await StoryPlaceTests.add("\"lat\":\(number),\"lon\":1", to: id, client).status == 201)
                }
                let reply = try await StoryPlaceTests.add(#""lat":60,"lon":1"#, to: id, client)
                #expect(reply.status == 409 && reply.json["type"]?.string == "/problems/too-many-places")
                let place = try #require(try await StoryPlaceTests.places(id, client, as: "ana")[0]["id"]?.string)
                let old: HTTPFields = [.ifMatch: "\"old\""]
                let path = "/v1/stories/\(id)/places/\(place)"
                #expect(try await client.send(.delete, path, as: "ana", headers: old).status == 412)
                #expect(try await client.send(.delete, path, as: "ana").status == 204)
                #expect(try await StoryPlaceTests.places(id, client, as: "ana").count == 49)
            }
    }

    private static func rows(_ fixture: ServiceFixture) async throws -> Int {
        try await fixture.library.store.read { try $0.personalCount("story_places", of: "ana") }
    }

    @Test("PRV-07 LOC-10 A restored story has its places again, and an erased account leaves none")
    func kept() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "x")
            let line = #""geometry":{"type":"LineString","coordinates":[[10.123456789,50],[11,51]]}"#
            let area = #"[[[20.5,50],[21,50],[21,51],[20.5,50]]]"#
            let other = #"[[[22.5,50],[23,50],[23,51],[22.5,50]]]"#
            let areas = #""geometry":{"type":"MultiPolygon","coordinates":[\#(other),\#(area)]}"#
            for place in [line, areas] { _ = try await StoryPlaceTests.add(place, to: id, client) }
            let before = try await StoryPlaceTests.places(id, client, as: "ana")
            #expect(try await StoryPlaceTests.rows(fixture) == 2)
            #expect(try await client.send(.delete, "/v1/stories/\(id)", as: "ana").status == 204)
            #expect(try await StoryPlaceTests.rows(fixture) == 0)
            let story = try #require(StoryID(id))
            _ = try await fixture.library.rights.retention.restore(story)
            let after = try await StoryPlaceTests.places(id, client, as: "ana")
            #expect(after.map { $0["geometry"] } == before.map { $0["geometry"] } && after.count == 2)
            #expect(after.contains { $0["geometry"]?["coordinates"]?[1]?[0]?[0]?[0]?.number == 20.5 })
            #expect(try await StoryPlaceTests.rows(fixture) == 2)
        }
    }
}

extension StoreReader {
    fileprivate func personalCount(_ name: String, of user: String) throws -> Int {
        guard let user = UserID(user) else { return -1 }
        return try personalCounts(of: user).first { $0.name == name }?.count ?? -1
    }
}
