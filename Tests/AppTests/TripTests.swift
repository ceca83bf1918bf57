import App
import Library
import Formats
import HTTPTypes
import Storage
import Stories
import Testing

@Suite("Collections as trips")
struct TripTests {
    private static func trip(_ client: Client, _ more: String = ",\"privacy\":\"public\"") async throws -> String {
        let reply = try await client.send(.post, "/v1/collections", as: "ana", "{\"title\":\"Delta\"\(more)}")
        return try #require(reply.json["id"]?.string)
    }

    private static func titles(_ client: Client, _ trip: String, as user: String?) async throws -> [String] {
        let json = try await client.get("/v1/collections/\(trip)/stories", as: user).json
        let features = json["features"]?.array ?? []
        #expect(json["numberMatched"]?.integer == features.count)
        return features.compactMap { $0["properties"]?["title"]?.string }
    }

    private static func order(_ client: Client, _ trip: String, _ ids: [String], as user: String) async throws -> Int {
        let list = ids.map { "\"\($0)\"" }.joined(separator: ",")
        return try await client.send(.put, "/v1/collections/\(trip)/order", as: user, "{\"stories\":[\(list)]}").status
    }

    private static func story(
        _ client: Client,
        _ title: String,
        _ more: String,
        as user: String = "ana"
    ) async throws
        -> String
    {
        try await client.create(as: user, title: title, extra: ",\"collection\":\"Delta\"" + more)
    }

    @Test("MAP-12 A trip goes by date until its owner orders it; what is not ordered follows")
    func order() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let trip = try await TripTests.trip(client)
            let late = try await TripTests.story(client, "late", ",\"date\":\"1940\"")
            let early = try await TripTests.story(client, "early", ",\"date\":\"1936-05-04\"")
            let undated = try await TripTests.story(client, "undated", "")
            #expect(try await TripTests.titles(client, trip, as: nil) == ["early", "late", "undated"])
            #expect(try await TripTests.order(client, trip, [undated, early, late], as: "ana") == 204)
            #expect(try await TripTests.titles(client, trip, as: nil) == ["undated", "early", "late"])
            _ = try await TripTests.story(client, "new", ",\"date\":\"1901\"")
            #expect(try await TripTests.order(client, trip, [late], as: "ana") == 204)
            #expect(try await TripTests.titles(client, trip, as: nil) == ["late", "new", "early", "undated"])
            #expect(try await client.send(.delete, "/v1/stories/\(late)", as: "ana").status == 204)
            #expect(try await TripTests.titles(client, trip, as: nil) == ["new", "early", "undated"])
            #expect(try await TripTests.order(client, trip, [], as: "ana") == 204)
        }
    }

    @Test("MAP-12 Only the owner orders a trip, by stories of it, each once; anything else changes nothing")
    func refused() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let trip = try await TripTests.trip(client)
            let a = try await TripTests.story(client, "a", ",\"date\":\"1901\"")
            let b = try await TripTests.story(client, "b", ",\"date\":\"1902\"")
            let elsewhere = try await client.create(as: "ana", title: "elsewhere")
            let others = try await TripTests.story(client, "others", "", as: "cora")
            #expect(try await TripTests.order(client, trip, [b, a], as: "ana") == 204)
            for wrong in [[a, a], [a, elsewhere], [others], [String(repeating: "0", count: 32)]] {
                #expect(try await TripTests.order(client, trip, wrong, as: "ana") == 422)
            }
            let many = Array(repeating: a, count: StoryLimits.tripLength + 1)
            #expect(try await TripTests.order(client, trip, many, as: "ana") == 422)
            #expect(try await TripTests.order(client, trip, [a, b], as: "ben") == 403)
            #expect(try await TripTests.titles(client, trip, as: nil) == ["b", "a"])
            let hidden = try await client.send(.post, "/v1/collections", as: "ana", #"{"title":"Secret"}"#)
            let id = try #require(hidden.json["id"]?.string)
            #expect(try await TripTests.order(client, id, [], as: "ben") == 404)
            #expect(try await client.get("/v1/collections/\(id)/stories", as: "ben").status == 404)
        }
    }

    @Test("PRV-02 A trip shows each viewer their stories at their points, and nothing of the others")
    func viewers() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let trip = try await TripTests.trip(client)
            let open = try await TripTests.story(client, "open", "")
            let kin = try await TripTests.story(client, "kin", ",\"privacy\":\"family_only\"")
            let own = try await TripTests.story(client, "own", ",\"privacy\":\"private\"")
            let before = try await client.get("/v1/collections/\(trip)/stories", as: "cora").bytes
            #expect(try await TripTests.order(client, trip, [own, kin, open], as: "ana") == 204)
            #expect(try await TripTests.titles(client, trip, as: "ana") == ["own", "kin", "open"])
            #expect(try await TripTests.titles(client, trip, as: "ben") == ["kin", "open"])
            let after = try await client.get("/v1/collections/\(trip)/stories", as: "cora").bytes
            #expect(before == after)
            let coarse = "{\"location\":{\"lat\":33.7554,\"lon\":-84.3736,\"precision\":\"approximate\"}}"
            #expect(try await client.send(.patch, "/v1/stories/\(open)", as: "ana", coarse).status == 200)
            let shown = try await client.get("/v1/collections/\(trip)/stories", as: nil)
            #expect(!String(decoding: shown.bytes, as: UTF8.self).contains("33.7554"))
        }
    }

    @Test("PRV-07 The order of a trip goes with the trip, and with each story")
    func gone() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let trip = try await TripTests.trip(client)
            let a = try await TripTests.story(client, "a", "")
            #expect(try await TripTests.order(client, trip, [a], as: "ana") == 204)
            let id = try #require(CollectionID(trip))
            #expect(try await fixture.library.store.read { try $0.storyOrder(of: id).count } == 1)
            #expect(try await client.send(.delete, "/v1/collections/\(trip)", as: "ana").status == 204)
            #expect(try await fixture.library.store.read { try $0.storyOrder(of: id).isEmpty })
        }
    }
}
