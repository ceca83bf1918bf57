import App
import Library
import Formats
import Geometry
import HTTPTypes
import Stories
import TestSupport
import Testing

@Suite("Announcing a place under its own name")
struct NamedFenceTests {
    @Test("NTF-03 NTF-11 The fence reported by a device is announced, with nearby ones named")
    func reported() async throws {
        try await FenceStreet.run { street async throws in
            let one = try await street.story("ana", at: 0, named: "Butler Street")
            var there: [String] = []
            for _ in 0..<3 { there.append(try await street.story("ana", at: 60, named: "Big Bethel")) }
            let fences = try await street.fences()
            let (butler, bethel) = (try #require(fences[0]), try #require(fences[60]))
            #expect(try await street.enter(butler) == 1)
            #expect(try await street.words() == ["Butler Street: 4 stories nearby, 3 of them at Big Bethel"])
            let told = try #require(try await street.feed().first)
            #expect(told["place"]?["id"]?.string == butler && told["place"]?["name"]?.string == "Butler Street")
            #expect(told["count"]?.integer == 4)
            #expect(Set(told["content_ids"]?.array?.compactMap(\.string) ?? []) == Set(there + [one]))
            // What was told with it is told.
            #expect(try await street.enter(bethel) == 0)
            #expect(try await street.fences().isEmpty)
            // With one fewer it is still that place; what is left of it without bears the name of where it is.
            _ = try await street.client.send(.delete, "/v1/stories/\(there[0])", as: "ana")
            #expect(try await street.words() == ["Butler Street: 3 stories nearby, 2 of them at Big Bethel"])
            #expect(try await street.feed().first?["place"]?["id"]?.string == butler)
            _ = try await street.client.send(.delete, "/v1/stories/\(one)", as: "ana")
            #expect(try await street.words() == ["Big Bethel: 2 stories nearby"])
            #expect(try await street.feed().first?["place"]?["id"]?.string == bethel)
        }
    }

    @Test("NTF-05 NTF-06 A fence with nothing to announce leaves its neighbours to their own entries")
    func nothingThere() async throws {
        try await FenceStreet.run { street async throws in
            _ = try await street.story("ben", at: 0, named: "His own")
            _ = try await street.story("ana", at: 60, named: "Ebenezer")
            let own = PlaceID(FenceStreet.point(0)).description
            #expect(try await street.enter(own) == 0)
            #expect(try await street.feed().isEmpty)
            let ebenezer = try #require(try await street.fences()[60])
            #expect(try await street.enter(ebenezer) == 1)
            #expect(try await street.words() == ["Ebenezer: 1 story nearby"])
            // Nor does one that was told before use up what came since.
            _ = try await street.story("ana", at: 120, named: "New")
            street.fixture.clock.advance(seconds: 1)
            #expect(try await street.enter(ebenezer) == 0)
            #expect(try await street.enter(try #require(try await street.fences()[120])) == 1)
            #expect(try await street.words() == ["New: 1 story nearby", "Ebenezer: 1 story nearby"])
        }
    }

    @Test("NTF-03 With fixes too, the first place entered gives the name (the nearest if simultaneous)")
    func byFixes() async throws {
        for (start, expected) in [
            (-400.0, "A: 2 stories nearby, 1 of them at B"), (500, "B: 2 stories nearby, 1 of them at A"),
            (20, "A: 2 stories nearby, 1 of them at B"), (80, "B: 2 stories nearby, 1 of them at A"),
        ] {
            try await FenceStreet.run { street async throws in
                _ = try await street.story("ana", at: 0, named: "A")
                _ = try await street.story("ana", at: 100, named: "B")
                let isThere = (0...100).contains(start)
                for number in 0..<80 {
                    try await street.report(isThere ? start : start + (start < 0 ? 7 : -7) * Double(number))
                    street.fixture.clock.advance(seconds: 5)
                }
                #expect(try await street.words() == [expected], "from \(start)")
            }
        }
    }

    @Test(
        "NTF-03 Several places entered together name their area, in the list too and when one is gone"
    )
    func area() async throws {
        try await FenceStreet.run { street async throws in
            _ = try await street.client.send(.put, FenceStreet.settings, as: "ben", "{\"radius\":1000}")
            var stories: [String] = []
            for (metres, name) in [(-400.0, "A"), (0, "B"), (400, "C")] {
                stories.append(try await street.story("ana", at: metres, named: name, city: "Atlanta"))
            }
            for _ in 0..<3 {
                try await street.report(0)
                street.fixture.clock.advance(seconds: 5)
            }
            #expect(try await street.words() == ["Atlanta: 3 stories around Atlanta"])
            #expect(try await street.feed().first?["place"]?["name"]?.string == "Atlanta")
            // Where it leads is a place that is there still.
            _ = try await street.client.send(.delete, "/v1/stories/\(stories[1])", as: "ana")
            #expect(try await street.words() == ["Atlanta: 2 stories around Atlanta"])
            _ = try await street.client.send(.delete, "/v1/stories/\(stories[0])", as: "ana")
            let left = try #require(try await street.feed().first)
            #expect(left["place"]?["id"]?.string == PlaceID(FenceStreet.point(400)).description)
            #expect(left["content_ids"]?.array?.compactMap(\.string) == [stories[2]])
        }
    }

    @Test("Not while driving: a device's entry above the limit waits for another")
    func tooFast() async throws {
        try await FenceStreet.run { street async throws in
            _ = try await street.story("ana", at: 0, named: "A")
            let limit = try await street.client.send(.put, FenceStreet.settings, as: "ben", "{\"max_speed\":8}")
            #expect(limit.json["max_speed"]?.number == 8)
            let fence = try #require(try await street.fences()[0])
            #expect(try await street.enter(fence, "{\"speed\":14}") == 0)
            #expect(try await street.fences()[0] == fence)
            #expect(try await street.enter(fence, "{\"speed\":2}") == 1)
        }
    }

    @Test("Not while driving: announced at the stop and not before, by the reported or computed speed")
    func driving() async throws {
        for statesSpeed in [true, false] {
            for (limit, count) in [("8", 0), ("null", 1)] {
                try await FenceStreet.run { street async throws in
                    _ = try await street.story("ana", at: 0, named: "A")
                    let settings = "{\"max_speed\":\(limit)}"
                    #expect(try await street.client.send(.put, FenceStreet.settings, as: "ben", settings).status == 200)
                    for number in 0..<20 {
                        try await street.report(-700 + 70 * Double(number), speed: statesSpeed ? 14 : nil)
                        street.fixture.clock.advance(seconds: 5)
                        _ = try await street.fixture.library.fences.fireTimers()
                    }
                    #expect(try await street.feed().count == count)
                    // Back, and there to stay.
                    for number in 0..<20 {
                        let east = max(0, 700 - 70 * Double(number))
                        try await street.report(east, speed: statesSpeed ? (east > 0 ? 14 : 0) : nil)
                        if east > 0 { #expect(try await street.feed().count == count) }
                        street.fixture.clock.advance(seconds: 5)
                        _ = try await street.fixture.library.fences.fireTimers()
                    }
                    #expect(try await street.words() == ["A: 1 story nearby"])
                }
            }
        }
    }

    @Test("NTF-10 Not while driving: live and replayed notifications are the same, at the same time")
    func liveAsReplayed() async throws {
        try await FenceStreet.run { street async throws in
            _ = try await street.story("ana", at: 0, named: "A")
            _ = try await street.client.send(.put, FenceStreet.settings, as: "ben", "{\"max_speed\":8}")
            var rows = "time,lat,lon,accuracy\n"
            let start = street.fixture.clock.now.milliseconds
            func east(_ number: Int) -> Double { min(10, -700 + 70 * Double(number)) }
            for number in 0..<40 {
                let point = FenceStreet.point(east(number))
                let time = RFC3339.format(Timestamp(milliseconds: start + Int64(number) * 5_000))
                rows += "\(time),\(point.latitude),\(point.longitude),8\n"
            }
            let dry = try await street.client.send(.post, "/v1/traces?dry_run=true", as: "ben", rows)
            let expected = dry.json["notifications"]?.array ?? []
            #expect(expected.count == 1)
            for number in 0..<40 {
                try await street.report(east(number))
                street.fixture.clock.advance(seconds: 5)
            }
            let feed = try await street.feed()
            for name in ["id", "at", "kind", "place", "content_ids", "title", "body", "confidence"] {
                #expect(feed.map { $0[name] } == expected.map { $0[name] }, "\(name)")
            }
        }
    }

    @Test("The speed limit is stored, shown, exported and removed again; an invalid one is rejected")
    func setting() async throws {
        try await FenceStreet.run { street async throws in
            func put(_ body: String) async throws -> Client.Reply {
                try await street.client.send(.put, FenceStreet.settings, as: "ben", body)
            }
            #expect(try await street.client.get(FenceStreet.settings, as: "ben").json["max_speed"]?.isNull == true)
            #expect(try await put("{\"max_speed\":12.5}").json["max_speed"]?.number == 12.5)
            #expect(try await put("{\"radius\":200}").json["max_speed"]?.number == 12.5)
            for wrong in ["0", "-1", "101", "\"fast\""] {
                let reply = try await put("{\"max_speed\":\(wrong)}")
                #expect(reply.status == 422 && reply.json["errors"]?[0]?["field"]?.string == "max_speed", "\(wrong)")
                #expect(reply.json["errors"]?[0]?["message"]?.string?.isEmpty == false)
            }
            #expect(try await street.client.get(FenceStreet.settings, as: "ben").json["max_speed"]?.number == 12.5)
            #expect(try await put("{\"max_speed\":null}").json["max_speed"]?.isNull == true)
        }
    }

    @Test("NTF-05 A story shown less or more exactly is not announced again; one that moves far is")
    func shownOtherwise() async throws {
        try await FenceStreet.run { street async throws in
            let id = try await street.story("ana", at: 0, named: "A")
            #expect(try await street.enter(PlaceID(FenceStreet.start).description) == 1)
            let path = "/v1/stories/\(id)/location"
            for level in ["\"approximate\",\"cell\":0.01", "\"hidden\"", "\"approximate\",\"cell\":0.1", "\"exact\""] {
                let start = FenceStreet.start
                let body = "{\"lat\":\(start.latitude),\"lon\":\(start.longitude),\"precision\":\(level)}"
                #expect(try await street.client.send(.put, path, as: "ana", body).status == 200)
                #expect(try await street.fences().isEmpty, "\(level)")
            }
            let far = FenceStreet.point(60)
            let body = "{\"lat\":\(far.latitude),\"lon\":\(far.longitude)}"
            #expect(try await street.client.send(.put, path, as: "ana", body).status == 200)
            #expect(try await street.fences().count == 1)
        }
    }
}
