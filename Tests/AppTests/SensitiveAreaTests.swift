import Library
import App
import Formats
import Geometry
import HTTPTypes
import Importing
import Storage
import Stories
import StoryMap
import TestSupport
import Testing

@Suite("Sensitive areas at every entry point")
struct SensitiveAreaTests {
    /// An area over downtown Atlanta that publishes tenths of a degree.
    static let area = SensitiveAreaReader().read(Array(file.utf8), fileName: "areas.geojson").areas.first

    static let file = """
        {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"Downtown","precision":"approximate",
        "cell":0.1},"geometry":{"type":"Polygon","coordinates":[[[-84.4,33.74],[-84.36,33.74],[-84.36,33.77],
        [-84.4,33.77],[-84.4,33.74]]]}}]}
        """

    private func location(_ reply: Client.Reply) -> JSONValue? { reply.json["location"] }

    @Test("LOC-08 Loading a list coarsens its stories for all but their owners; clearing it restores the choices")
    func loadAndClear() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let area = try #require(SensitiveAreaTests.area)
        try await fixture.run { client async throws in
            let names = ",\"location\":{\"lat\":33.7554,\"lon\":-84.3736,\"address\":\"12 Elm Street\"}"
            let inside = try await client.create(as: "ana", title: "In", latitude: nil, extra: names)
            _ = try await client.create(as: "ana", title: "Out", latitude: 33.9)
            let path = "/v1/stories/\(inside)"
            let clusters = "/v1/clusters?bbox=-180,-85,180,85&zoom=4"
            let before = [try await client.get(path), try await client.get(path, as: "ana")]
            let map = try await client.get("/v1/bounds").bytes
            #expect(try await fixture.library.moderation.areas.replace([area]) == 1)
            let stranger = try await client.get(path)
            #expect(location(stranger)?["lat"]?.number == 33.75 && location(stranger)?["lon"]?.number == -84.35)
            #expect(location(stranger)?["address"]?.isNull == true)
            #expect(location(stranger)?["precision"]?.string == "approximate")
            #expect(location(stranger)?["published_cell"]?.number == 0.1)
            #expect(stranger.json["updated_at"] != before[0].json["updated_at"])
            let owner = try await client.get(path, as: "ana")
            #expect(location(owner)?["lat"]?.number == 33.7554)
            #expect(location(owner)?["address"]?.string == "12 Elm Street")
            #expect(location(owner)?["precision"]?.string == "exact")
            #expect(location(owner)?["published_as"]?.string == "approximate")
            #expect(location(owner)?["published_cell"]?.number == 0.1)
            let box = "/v1/stories?bbox=-84.374,33.755,-84.373,33.756"
            #expect(try await client.get(box).json["numberMatched"]?.integer == 0)
            #expect(try await client.get(box, as: "ana").json["numberMatched"]?.integer == 1)
            #expect(try await client.get("/v1/stories?q=elm").json["numberMatched"]?.integer == 0)
            #expect(try await client.get("/v1/stories?q=elm", as: "ana").json["numberMatched"]?.integer == 1)
            #expect(try await client.get(clusters).json["numberMatched"]?.integer == 2)
            #expect(try await client.get("/v1/bounds").bytes != map)
            #expect(try await fixture.library.moderation.areas.replace([area]) == 0)
            #expect(try await fixture.library.moderation.areas.replace([]) == 1)
            #expect(try await client.get("/v1/bounds").bytes == map)
            let after = [try await client.get(path), try await client.get(path, as: "ana")]
            for (old, new) in zip(before, after) { #expect(location(old) == location(new)) }
        }
    }

