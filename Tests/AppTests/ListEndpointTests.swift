import App
import Library
import Formats
import Geometry
import HTTPTypes
import Storage
import Stories
import StoryMap
import TestSupport
import Testing

@Suite("Nearby, at a place, over time")
struct ListEndpointTests {
    @Test(
        "MAP-11 Nearby, places, clusters, bounds and histograms over HTTP match a scan of all stories",
        arguments: UInt64(0)..<3
    )
    func answers(seed: UInt64) async throws {
        var world = StoryWorld(seed: seed, count: 160)
        let fixture = try await ServiceFixture()
        try await fixture.store(world)
        // No operator keeps an area: what an area would ask for does not count.
        let stories = world.stories.map { story in
            var story = story
            story.location?.floor = .exact
            return story
        }
        let oracle = BruteForceMap(stories)
        var asked: [(parts: StoryQueryParts, box: BoundingBox)] = []
        for viewer in world.viewers where viewer.user?.rawValue != "stranger" {
            for _ in 0..<3 {
                var parts = StoryQueryParts(viewer: viewer, filter: world.randomFilter())
                (parts.filter.from, parts.filter.to) = (nil, nil)
                asked.append((parts, world.randomBox()))
            }
        }
        try await fixture.run { [asked] client async throws in
            for (parts, box) in asked {
                let check = MapChecks(client: client, oracle: oracle, parts: parts)
                try await check.nearby(box.center)
                try await check.places()
                try await check.bounds()
                try await check.histogram(in: box)
            }
        }
    }

