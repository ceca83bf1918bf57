import Library
import App
import Formats
import Geometry
import HTTPTypes
import Storage
import Stories
import StoryMap
import TestSupport
import Testing

@Suite("Vector tiles over HTTP")
struct TileEndpointTests {
    @Test(
        "MAP-08 Counts of all tiles of a zoom add up, and each marker matches the GeoJSON map",
        arguments: UInt64(0)..<3
    )
    func sums(seed: UInt64) async throws {
        var world = StoryWorld(seed: seed, count: 120)
        let fixture = try await ServiceFixture()
        try await fixture.store(world)
        var asked: [(viewer: Viewer, filter: StoryFilter)] = []
        for viewer in world.viewers.prefix(3) {
            asked.append((viewer, StoryFilter()))
            asked.append((viewer, world.randomFilter()))
        }
        // No operator keeps an area: what an area would ask for does not count.
        let stories = world.stories.map { story in
            var story = story
            story.location?.floor = .exact
            return story
        }
        try await fixture.run { [asked] client async throws in
            for (index, (viewer, filter)) in asked.enumerated() {
                let check = TileChecks(client: client, user: viewer.user?.rawValue, filters: filter.parameters)
                let points = stories.compactMap { $0.point(for: viewer) }
                for zoom in 0...(index % 3) { try await check.sum(zoom: zoom, near: nil) }
                // Where no story is for thousands of pixels no marker can stand.
                try await check.sum(zoom: 3 + index % 4, near: points)
            }
        }
    }