    @Test(
        "LOC-08 LOC-10 A story that an area reaches by its location, by a shape alone or by both counts once",
        arguments: [("33.7554", false, 1), ("33.9", false, 0), ("33.9", true, 1), ("33.7554", true, 1)]
    )
    func counts(latitude: String, hasShape: Bool, count: Int) async throws {
        let fixture = try await ServiceFixture()
        let area = try #require(SensitiveAreaTests.area)
        @Sendable func held() async throws -> Int { try await fixture.library.store.read { try $0.countHeldStories() } }
        try await fixture.run { client async throws in
            let place = ",\"location\":{\"lat\":\(latitude),\"lon\":-84.3736}"
            let story = try await client.create(as: "ana", title: "One", latitude: nil, extra: place)
            // Its middle lies far outside.
            let line = #"{"geometry":{"type":"LineString","coordinates":[[-84.37,33.76],[-84.37,34.9]]}}"#
            if hasShape {
                let reply = try await client.send(.post, "/v1/stories/\(story)/places", as: "ana", line)
                #expect(reply.status == 201)
            }
            #expect(try await held() == 0)
            #expect(try await fixture.library.moderation.areas.replace([area]) == count)
            #expect(try await held() == count)
            #expect(try await fixture.library.moderation.areas.replace([]) == count)
            #expect(try await held() == 0)
        }
    }