    @Test("A place is its point: unknown, empty and closed ones give the same bytes, an invalid id is not found")
    func emptyPlaces() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let id = try await client.create(as: "ana", title: "Here", extra: ",\"privacy\":\"private\"")
                let list = try await client.get("/v1/stories", as: "ana").json
                let place = try #require(list["features"]?[0]?["properties"]?["place_id"]?.string)
                let own = try await client.get("/v1/places/\(place)/stories", as: "ana")
                #expect(own.json["features"]?[0]?["id"]?.string == id)
                let closed = try await client.get("/v1/places/\(place)/stories")
                let empty = PlaceID(Coordinate(wrappingLatitude: 1, longitude: 2)).description
                let never = try await client.get("/v1/places/\(empty)/stories")
                #expect(closed.status == 200 && closed.bytes == never.bytes)
                #expect(closed.headers[.eTag] == never.headers[.eTag])
                #expect(closed.json["numberMatched"]?.integer == 0)
                for text in ["x", "p", "pZZ", place + "0", "p0000"] {
                    #expect(try await client.get("/v1/places/\(text)/stories").status == 404, "\(text)")
                }
            }
    }

    @Test("MAP-05 The list of a place has all its stories, 20 a page, without gaps or repeats")
    func placePages() async throws {
        try await ServiceFixture()
            .run { client async throws in
                var ids: Set<String> = []
                for number in 0..<45 { ids.insert(try await client.create(as: "ana", title: "Story \(number)")) }
                _ = try await client.create(as: "ana", title: "Elsewhere", latitude: 10)
                let box = "/v1/stories?bbox=-85,33,-84,34&limit=1"
                let first = try await client.get(box).json
                let place = try #require(first["features"]?[0]?["properties"]?["place_id"]?.string)
                var next: String? = "/v1/places/\(place)/stories"
                var seen: [String] = []
                var sizes: [Int] = []
                while let address = next {
                    let page = try await client.get(address).json
                    let found = (page["features"]?.array ?? []).compactMap { $0["id"]?.string }
                    #expect(page["numberMatched"]?.integer == 45)
                    sizes.append(found.count)
                    seen += found
                    next = page["links"]?.array?.first?["href"]?.string
                }
                #expect(sizes == [20, 20, 5])
                #expect(Set(seen) == ids && seen.count == 45)
            }
    }

    @Test("MAP-10 Shared, family and own stories each have a view, 20 a page, combined with other filters")
    func views() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            for number in 0..<22 { _ = try await client.create(as: "cora", title: "Cora's \(number)") }
            for number in 0..<21 {
                _ = try await client.create(as: "ana", title: "Ours \(number)", extra: ",\"privacy\":\"family_only\"")
            }
            _ = try await client.create(as: "ben", title: "Mine", extra: ",\"privacy\":\"private\"")
            let counts: [(String?, String, Int)] = [
                ("ben", "shared", 22), ("ben", "family", 21), ("ben", "mine", 1), ("ben", "family,mine", 22),
                ("ana", "mine", 21), ("ana", "family", 21), ("cora", "mine", 22), ("cora", "family", 0),
                (nil, "shared", 22), (nil, "family", 0), (nil, "mine", 0),
            ]
            for (user, view, count) in counts {
                let list = try await client.get("/v1/stories?view=\(view)", as: user).json
                #expect(list["numberMatched"]?.integer == count, "\(view) of \(user ?? "nobody")")
                #expect(list["features"]?.array?.count == min(20, count))
                #expect(list["links"]?.array?.isEmpty == (count <= 20))
                let map = try await client.get("/v1/clusters?bbox=-180,-85,180,85&zoom=2&view=\(view)", as: user)
                #expect(map.json["numberMatched"]?.integer == count)
            }
        }
    }

    @Test("An unchanged list, nearby search or histogram is 304, a changed one is not")
    func caching() async throws {
        try await ServiceFixture()
            .run { client async throws in
                _ = try await client.create(as: "ana", title: "Here", extra: ",\"date\":\"1936\"")
                let list = try await client.get("/v1/stories").json
                let place = try #require(list["features"]?[0]?["properties"]?["place_id"]?.string)
                let paths = [
                    "/v1/nearby?lat=33&lon=-84", "/v1/histogram", "/v1/places/\(place)/stories", "/v1/collections",
                ]
                var tags: [String] = []
                for path in paths {
                    let reply = try await client.get(path)
                    #expect(reply.headers[.cacheControl] == "public, no-cache")
                    tags.append(try #require(reply.headers[.eTag]))
                    #expect(try await client.get(path, headers: [.ifNoneMatch: tags.last ?? ""]).status == 304)
                }
                _ = try await client.create(as: "ana", title: "Too", extra: ",\"date\":\"1936\"")
                let body = "{\"title\":\"Trip\",\"privacy\":\"public\"}"
                #expect(try await client.send(.post, "/v1/collections", as: "ana", body).status == 201)
                for (path, tag) in zip(paths, tags) {
                    #expect(try await client.get(path, headers: [.ifNoneMatch: tag]).status == 200, "\(path)")
                }
            }
    }

    @Test(
        "An invalid query is rejected with the reason",
        arguments: [
            "nearby?lat=91&lon=0", "nearby?lat=1", "nearby?lat=1&lon=x", "nearby?lat=1&lon=2&limit=0",
            "nearby?lat=1&lon=2&limit=101", "nearby?lat=nan&lon=2", "histogram?bins=0", "histogram?bins=1001",
            "histogram?bbox=1,2,3", "histogram?from=1950&to=1940", "histogram?favourites=yes", "bounds?favourites=1",
            "collections?cursor=x", "collections?limit=0", "places/p0/stories?cursor=x",
        ]
    )
    func refusals(path: String) async throws {
        try await ServiceFixture()
            .run { client async throws in
                let reply = try await client.get("/v1/" + path)
                #expect(reply.status == 400 || path.hasPrefix("places") && reply.status == 404, "\(reply.status)")
                #expect(reply.json["detail"]?.string?.isEmpty == false)
            }
    }
}