    @Test("MAP-08 A client that has a tile gets 304 before anything is looked up")
    func notModified() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "Here")
            let first = try await client.tile("0/0/0")
            let tag = try #require(first.headers[.eTag])
            #expect(first.status == 200 && first.headers[.cacheControl] == "public, no-cache")
            #expect(first.headers[.contentType] == "application/vnd.mapbox-vector-tile")
            #expect(try await client.tile("0/0/0", as: "ana").headers[.cacheControl] == "private, no-cache")
            #expect(try await client.tile("1/0/0").headers[.eTag] != tag)
            #expect(try await client.tile("0/0/0?kind=interview").headers[.eTag] != tag)
            #expect(try await client.tile("0/0/0", as: "ana").headers[.eTag] != tag)
            let again = try await client.tile("0/0/0", headers: [.ifNoneMatch: "\"x\", W/" + tag])
            #expect(again.status == 304 && again.bytes.isEmpty && again.headers[.eTag] == tag)
            #expect(again.headers[.cacheControl] == "public, no-cache" && again.headers[.vary] != nil)
            _ = try await client.send(.delete, "/v1/stories/\(id)", as: "ana")
            let changed = try await client.tile("0/0/0", headers: [.ifNoneMatch: tag])
            #expect(changed.status == 204 && changed.bytes.isEmpty && changed.headers[.eTag] != tag)
        }
    }

    @Test("MAP-08 PRV-03 A tile's ETag changes only with what its viewer may see")
    func tags() async throws {
        // What is deleted is forgotten at once, everybody's marks of it too.
        let fixture = try await ServiceFixture(retentionDays: 0)
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "Here")
            var tags: [String: String] = [:]
            /// Whose tags have changed since the last time.
            func changed() async throws -> [String] {
                var changed: [String] = []
                for user in ["ana", "ben", "cora", ""] {
                    for query in user.isEmpty ? [""] : ["", "?favourites=true"] {
                        let reply = try await client.tile("0/0/0" + query, as: user.isEmpty ? nil : user)
                        let tag = try #require(reply.headers[.eTag])
                        if tags.updateValue(tag, forKey: user + query) != tag { changed.append(user + query) }
                    }
                }
                return changed
            }
            #expect(try await changed().count == 7)
            #expect(try await changed() == [])
            _ = try await client.create(as: "ana", title: "Family", extra: ",\"privacy\":\"family_only\"")
            #expect(try await changed() == ["ana", "ana?favourites=true", "ben", "ben?favourites=true"])
            _ = try await client.create(as: "ben", title: "Mine", extra: ",\"privacy\":\"private\"")
            #expect(try await changed() == ["ben", "ben?favourites=true"])
            _ = try await client.send(.put, "/v1/stories/\(id)/hide", as: "cora")
            #expect(try await changed() == ["cora", "cora?favourites=true"])
            for user in ["ben", "cora"] { _ = try await client.send(.put, "/v1/stories/\(id)/favourite", as: user) }
            #expect(try await changed() == ["ben?favourites=true", "cora?favourites=true"])
            _ = try await client.send(.put, "/v1/stories/\(id)/privacy", as: "ana", #"{"privacy":"private"}"#)
            #expect(try await changed().count == 7)
            // What one once hid or marked and may not see any more is not there.
            _ = try await client.send(.delete, "/v1/stories/\(id)", as: "ana")
            #expect(try await changed() == ["ana", "ana?favourites=true"])
        }
    }

    @Test(
        "PRV-06 An owner's move within a cell changes the ETags of those who see the exact point",
        arguments: [false, true]
    )
    func exactTags(isTrusted: Bool) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            func place(_ latitude: Double, _ accuracy: Int) -> String {
                "\"location\":{\"lat\":\(latitude),\"lon\":2.001,\"accuracy\":\(accuracy),\"precision\":\"approximate\",\"family_sees_exact\":\(isTrusted)}"
            }
            let id = try await client.create(as: "ana", title: "Here", latitude: nil, extra: "," + place(33.001, 5))
            var tags: [String: String] = [:]
            func changed() async throws -> [String] {
                var changed: [String] = []
                for user in ["ana", "ben", "cora"] {
                    let reply = try await client.tile("0/0/0", as: user)
                    let tag = try #require(reply.headers[.eTag])
                    if tags.updateValue(tag, forKey: user) != tag { changed.append(user) }
                }
                return changed
            }
            #expect(try await changed() == ["ana", "ben", "cora"])
            for body in [place(33.002, 5), place(33.002, 8)] {
                let reply = try await client.send(.patch, "/v1/stories/\(id)", as: "ana", "{\(body)}")
                #expect(reply.status == 200)
                #expect(try await changed() == (isTrusted ? ["ana", "ben"] : ["ana"]))
            }
        }
    }

    @Test("MAP-08 A restarted service recognizes a client's current tile without computing it")
    func notModifiedAfterRestart() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let tag = Collected()
        try await fixture.run { client async throws in
            _ = try await client.create(as: "ana", title: "Here")
            let reply = try await client.tile("0/0/0", as: "ben")
            await tag.add(Array(try #require(reply.headers[.eTag]).utf8))
        }
        #expect(fixture.library.map.snapshot().memory.tiles > 0)
        try fixture.library.store.close()
        let restarted = try await ServiceFixture(of: fixture)
        let known = String(decoding: await tag.all.joined(), as: UTF8.self)
        try await restarted.run { client async throws in
            let again = try await client.tile("0/0/0", as: "ben", headers: [.ifNoneMatch: known])
            #expect(again.status == 304 && again.headers[.eTag] == known)
        }
        #expect(restarted.library.map.snapshot().memory.tiles == 0)
    }

    @Test("PRV-03 Tiles and their ETags have the same bytes with and without invisible stories")
    func nonInterference() async throws {
        let (full, bare) = (try await ServiceFixture(), try await ServiceFixture())
        func answers(_ fixture: ServiceFixture, withSecrets: Bool) async throws -> [[UInt8]] {
            let collected = Collected()
            try await fixture.makeFamilies()
            try await fixture.run { client async throws in
                if withSecrets {
                    for privacy in ["private", "family_only"] {
                        let extra = ",\"privacy\":\"\(privacy)\",\"text\":\"choir\""
                        _ = try await client.create(as: "ana", title: "Choir", extra: extra)
                    }
                }
                for path in ["tiles/0/0/0.mvt", "tiles/9/136/204.mvt", "tiles/0/0/0.mvt?q=choir", "tiles.json"] {
                    for user in [nil, "cora"] {
                        let reply = try await client.get("/v1/" + path, as: user)
                        // Keys differ from one database to the next: an ETag shows them, where it is not one of bytes.
                        await collected.add(Array("\(reply.status)".utf8) + reply.bytes)
                    }
                }
            }
            return await collected.all
        }
        #expect(try await answers(full, withSecrets: true) == (try await answers(bare, withSecrets: false)))
    }

    @Test("MAP-08 Tiles are compressed on request, with their own ETag, and decompress to the same bytes")
    func packed() async throws {
        try await ServiceFixture()
            .run { client async throws in
                for number in 0..<30 {
                    let (latitude, longitude) = (10 + Double(number / 6 * 15), -170 + Double(number % 6 * 30))
                    let title = "Story \(number)"
                    _ = try await client.create(as: "ana", title: title, latitude: latitude, longitude: longitude)
                }
                let plain = try await client.tile("1/0/0")
                let packed = try await client.tile("1/0/0", headers: [.acceptEncoding: "gzip"])
                #expect(plain.headers[.contentEncoding] == nil && packed.headers[.contentEncoding] == "gzip")
                #expect(try Gzip.decompress(packed.bytes, limit: 1 << 20) == plain.bytes)
                let tag = try #require(packed.headers[.eTag])
                #expect(tag != plain.headers[.eTag])
                let headers: HTTPFields = [.acceptEncoding: "gzip", .ifNoneMatch: tag]
                let again = try await client.tile("1/0/0", headers: headers)
                #expect(again.status == 304 && again.headers[.eTag] == tag)
            }
    }

    @Test("MAP-08 An empty tile is 204 with an ETag, an invalid one is not found, and only filters are parameters")
    func addresses() async throws {
        try await ServiceFixture()
            .run { client async throws in
                _ = try await client.create(as: "ana", title: "Here")
                let empty = try await client.tile("1/1/1")
                #expect(empty.status == 204 && empty.bytes.isEmpty && empty.headers[.contentType] == nil)
                let tag = try #require(empty.headers[.eTag])
                #expect(try await client.tile("1/1/1", headers: [.ifNoneMatch: tag]).status == 304)
                #expect(try await client.tile("20/1048575/1048575").status == 204)
                let nowhere = try await client.get("/v1/stories/x")
                for text in [
                    "21/0/0", "0/1/0", "0/0/1", "1/2/0", "-1/0/0", "0/-1/0", "00/0/0", "+0/0/0", "0/0/0.5", "x/0/0",
                    "0/0/", "0/0/99999999999999999999", "0/0/%00", "20/1048576/0",
                ] {
                    let reply = try await client.tile(text)
                    #expect(reply.status == 404 && reply.bytes == nowhere.bytes, "\(text)")
                }
                for text in ["0/0/0.png", "0/0/0", "0/0/0.mvt.gz", "0/0"] {
                    #expect(try await client.get("/v1/tiles/" + text).status == 404, "\(text)")
                }
                for query in ["bbox=0,0,1,1", "zoom=1", "tile_size=256", "kind=%00", "view=all", "from=soon"] {
                    #expect(try await client.tile("0/0/0?" + query).status == 400, "\(query)")
                }
                let head = try await client.send(.head, "/v1/tiles/0/0/0.mvt")
                #expect(head.status == 200 && head.headers[.eTag] != nil)
            }
    }

    @Test("MAP-08 Points on edges, on the antimeridian and beyond the last row are within one tile")
    func edges() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let points: [(Double, Double)] = [
                    (0, 0), (0, 180), (0, -180), (90, 45), (-90, -45), (85.06, 90), (0, 90),
                ]
                for (latitude, longitude) in points {
                    _ = try await client.create(as: "ana", title: "Edge", latitude: latitude, longitude: longitude)
                }
                for zoom in 0...3 { try await TileChecks(client: client).sum(zoom: zoom, near: nil) }
                // Tiles begin at their western and northern edges.
                let origin = try VectorTileReader(try await client.tile("3/4/4").bytes).features
                #expect(origin.map { [$0.x, $0.y] } == [[0, 0]])
                let top = try VectorTileReader(try await client.tile("3/5/0").bytes).features
                #expect(top.map(\.y) == [0] && top[0].properties["title"] == .text("Edge"))
            }
    }
}

