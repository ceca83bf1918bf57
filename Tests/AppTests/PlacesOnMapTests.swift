import App
import Formats
import Geometry
import HTTPTypes
import Library
import Stories
import StoryMap
import TestSupport
import Testing

@Suite("LOC-10 A story at several places of the map")
struct PlacesOnMapTests {
    private static let world = "bbox=-180,-90,180,90"
    /// A place of birth that everybody sees, in Memphis.
    private static let born = #""lat":35.1495,"lon":-90.049,"role":"born""#
    /// A place that only family sees, in New York.
    private static let secret = #""lat":40.7128,"lon":-74.006,"precision":"hidden","family_sees_exact":true"#
    /// A place that nobody confirmed, in Paris.
    private static let guess = #""lat":48.8566,"lon":2.3522,"source":"ai_extracted""#

    /// Everything that the map says to those who see neither the secret nor the guess.
    private static let surfaces =
        ["clusters?\(world)&zoom=0", "clusters?\(world)&zoom=4", "tiles/0/0/0.mvt", "tiles/4/4/6.mvt", "tiles.json"]
        + ["stories", "stories?bbox=-75,40,-73,41", "stories?bbox=2,48,3,49", "nearby?lat=40.7128&lon=-74.006"]
        + ["bounds", "facets", "histogram"]

    private static func add(_ fields: String, to story: String, _ client: Client) async throws -> String? {
        let reply = try await client.send(.post, "/v1/stories/\(story)/places", as: "ana", "{\(fields)}")
        #expect([201, 202].contains(reply.status), "\(String(decoding: reply.bytes, as: UTF8.self))")
        return reply.json["places"]?[0]?["id"]?.string
    }

    private static func transcript(_ client: Client) async throws -> [String: [UInt8]] {
        var transcript: [String: [UInt8]] = [:]
        for viewer in ["cora", nil] {
            for path in surfaces {
                let reply = try await client.get("/v1/" + path, as: viewer)
                #expect([200, 204].contains(reply.status), "\(path)")
                transcript["\(viewer ?? "") \(path)"] = Array((reply.headers[.eTag] ?? "").utf8) + reply.bytes
            }
        }
        return transcript
    }

    /// Checks that a viewer sees one story at a number of places, from afar and from near.
    private static func expect(_ places: Int, of story: String, _ client: Client, as viewer: String?) async throws {
        let far = try await client.get("/v1/clusters?\(world)&zoom=0", as: viewer).json
        #expect(far["numberMatched"]?.integer == 1 && far["numberReturned"]?.integer == 1)
        let cluster = far["features"]?[0]?["properties"]
        #expect(cluster?["cluster"]?.bool == true && cluster?["point_count"]?.integer == 1)
        #expect(cluster?["places"]?.integer == places && cluster?["stacked"]?.bool == false)
        let id = try #require(cluster?["cluster_id"]?.integer)
        // A click on it leads on.
        #expect((1...20).contains(try #require(cluster?["expansion_zoom"]?.integer)))
        let split = try await client.get("/v1/clusters/\(id)/children", as: viewer).json
        #expect(split["numberMatched"]?.integer == 1)
        #expect((2...places).contains(try #require(split["numberReturned"]?.integer)))
        let inside = try await client.get("/v1/clusters/\(id)/stories", as: viewer).json
        #expect(inside["numberMatched"]?.integer == 1 && inside["features"]?[0]?["id"]?.string == story)
        let near = try await client.clusters(zoom: 4, as: viewer)
        #expect(near.count == places && near.allSatisfy { $0["id"]?.string == story })
        #expect(near.allSatisfy { $0["properties"]?["places"] == nil })
        let ids = near.compactMap { $0["properties"]?["place"]?.string }
        let known = try await client.get("/v1/stories/\(story)/places", as: viewer).json["places"]?.array ?? []
        #expect(ids.count == places - 1 && Set(ids).isSubset(of: known.compactMap { $0["id"]?.string }))
        #expect(Set(ids).count == ids.count)
        let tile = try VectorTileReader(try await client.get("/v1/tiles/0/0/0.mvt", as: viewer).bytes).features
        #expect(tile.map { $0.properties["places"] } == [.integer(places)])
        #expect(tile.map { $0.properties["point_count"] } == [.integer(1)])
    }

