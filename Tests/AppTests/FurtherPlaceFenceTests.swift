import App
import Formats
import Geometry
import HTTPTypes
import Library
import Storage
import Stories
import TestSupport
import Testing

@Suite("Fences at a story's further places")
struct FurtherPlaceFenceTests {
    /// Adds a further place so far down the street; returns its id.
    private static func add(
        _ fields: String = "",
        at metres: Double,
        to story: String,
        _ street: FenceStreet
    ) async throws -> String {
        let point = FenceStreet.point(metres)
        let body = "{\"lat\":\(point.latitude),\"lon\":\(point.longitude)\(fields)}"
        let reply = try await street.client.send(.post, "/v1/stories/\(story)/places", as: "ana", body)
        #expect([201, 202].contains(reply.status), "\(String(decoding: reply.bytes, as: UTF8.self))")
        let path = try #require(reply.headers[.location])
        return String(try #require(path.split(separator: "/").last))
    }

    private static func set(_ settings: String, _ street: FenceStreet) async throws {
        let reply = try await street.client.send(.put, FenceStreet.settings, as: "ben", settings)
        #expect(reply.status == 200, "\(String(decoding: reply.bytes, as: UTF8.self))")
    }

    private static let mill = ",\"role\":\"born\",\"seconds\":760.5,\"name\":\"The house\""

    @Test("NTF-05 NTF-03 LOC-10 A story with several places is announced once, where one of them is reached first")
    func once() async throws {
        try await FenceStreet.run { street in
            try await FurtherPlaceFenceTests.set("{\"enabled\":true,\"preview\":\"full\"}", street)
            let story = try await street.story("ana", at: 0, named: "The mill")
            let place = try await FurtherPlaceFenceTests.add(FurtherPlaceFenceTests.mill, at: 1_000, to: story, street)
            _ = try await FurtherPlaceFenceTests.add(",\"role\":\"recorded\"", at: 2_000, to: story, street)
            let fences = try await street.fences()
            #expect(fences.keys.sorted() == [0, 1_000, 2_000])
            let house = try #require(fences[1_000])
            #expect(try await street.enter(house) == 1)
            let told = try #require(try await street.feed().first)
            #expect(told["title"]?.string == "The house")
            #expect(told["body"]?.string?.hasSuffix("The mill · Born here · Hear it from 12:40") == true)
            #expect(told["content_ids"]?.array?.compactMap(\.string) == [story])
            #expect(told["story_places"]?[0]?["story"]?.string == story)
            #expect(told["story_places"]?[0]?["story_place"]?.string == place)
            // Nothing is left to announce at its other places, whoever asks.
            #expect(try await street.fences().isEmpty)
            for fence in fences.values.sorted() { #expect(try await street.enter(fence) == 0) }
            for metres in [0.0, 2_000] {
                for _ in 0..<4 {
                    street.fixture.clock.advance(seconds: 20)
                    try await street.report(metres)
                }
                _ = try await street.fixture.library.fences.fireTimers()
            }
            #expect(try await street.feed().count == 1)
        }
    }

    @Test("NTF-05 A story moved far is announced again at its own location, and at no further place where it was")
    func moves() async throws {
        try await FenceStreet.run { street in
            let story = try await street.story("ana", at: 0, named: "The mill")
            let place = try await FurtherPlaceFenceTests.add(at: 1_000, to: story, street)
            let house = try #require(try await street.fences()[1_000])
            #expect(try await street.enter(house) == 1)
            func patch(_ path: String, to metres: Double) async throws {
                let point = FenceStreet.point(metres)
                let position = "\"lat\":\(point.latitude),\"lon\":\(point.longitude)"
                let body = path.hasSuffix(place) ? "{\(position)}" : "{\"location\":{\(position)}}"
                #expect(try await street.client.send(.patch, path, as: "ana", body).status == 200)
            }
            // A further place that moves is no news.
            try await patch("/v1/stories/\(story)/places/\(place)", to: 1_500)
            #expect(try await street.fences().isEmpty)
            try await patch("/v1/stories/\(story)", to: 3_000)
            let fences = try await street.fences()
            #expect(fences.keys.sorted() == [3_000])
            let own = try #require(fences[3_000])
            #expect(try await street.enter(PlaceID(FenceStreet.point(1_500)).description) == 0)
            #expect(try await street.enter(own) == 1)
            #expect(try await street.enter(own) == 0)
        }
    }

    @Test(
        "PRV-03 LOC-08 LOC-11 NTF-11 What is hidden, coarse, waiting or no point makes no fence, byte for byte",
        arguments: [
            ",\"precision\":\"hidden\"", ",\"precision\":\"hidden\",\"family_sees_exact\":true",
            ",\"precision\":\"approximate\"", ",\"precision\":\"approximate\",\"cell\":1,\"family_sees_exact\":true",
            ",\"source\":\"ai_extracted\"",
        ]
    )
    func none(fields: String) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await FenceStreet.run(in: fixture) { street in
            for user in ["ana", "cora"] {
                let settings = "{\"enabled\":true,\"notify_own\":true}"
                _ = try await street.client.send(.put, FenceStreet.settings, as: user, settings)
            }
            let story = try await street.story("ana", at: 0, named: "The mill")
            func answers() async throws -> [[UInt8]] {
                let point = FenceStreet.point(2_000)
                let ids = [point, PublishedCell.hundredth.center(of: point), PublishedCell.degree.center(of: point)]
                    .map { PlaceID($0).description }
                var answers: [[UInt8]] = []
                // Family, the owner, a stranger.
                for user in ["ben", "ana", "cora"] {
                    let query = "lat=\(point.latitude)&lon=\(point.longitude)&limit=20"
                    answers.append(try await street.client.get("/v1/fences?" + query, as: user).bytes)
                    for id in ids {
                        let reply = try await street.client.send(.post, "/v1/fences/\(id)/entered", as: user, "{}")
                        #expect(reply.status == 404)
                        answers.append(reply.bytes)
                    }
                }
                return answers
            }
            let before = try await answers()
            _ = try await FurtherPlaceFenceTests.add(fields, at: 2_000, to: story, street)
            #expect(try await answers() == before)
        }
    }

    @Test("LOC-02 NTF-05 A place that is moved, hidden or removed during a visit behaves as a story's own location")
    func during() async throws {
        for change in ["none", "moved", "hidden", "removed", "private"] {
            try await FenceStreet.run { street in
                let story = try await street.story("ana", at: 5_000, named: "The mill")
                let place = try await FurtherPlaceFenceTests.add(at: 0, to: story, street)
                try await street.report(0)
                let path = "/v1/stories/\(story)/places/\(place)"
                func patch(_ path: String, _ body: String) async throws {
                    #expect(try await street.client.send(.patch, path, as: "ana", body).status == 200)
                }
                switch change {
                case "moved":
                    let point = FenceStreet.point(2_500)
                    try await patch(path, "{\"lat\":\(point.latitude),\"lon\":\(point.longitude)}")
                case "hidden": try await patch(path, "{\"precision\":\"hidden\"}")
                case "removed": #expect(try await street.client.send(.delete, path, as: "ana").status == 204)
                case "private": try await patch("/v1/stories/\(story)", "{\"privacy\":\"private\"}")
                default: break
                }
                for _ in 0..<2 {
                    street.fixture.clock.advance(seconds: 13)
                    _ = try await street.fixture.library.fences.fireTimers()
                }
                #expect(try await street.feed().count == (change == "none" ? 1 : 0), "\(change)")
            }
        }
    }

    @Test("NTF-09 LOC-02 A notification follows its place, and goes when the place is hidden, removed or erased")
    func afterwards() async throws {
        try await FenceStreet.run { street in
            let story = try await street.story("ana", at: 5_000, named: "The mill")
            let place = try await FurtherPlaceFenceTests.add(",\"name\":\"The house\"", at: 0, to: story, street)
            let house = try #require(try await street.fences()[0])
            #expect(try await street.enter(house) == 1)
            #expect(try await street.words() == ["The house: 1 story nearby"])
            let path = "/v1/stories/\(story)/places/\(place)"
            func patch(_ body: String) async throws {
                street.fixture.clock.advance(seconds: 1)
                #expect(try await street.client.send(.patch, path, as: "ana", body).status == 200)
            }
            let moved = FenceStreet.point(700)
            try await patch("{\"lat\":\(moved.latitude),\"lon\":\(moved.longitude),\"name\":\"The barn\"}")
            #expect(try await street.words() == ["The barn: 1 story nearby"])
            #expect(try await street.feed()[0]["place"]?["id"]?.string == PlaceID(moved).description)
            // Never is it told as if it were about the story's own location, which the user was not near.
            for precision in ["hidden", "approximate"] {
                try await patch("{\"precision\":\"\(precision)\"}")
                #expect(try await street.feed().isEmpty)
                try await patch("{\"precision\":\"exact\"}")
                #expect(try await street.words() == ["The barn: 1 story nearby"])
            }
            #expect(try await street.client.send(.delete, path, as: "ana").status == 204)
            #expect(try await street.feed().isEmpty)
            let id = PlaceID(FenceStreet.point(5_000)).description
            #expect(try await street.enter(id) == 0)
        }
    }

    @Test("NTF-08 NTF-02 A further place is muted alone, and has its own radius and kinds")
    func muted() async throws {
        try await FenceStreet.run { street in
            let story = try await street.story("ana", at: 0, named: "The mill")
            _ = try await FurtherPlaceFenceTests.add(at: 100, to: story, street)
            _ = try await FurtherPlaceFenceTests.add(at: 4_000, to: story, street)
            let ids = [100.0, 4_000].map { PlaceID(FenceStreet.point($0)).description }
            let places = "[{\"place_id\":\"\(ids[0])\",\"enabled\":false},{\"place_id\":\"\(ids[1])\",\"radius\":900}]"
            try await FurtherPlaceFenceTests.set("{\"enabled\":true,\"places\":\(places)}", street)
            let fences = try await street.fences()
            #expect(fences.keys.sorted() == [0, 4_000])
            let mill = try #require(fences[0])
            #expect(try await street.enter(mill) == 1)
            #expect(try await street.feed()[0]["story_places"] == nil)
        }
    }

    @Test("LOC-01 NTF-11 SYN-04 A story without a location of its own is announced at its further place, and packed")
    func alone() async throws {
        try await FenceStreet.run { street in
            let story = try await street.client.create(as: "ana", title: "Told", latitude: nil)
            _ = try await FurtherPlaceFenceTests.add(",\"name\":\"The house\"", at: 0, to: story, street)
            let path = "/v1/offline-package?bbox=-85,33,-84,34&zoom=9"
            let packed = try await street.client.get(path, as: "ben").json["fences"]?.array ?? []
            #expect(packed.count == 1 && packed[0]["count"]?.integer == 1)
            let fence = try #require(try await street.fences()[0])
            #expect(packed[0]["place_id"]?.string == fence)
            #expect(try await street.enter(fence) == 1)
            #expect(try await street.words() == ["The house: 1 story nearby"])
            // Once it has a location there is nothing new to tell.
            let point = FenceStreet.point(800)
            let location = "{\"location\":{\"lat\":\(point.latitude),\"lon\":\(point.longitude)}}"
            #expect(try await street.client.send(.patch, "/v1/stories/\(story)", as: "ana", location).status == 200)
            #expect(try await street.fences().isEmpty)
        }
    }

    @Test("NTF-08 PRV-07 A further place that was muted stays so when an older copy of the database is put back")
    func restored() async throws {
        let id = PlaceID(FenceStreet.point(1_000)).description
        let first = try await ServiceFixture()
        try await FenceStreet.run(in: first) { street in
            let story = try await street.story("ana", at: 0, named: "The mill")
            _ = try await FurtherPlaceFenceTests.add(at: 1_000, to: story, street)
        }
        let copy = try TemporaryFolder()
        try first.closeAndCopy(to: copy)
        let second = try await ServiceFixture(of: first)
        try await FenceStreet.run(in: second) { street in
            let places = "[{\"place_id\":\"\(id)\",\"enabled\":false}]"
            try await FurtherPlaceFenceTests.set("{\"enabled\":true,\"places\":\(places)}", street)
            #expect(try await street.fences().keys.sorted() == [0])
        }
        try second.closeAndPutBack(copy)
        let third = try await ServiceFixture(of: first)
        try await third.run { client async throws in
            let settings = try await client.get(FenceStreet.settings, as: "ben").json
            #expect(settings["places"]?.array?.compactMap { $0["place_id"]?.string } == [id])
            #expect(settings["places"]?[0]?["enabled"]?.bool == false)
        }
        try third.library.store.close()
    }
}