extension Client {
    /// A tile by its address without the ending, and a query behind it.
    func tile(_ address: String, as user: String? = nil, headers: HTTPFields = [:]) async throws -> Reply {
        let parts = address.split(separator: "?", maxSplits: 1).map(String.init)
        let query = parts.count > 1 ? "?" + parts[1] : ""
        return try await get("/v1/tiles/\(parts[0]).mvt\(query)", as: user, headers: headers)
    }
}

/// Compares tiles with the GeoJSON map.
private struct TileChecks {
    let client: Client
    var user: String?
    var filters = ""

    /// Compares all tiles of a zoom, or those near some points, with what there is.
    func sum(zoom: Int, near points: [Coordinate]?) async throws {
        let query = filters.isEmpty ? "" : "?" + filters.dropFirst()
        var all: [(tile: MapTile, feature: VectorTileReader.Feature)] = []
        for tile in tiles(zoom: zoom, near: points) {
            let reply = try await client.tile("\(zoom)/\(tile.column)/\(tile.row)" + query, as: user)
            #expect(reply.status == (reply.bytes.isEmpty ? 204 : 200))
            guard reply.status == 200 else { continue }
            let read = try VectorTileReader(reply.bytes)
            #expect(read.name == "stories" && read.version == 2 && read.extent == 4_096)
            for feature in read.features {
                #expect((0..<4_096).contains(feature.x) && (0..<4_096).contains(feature.y))
                all.append((tile, feature))
            }
        }
        let box = "/v1/clusters?bbox=-180,-90,180,90&zoom=\(min(4, zoom))" + filters
        let map = try await client.get(box, as: user).json
        let count = all.reduce(0) { sum, found in
            guard case .integer(let count)? = found.feature.properties["point_count"] else { return sum + 1 }
            return sum + count
        }
        #expect(count == map["numberMatched"]?.integer, "zoom \(zoom)\(filters)")
        guard zoom <= 4 else { return }
        let features = map["features"]?.array ?? []
        #expect(all.count == features.count)
        var byName: [String: (tile: MapTile, feature: VectorTileReader.Feature)] = [:]
        for found in all { byName[name(of: found.feature)] = found }
        for feature in features {
            let name = feature["id"]?.string ?? "\(feature["id"]?.integer ?? 0)"
            let found = try #require(byName[name])
            try compare(found.feature, in: found.tile, with: feature)
        }
    }