    @Test("LOC-10 LOC-11 PRV-03 MAP-05 Each viewer has the places they see; what is hidden or waits leaves no trace")
    func viewers() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "x")
            let alone = try await client.clusters(zoom: 0).first?["properties"]
            #expect(alone?["cluster"]?.bool == false && alone?["place"] == nil)
            let birth = try #require(try await PlacesOnMapTests.add(PlacesOnMapTests.born, to: id, client))
            for viewer in ["ana", "ben", "cora", nil] {
                try await PlacesOnMapTests.expect(2, of: id, client, as: viewer)
            }
            let before = try await PlacesOnMapTests.transcript(client)
            fixture.clock.advance(seconds: 5)
            _ = try await PlacesOnMapTests.add(PlacesOnMapTests.secret, to: id, client)
            _ = try await PlacesOnMapTests.add(PlacesOnMapTests.guess, to: id, client)
            let after = try await PlacesOnMapTests.transcript(client)
            for (path, bytes) in before { #expect(after[path] == bytes, "\(path)") }
            for (viewer, places) in [("ana", 3), ("ben", 3), ("cora", 2), (nil, 2)] as [(String?, Int)] {
                try await PlacesOnMapTests.expect(places, of: id, client, as: viewer)
                let found = try await client.list("/v1/stories?bbox=-75,40,-73,41", as: viewer)
                #expect(found == (places == 3 ? [id] : []))
                #expect(try await client.list("/v1/stories?bbox=2,48,3,49", as: viewer).isEmpty)
                let near = try await client.get("/v1/nearby?lat=35.15&lon=-90.05", as: viewer).json["features"]
                #expect(near?.array?.count == 1 && near?[0]?["properties"]?["place"]?.string == birth)
                #expect((0..<200).contains(try #require(near?[0]?["properties"]?["distance"]?.number)))
                let own = try await client.get("/v1/nearby?lat=33.7&lon=-84.3", as: viewer).json["features"]
                #expect(own?.array?.count == 1 && own?[0]?["properties"]?["place"] == nil)
            }
            // The story's own location makes a fence, and the place that everybody sees exactly.
            let map = fixture.library.maps.index.snapshot()
            let query = StoryQuery(viewer: Viewer(user: try #require(UserID("cora"))))
            #expect(MapFences(snapshot: map, query: query, radius: 150).fences(in: .world).count == 2)
            try await PlacesOnMapTests.expectReload(of: fixture)
            #expect(try await client.send(.delete, "/v1/stories/\(id)", as: "ana").status == 204)
            for viewer in ["ana", "ben", "cora", nil] {
                #expect(try await client.clusters(zoom: 0, as: viewer).isEmpty)
                let near = try await client.get("/v1/nearby?lat=35.15&lon=-90.05", as: viewer).json
                #expect(near["numberReturned"]?.integer == 0)
                #expect(try await client.get("/v1/bounds", as: viewer).json["bbox"]?.isNull == true)
            }
        }
    }

    /// Checks that a start reads the same map from the database as the changes left.
    private static func expectReload(of fixture: ServiceFixture) async throws {
        let kept = fixture.library.maps.index.snapshot()
        let index = MapIndex(digestKey: DigestKey(high: 1, low: 2), further: { $0.placesOnMap })
        _ = try await MapLoader(store: fixture.library.store, index: index).readAll(progress: StartupProgress())
        for user in ["ana", "cora"] {
            let query = StoryQuery(viewer: Viewer(user: try #require(UserID(user))))
            let count = index.snapshot().placeCount(in: .world, query)
            #expect(count == kept.placeCount(in: .world, query) && count >= 2)
            #expect(index.snapshot().bounds(query) == kept.bounds(query))
        }
    }

    @Test("LOC-10 LOC-08 A place made approximate moves to its cell for others alone; a removed one is gone")
    func changes() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let id = try await client.create(as: "ana", title: "x")
                let place = try #require(try await PlacesOnMapTests.add(PlacesOnMapTests.born, to: id, client))
                let path = "/v1/stories/\(id)/places/\(place)"
                func point(_ viewer: String?) async throws -> [Double]? {
                    try await client.clusters(zoom: 4, as: viewer)
                        .first { $0["properties"]?["place"]?.string == place }?["geometry"]?["coordinates"]?
                        .array?
                        .compactMap(\.number)
                }
                #expect(try await point("cora") == [-90.049, 35.1495])
                let coarse = #"{"precision":"approximate","cell":0.1}"#
                #expect(try await client.send(.patch, path, as: "ana", coarse).status == 200)
                let shown = try await client.get("/v1/stories/\(id)/places", as: "cora").json["places"]?[0]
                let cell = [shown?["lon"]?.number, shown?["lat"]?.number].compactMap(\.self)
                #expect(try await point("cora") == cell && cell != [-90.049, 35.1495])
                #expect(try await point("ana") == [-90.049, 35.1495])
                #expect(try await client.send(.delete, path, as: "ana").status == 204)
                let left = try await client.clusters(zoom: 0)
                #expect(left.count == 1 && left[0]["properties"]?["cluster"]?.bool == false)
                #expect(try await point("ana") == nil)
            }
    }

    @Test("LOC-10 A share link shows further places no more exactly than it shows any place")
    func shared() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture
            .run { client async throws in
                let id = try await client.create(as: "ana", title: "x", extra: #","privacy":"private""#)
                for fields in [PlacesOnMapTests.born, PlacesOnMapTests.secret, PlacesOnMapTests.guess] {
                    _ = try await PlacesOnMapTests.add(fields, to: id, client)
                }
                for (precision, count) in [("exact", 2), ("approximate", 2), ("hidden", 0)] {
                    let body = "{\"story\":\"\(id)\",\"precision\":\"\(precision)\"}"
                    let link = try await client.send(.post, "/v1/me/share-links", as: "ana", body).json
                    let secret = "Bearer " + (try #require(link["secret"]?.string))
                    let address = "/v1/shared/clusters?\(PlacesOnMapTests.world)&zoom=4"
                    let map = try await client.get(address, headers: [.authorization: secret]).json
                    #expect(map["numberMatched"]?.integer == min(count, 1))
                    let features = map["features"]?.array ?? []
                    #expect(features.count == count, "\(precision)")
                    let east = features.compactMap { $0["geometry"]?["coordinates"]?[0]?.number }
                    #expect(east.contains(-90.049) == (precision == "exact"))
                }
            }
    }
}
