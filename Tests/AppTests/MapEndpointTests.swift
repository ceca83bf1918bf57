import App
import Library
import Formats
import HTTPTypes
import Storage
import Testing

@Suite("The map over HTTP")
struct MapEndpointTests {
    @Test("PRV-02 Counts, lists and bounds contain exactly the stories each viewer may see")
    func levels() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            _ = try await client.create(as: "ana", title: "For all", latitude: 10)
            _ = try await client.create(
                as: "ana",
                title: "For the family",
                latitude: 20,
                extra: ",\"privacy\":\"family_only\""
            )
            _ = try await client.create(as: "ana", title: "For me", latitude: 30, extra: ",\"privacy\":\"private\"")
            let expected: [(String?, [String], Double)] = [
                (nil, ["For all"], 10), ("cora", ["For all"], 10), ("ben", ["For the family", "For all"], 20),
                ("ana", ["For me", "For the family", "For all"], 30),
            ]
            for (user, titles, north) in expected {
                let world = try await client.get("/v1/clusters?bbox=-180,-90,180,90&zoom=3", as: user)
                #expect(world.json["numberMatched"]?.integer == titles.count)
                let list = try await client.get("/v1/stories?bbox=-180,-90,180,90", as: user)
                let found = list.json["features"]?.array?.compactMap { $0["properties"]?["title"]?.string } ?? []
                #expect(Set(found) == Set(titles))
                #expect(try await client.get("/v1/bounds", as: user).json["bbox"]?[3]?.number == north)
            }
        }
    }

    @Test("PRV-02 Bounds of another user's hidden stories query the database like those of an unknown user")
    func boundsOfNobody() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            for number in 0..<40 {
                let privacy = number.isMultiple(of: 2) ? "private" : "family_only"
                _ = try await client.create(as: "ana", title: "Secret", extra: ",\"privacy\":\"\(privacy)\"")
            }
            for viewer in [nil, "cora"] {
                func work(_ query: String) async throws -> ReadEffort {
                    try await fixture.library.store.effort {
                        let reply = try await client.get("/v1/bounds?" + query, as: viewer)
                        #expect(reply.status == 200 && reply.json["bbox"]?.isNull == true)
                    }
                }
                // Whose credentials are seen for the first time is looked up.
                _ = try await work("owner=ana")
                #expect(try await work("owner=ana") == work("owner=nobody-here"))
                #expect(try await work("owner=ana&owner=ben") == work("owner=nobody&owner=no-one"))
            }
        }
    }

    @Test("PRV-03 A stranger gets the same bytes with and without invisible stories")
    func nonInterference() async throws {
        let (full, bare) = (try await ServiceFixture(), try await ServiceFixture())
        try await full.makeFamilies()
        try await bare.makeFamilies()
        let paths = [
            "/v1/clusters?bbox=-180,-85,180,85&zoom=2", "/v1/clusters?bbox=-85,33,-84,34&zoom=12", "/v1/stories",
            "/v1/stories?q=choir", "/v1/stories?owner=ana", "/v1/bounds", "/v1/stories?bbox=-85,33,-84,34",
        ]
        func answers(_ fixture: ServiceFixture, withSecrets: Bool) async throws -> [[UInt8]] {
            let collected = Collected()
            try await fixture.run { client async throws in
                if withSecrets {
                    _ = try await client.create(as: "ana", title: "Choir", extra: ",\"privacy\":\"private\"")
                    _ = try await client.create(
                        as: "ana",
                        title: "Choir",
                        latitude: 33.9,
                        extra: ",\"privacy\":\"family_only\""
                    )
                }
                for path in paths {
                    let reply = try await client.get(path, as: "cora")
                    await collected.add(reply.bytes + Array((reply.headers[.eTag] ?? "none").utf8))
                }
            }
            return await collected.all
        }
        #expect(try await answers(full, withSecrets: true) == (try await answers(bare, withSecrets: false)))
    }

    @Test("LOC-08 An approximate story is at its cell's centre for others, a hidden one is nowhere")
    func sensitivePlaces() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let near =
                    ",\"location\":{\"lat\":33.7554,\"lon\":-84.3736,\"name\":\"My house\",\"precision\":\"approximate\",\"cell\":0.1}"
                let hidden = ",\"location\":{\"lat\":33.7554,\"lon\":-84.3736,\"precision\":\"hidden\"}"
                let first = try await client.create(as: "ana", title: "Near", latitude: nil, extra: near)
                let second = try await client.create(as: "ana", title: "Hidden", latitude: nil, extra: hidden)
                let seen = try await client.get("/v1/stories/\(first)").json["location"]
                #expect(seen?["lat"]?.number == 33.75 && seen?["lon"]?.number == -84.35)
                #expect(seen?["name"]?.isNull == true)
                #expect(try await client.get("/v1/stories/\(second)").json["location"]?.isNull == true)
                #expect(
                    try await client.get("/v1/stories/\(second)", as: "ana").json["location"]?["lat"]?.number == 33.7554
                )
                let box = "/v1/clusters?bbox=-84.38,33.755,-84.37,33.756&zoom=14"
                #expect(try await client.get(box).json["numberMatched"]?.integer == 0)
                #expect(try await client.get(box, as: "ana").json["numberMatched"]?.integer == 2)
            }
    }

    @Test(
        "MAP-02 An invalid viewport is rejected with the reason",
        arguments: [
            "bbox=1,2,3&zoom=1", "bbox=a,2,3,4&zoom=1", "bbox=0,10,1,5&zoom=1", "bbox=0,-91,1,5&zoom=1",
            "bbox=-180,-85,180,85&zoom=18", "bbox=0,0,1,1", "zoom=3", "bbox=0,0,1,1&zoom=x", "bbox=0,0,1,1&zoom=25",
            "bbox=0,0,1,1&zoom=1&zoom=2", "bbox=0,0,1,1&zoom=1&tile_size=100", "bbox=0,0,1,1&zoom=1&colour=red",
            "bbox=0,0,1,1&zoom=1&kind=%00", "bbox=0,0,1,1&zoom=1&from=soon", "bbox=0,0,1,1&zoom=1&from=1950&to=1940",
            "bbox=nan,0,1,1&zoom=1", "bbox=0,0,1,1&zoom=nan", "bbox=0,0,1,1&zoom=1&view=all",
            "bbox=0,0,1,1&zoom=1&q=%ff",
        ]
    )
    func badViewports(query: String) async throws {
        try await ServiceFixture()
            .run { client async throws in
                let reply = try await client.get("/v1/clusters?" + query)
                #expect(reply.status == 400)
                #expect(reply.headers[.contentType] == "application/problem+json")
                #expect(reply.json["detail"]?.string?.isEmpty == false)
            }
    }

    @Test("MAP-02 The box from 180 to -180 is that meridian, not the world")
    func meridianBox() async throws {
        try await ServiceFixture()
            .run { client async throws in
                _ = try await client.create(as: "ana", title: "Elsewhere")
                _ = try await client.create(as: "ana", title: "There", latitude: -17, longitude: 180)
                let reply = try await client.get("/v1/clusters?bbox=180,-85,-180,85&zoom=3")
                #expect(reply.json["numberMatched"]?.integer == 1)
                #expect(reply.json["features"]?.array?.count == 1)
            }
    }

    @Test("MAP-03 A cluster uses supercluster's names, a single story has none of its counts")
    func shapes() async throws {
        try await ServiceFixture()
            .run { client async throws in
                for number in 0..<3 { _ = try await client.create(as: "ana", title: "Here \(number)") }
                _ = try await client.create(as: "ana", title: "Alone", latitude: -33.9, longitude: 18.4)
                let features =
                    try await client.get("/v1/clusters?bbox=-180,-85,180,85&zoom=3").json["features"]?.array ?? []
                #expect(features.count == 2)
                let cluster = try #require(features.first { $0["properties"]?["cluster"]?.bool == true })
                #expect(cluster["properties"]?["point_count"]?.integer == 3)
                #expect(cluster["properties"]?["point_count_abbreviated"]?.integer == 3)
                #expect(cluster["properties"]?["stacked"]?.bool == true)
                #expect(cluster["id"]?.integer == cluster["properties"]?["cluster_id"]?.integer)
                #expect(cluster["bbox"]?.array?.count == 4)
                let single = try #require(features.first { $0["properties"]?["cluster"]?.bool == false })
                #expect(single["properties"]?["point_count"] == nil)
                #expect(single["properties"]?["title"]?.string == "Alone")
                #expect(single["properties"]?["stories_here"]?.integer == 1)
            }
    }

    @Test("An unchanged answer is 304, compressed answers have their own ETag, and both decompress to the same")
    func caching() async throws {
        try await ServiceFixture()
            .run { client async throws in
                for number in 0..<20 { _ = try await client.create(as: "ana", title: "Story number \(number)") }
                let plain = try await client.get("/v1/stories")
                let tag = try #require(plain.headers[.eTag])
                #expect(plain.headers[.cacheControl] == "public, no-cache")
                #expect(try await client.get("/v1/stories", as: "ana").headers[.cacheControl] == "private, no-cache")
                let again = try await client.get("/v1/stories", headers: [.ifNoneMatch: tag])
                #expect(again.status == 304 && again.bytes.isEmpty)
                let packed = try await client.get("/v1/stories", headers: [.acceptEncoding: "br, gzip"])
                #expect(packed.headers[.contentEncoding] == "gzip")
                #expect(packed.headers[.eTag] != tag)
                #expect(try Gzip.decompress(packed.bytes, limit: 1 << 20) == plain.bytes)
                _ = try await client.create(as: "ana", title: "One more")
                #expect(try await client.get("/v1/stories", headers: [.ifNoneMatch: tag]).status == 200)
            }
    }
}

/// Gathers values from several places.
actor Collected {
    private(set) var all: [[UInt8]] = []

    func add(_ bytes: [UInt8]) { all.append(bytes) }
}