    private func tiles(zoom: Int, near points: [Coordinate]?) -> [MapTile] {
        let count = 1 << zoom
        guard let points else {
            return (0..<count * count).compactMap { MapTile(zoom: zoom, column: $0 % count, row: $0 / count) }
        }
        var found: Set<MapTile> = []
        for point in points.map({ MercatorPoint($0) }) {
            let (column, row) = (Int(point.x >> UInt32(32 - zoom)), Int(point.y >> UInt32(32 - zoom)))
            for step in 0..<9 {
                let tile = MapTile(zoom: zoom, column: (column + step % 3 - 1 + count) % count, row: row + step / 3 - 1)
                if let tile { found.insert(tile) }
            }
        }
        return found.sorted { ($0.row, $0.column) < ($1.row, $1.column) }
    }

    /// The id of the GeoJSON feature.
    private func name(of feature: VectorTileReader.Feature) -> String {
        if case .text(let id)? = feature.properties["id"] { return id }
        return "\(feature.id ?? 0)"
    }

    private func compare(_ feature: VectorTileReader.Feature, in tile: MapTile, with geoJSON: JSONValue) throws {
        var expected: [String: VectorTileReader.Value] = [:]
        for (name, value) in geoJSON["properties"]?.object ?? [:] {
            if let text = value.string { expected[name] = .text(text) }
            if let number = value.integer { expected[name] = .integer(number) }
            if let flag = value.bool { expected[name] = .flag(flag) }
        }
        if case .integer(let count)? = expected["point_count"] {
            expected["sqrt_point_count"] = .number((Double(count).squareRoot() * 100).rounded() / 100)
        } else {
            expected["id"] = geoJSON["id"]?.string.map { .text($0) }
        }
        #expect(feature.properties == expected)
        let place = geoJSON["geometry"]?["coordinates"]
        let longitude = try #require(place?[0]?.number)
        let latitude = try #require(place?[1]?.number)
        // The unit of the tile that holds the place, which GeoJSON gives with seven decimals; the antimeridian is both
        // edges, and rows end at 85 degrees.
        let point = MercatorPoint(Coordinate(wrappingLatitude: latitude, longitude: longitude))
        let unit = Int64(1) << Int64(20 - tile.zoom)
        let x = (Int64(tile.column) * 4_096 + Int64(feature.x)) * unit
        let y = (Int64(tile.row) * 4_096 + Int64(feature.y)) * unit
        let offsets = [Int64(point.x) - x, Int64(point.y) - y].map { ($0 + 64) & 0xFFFF_FFFF }
        #expect(offsets.allSatisfy { $0 < unit + 128 }, "\(offsets) of \(unit)")
    }
}