extension ServiceFixture {
    /// Stores a whole world, with other `stories` if they are given, shows it on the map, and returns what was stored.
    @discardableResult
    func store(_ world: StoryWorld, _ given: [Story]? = nil) async throws -> [Story] {
        let now = clock.now
        try await library.store.write { transaction in
            for user in world.users { try transaction.save(User(id: user, name: user.rawValue), at: now) }
            for (family, members) in world.families.sorted(by: { $0.key < $1.key }) {
                try transaction.saveFamily(family, name: try DisplayName(family.rawValue, in: "name"), at: now)
                for member in members.sorted() {
                    try transaction.saveMember(member, of: family, role: .owner, at: now)
                }
            }
            for story in given ?? world.stories { try transaction.insert(story) }
        }
        let stored = try await library.store.read { transaction in
            var stories: [Story] = []
            try transaction.forEachStory { stories.append($0) }
            return stories
        }
        library.map.load(stored)
        return stored
    }
}

/// Compares answers of the service with what going through all stories gives.
private struct MapChecks {
    let client: Client
    let oracle: BruteForceMap
    let parts: StoryQueryParts

    private var user: String? { parts.viewer.user?.rawValue }

    private var filters: String { parts.filter.parameters }

    private func ids(_ json: JSONValue) -> [String] { (json["features"]?.array ?? []).compactMap { $0["id"]?.string } }

    func nearby(_ point: Coordinate) async throws {
        let path = "/v1/nearby?lat=\(point.latitude)&lon=\(point.longitude)&limit=9"
        let reply = try await client.get(path + filters, as: user)
        let near = oracle.nearest(to: point, parts).prefix(9)
        #expect(ids(reply.json) == near.map(\.description), "\(path)\(filters)")
        let points = Dictionary(uniqueKeysWithValues: oracle.located(parts).map { ($0.story.id, $0.point) })
        for (id, feature) in zip(near, reply.json["features"]?.array ?? []) {
            let metres = try #require(feature["properties"]?["distance"]?.number)
            #expect(abs(metres - GreatCircle.distance(point, try #require(points[id]))) <= 0.06)
        }
    }

    func places() async throws {
        for (place, stories) in oracle.places(parts).sorted(by: { $0.key < $1.key }).prefix(5) {
            let reply = try await client.get("/v1/places/\(place)/stories?limit=1000" + filters, as: user)
            var here = parts
            here.among = Set(stories)
            #expect(ids(reply.json) == oracle.list(in: nil, here).map(\.description))
            #expect(reply.json["numberMatched"]?.integer == stories.count)
        }
    }

    func bounds() async throws {
        let found = try await client.get("/v1/bounds?" + filters.dropFirst(), as: user).json["bbox"]
        guard let box = oracle.bounds(parts) else {
            #expect(found?.isNull == true)
            return
        }
        let edges = (found?.array ?? []).compactMap(\.number)
        #expect(edges.count == 4)
        for (edge, expected) in zip(edges, [box.west, box.south, box.east, box.north]) {
            #expect(abs(edge - expected) < 1e-6)
        }
    }

    func histogram(in box: BoundingBox) async throws {
        let edges = [box.west, box.south, box.east, box.north].map { "\($0)" }.joined(separator: ",")
        let path = "/v1/histogram?bins=12&from=1920&to=1979-06&bbox=\(edges)"
        let json = try await client.get(path + filters, as: user).json
        #expect(json["from"]?.string == "1920-01-01" && json["to"]?.string == "1979-06-30")
        let bins = try #require(json["bins"]?.array)
        #expect(bins.count == 12)
        for bin in bins + [json] {
            let days = try [#require(bin["from"]?.string), #require(bin["to"]?.string)]
            var within = parts
            within.filter.from = StoryDate.days(days[0])?.lowerBound
            within.filter.to = StoryDate.days(days[1])?.upperBound
            let count = bin["count"] ?? bin["numberMatched"]
            #expect(count?.integer == oracle.count(in: box, within))
            // The promise to clients: asking for the stories of a bin finds as many as it says.
            guard bin == bins[3] else { continue }
            let list = "/v1/stories?bbox=\(edges)&from=\(days[0])&to=\(days[1])" + filters
            #expect(try await client.get(list, as: user).json["numberMatched"]?.integer == count?.integer)
        }
    }
}