    @Test("LOC-08 The list applies to new, moved, imported and demo stories, even after a restart")
    func everyDoor() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let area = try #require(SensitiveAreaTests.area)
        _ = try await fixture.library.moderation.areas.replace([area])
        let demo = try Demo(folders: DataFolders(), keys: fixture.library.store.keys, now: fixture.clock.now)
        try await demo.load(into: fixture.library)
        var options = StoryImporter.Options(owner: try #require(UserID("ana")))
        options.source = "file"
        let rows = "id,title,lat,lon\n1,One,33.7554,-84.3736\n2,Two,33.9,-84.3736\n"
        let imported = StoryImporter(options: options).read(Array(rows.utf8), fileName: "a.csv").stories
        #expect(try await fixture.library.imports.add(imported) == ImportOutcome(created: 2))
        try await fixture.run { client async throws in
            let new = try await client.create(as: "ana", title: "New")
            let moved = try await client.create(as: "ana", title: "Moved", latitude: 33.9)
            let place = "{\"lat\":33.7561,\"lon\":-84.3722}"
            #expect(try await client.send(.put, "/v1/stories/\(moved)/location", as: "ana", place).status == 200)
            let left = try await client.create(as: "ana", title: "Left")
            #expect(
                try await client.send(.put, "/v1/stories/\(left)/location", as: "ana", "{\"lat\":5,\"lon\":5}").status
                    == 200
            )
            for id in [new, moved] {
                #expect(try await client.get("/v1/stories/\(id)").json["location"]?["lat"]?.number == 33.75)
            }
            #expect(try await client.get("/v1/stories/\(left)").json["location"]?["lat"]?.number == 5)
        }
        let again = try await StoryLibrary(store: fixture.library.store, gazetteer: nil, now: { fixture.clock.now })
        for library in [fixture.library, again] {
            let snapshot = library.map.snapshot()
            let inside = try #require(BoundingBox(west: -84.4, south: 33.74, east: -84.36, north: 33.77))
            let query = StoryQuery(viewer: .anonymous)
            #expect(snapshot.count(in: inside, query) == 0)
            let center = try #require(Coordinate(latitude: 33.75, longitude: -84.35))
            #expect(snapshot.count(in: BoundingBox(center), query) > 10)
        }
    }

    @Test("LOC-08 Areas also limit trusted family, and an owner's hidden story stays hidden for others")
    func family() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let area = try #require(SensitiveAreaTests.area)
        _ = try await fixture.library.moderation.areas.replace([area])
        try await fixture.run { client async throws in
            let place =
                ",\"location\":{\"lat\":33.7554,\"lon\":-84.3736,\"precision\":\"hidden\",\"family_sees_exact\":true}"
            let id = try await client.create(as: "ana", title: "Hidden", latitude: nil, extra: place)
            let path = "/v1/stories/\(id)"
            #expect(try await client.get(path, as: "ana").json["location"]?["lat"]?.number == 33.7554)
            #expect(try await client.get(path, as: "ben").json["location"]?["lat"]?.number == 33.75)
            #expect(try await client.get(path, as: "cora").json["location"]?.isNull == true)
            _ = try await fixture.library.moderation.areas.replace([])
            #expect(try await client.get(path, as: "ben").json["location"]?["lat"]?.number == 33.7554)
            #expect(try await client.get(path, as: "cora").json["location"]?.isNull == true)
        }
    }

    @Test("PRV-09 Moving one's own private story reveals the area's cell, and nothing within it")
    func probing() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let file = """
            {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"precision":"approximate","cell":0.1},
            "geometry":{"type":"Polygon","coordinates":[[[-84.372,33.753],[-84.369,33.753],[-84.369,33.756],
            [-84.372,33.756],[-84.372,33.753]]]}}]}
            """
        let area = try #require(SensitiveAreaReader().read(Array(file.utf8), fileName: "a.geojson").areas.first)
        _ = try await fixture.library.moderation.areas.replace([area])
        try await fixture.run { client async throws in
            let extra = ",\"privacy\":\"private\""
            let id = try await client.create(as: "cora", title: "Probe", extra: extra)
            func isHeld(_ latitude: Double, _ longitude: Double) async throws -> Bool {
                let body = "{\"lat\":\(latitude),\"lon\":\(longitude)}"
                let reply = try await client.send(.put, "/v1/stories/\(id)/location", as: "cora", body)
                #expect(reply.status == 200)
                return reply.json["location"]?["published_as"]?.string != "exact"
            }
            func edge(_ outside: Double, _ isHeld: (Double) async throws -> Bool) async throws -> Double {
                var (low, high) = (0.0, outside)
                while abs(high - low) > 1e-6 {
                    let middle = (low + high) / 2
                    if try await isHeld(middle) { low = middle } else { high = middle }
                }
                return low
            }
            let (latitude, longitude) = (33.7545, -84.3705)
            #expect(try await isHeld(latitude, longitude))
            let north = try await edge(0.3) { try await isHeld(latitude + $0, longitude) }
            let south = try await edge(-0.3) { try await isHeld(latitude + $0, longitude) }
            let east = try await edge(0.3) { try await isHeld(latitude, longitude + $0) }
            let west = try await edge(-0.3) { try await isHeld(latitude, longitude + $0) }
            let found = [latitude + north, latitude + south, longitude + east, longitude + west]
            for (edge, cell) in zip(found, [33.8, 33.7, -84.3, -84.4]) { #expect(abs(edge - cell) < 1e-5) }
        }
    }

    @Test("PRV-03 LOC-08 Moving a story within an area, or a hidden one into it, changes nothing for others")
    func movesWithin() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let area = try #require(SensitiveAreaTests.area)
        _ = try await fixture.library.moderation.areas.replace([area])
        try await fixture.run { client async throws in
            let exact = try await client.create(as: "ana", title: "Exact")
            let hidden = try await client.create(
                as: "ana",
                title: "Hidden",
                latitude: nil,
                extra: ",\"location\":{\"lat\":5,\"lon\":5,\"precision\":\"hidden\"}"
            )
            let paths = ["/v1/stories", "/v1/stories/\(exact)", "/v1/stories/\(hidden)"]
            var before: [[UInt8]] = []
            for path in paths { before.append(try await client.get(path).bytes) }
            for step in 1...5 {
                fixture.clock.advance(seconds: 60)
                let place = "{\"lat\":\(33.75 + Double(step) / 1_000),\"lon\":-84.37}"
                for id in [exact, hidden] {
                    let reply = try await client.send(.put, "/v1/stories/\(id)/location", as: "ana", place)
                    #expect(reply.status == 200)
                }
            }
            for (path, bytes) in zip(paths, before) { #expect(try await client.get(path).bytes == bytes) }
        }
    }
}
