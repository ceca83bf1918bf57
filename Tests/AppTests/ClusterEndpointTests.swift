import App
import Library
import Formats
import Geometry
import HTTPTypes
import Stories
import StoryMap
import TestSupport
import Testing

@Suite("Contents of a cluster")
struct ClusterEndpointTests {
    @Test(
        "MAP-05 Stories, children and expansion zoom match every displayed marker, for all viewers and filters",
        arguments: UInt64(0)..<3
    )
    func agreeWithMarkers(seed: UInt64) async throws {
        var world = StoryWorld(seed: seed, count: 90)
        let fixture = try await ServiceFixture()
        try await fixture.store(world)
        var asked: [(viewer: Viewer, filter: StoryFilter)] = []
        for viewer in world.viewers where viewer.user?.rawValue != "stranger" {
            asked.append((viewer, StoryFilter()))
            asked.append((viewer, world.randomFilter()))
        }
        try await fixture.run { [asked] client async throws in
            for (index, (viewer, filter)) in asked.enumerated() {
                let check = ClusterChecks(client: client, library: fixture.library, viewer: viewer, filter: filter)
                try await check.markers(zoom: index % 5)
            }
        }
    }

    @Test("MAP-05 The list of a cluster has as many stories as its count, 20 a page, without gaps or repeats")
    func pages() async throws {
        try await ServiceFixture()
            .run { client async throws in
                var ids: Set<String> = []
                for number in 0..<45 {
                    let longitude = -84.3 + Double(number) / 1_000
                    ids.insert(try await client.create(as: "ana", title: "A \(number)", longitude: longitude))
                }
                _ = try await client.create(as: "ana", title: "Elsewhere", latitude: -40)
                let marker = try #require(try await client.clusters(zoom: 4).first)
                #expect(marker["properties"]?["point_count"]?.integer == 45)
                var next: String? = "/v1/clusters/\(try #require(marker["id"]?.integer))/stories"
                var seen: [String] = []
                var sizes: [Int] = []
                while let address = next {
                    let page = try await client.get(address).json
                    #expect(page["numberMatched"]?.integer == 45)
                    let found = (page["features"]?.array ?? []).compactMap { $0["id"]?.string }
                    sizes.append(found.count)
                    seen += found
                    next = page["links"]?.array?.first?["href"]?.string
                }
                #expect(sizes == [20, 20, 5])
                #expect(Set(seen) == ids && seen.count == 45)
                #expect(seen == (try await client.list("/v1/stories?bbox=-85,33,-84,34&limit=100")))
            }
    }

    @Test("PRV-02 An invalid id, a missing cluster and an invisible one give the same bytes")
    func absent() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let extra = ",\"privacy\":\"private\""
                for number in 0..<3 { _ = try await client.create(as: "ana", title: "Mine \(number)", extra: extra) }
                let id = try #require(try await client.clusters(zoom: 4, as: "ana").first?["id"]?.integer)
                for part in ["stories", "children", "expansion-zoom"] {
                    #expect(try await client.get("/v1/clusters/\(id)/\(part)", as: "ana").status == 200)
                    let other = try await client.get("/v1/clusters/\(id)/\(part)?tag=none", as: "ana")
                    let nobody = try await client.get("/v1/clusters/\(id)/\(part)")
                    #expect(other.status == 404 && nobody.status == 404)
                    for text in ["x", "0", "-1", "+\(id)", "0x1", "1.0", "18446744073709551616", "\(1 << 53)", "%00"] {
                        let reply = try await client.get("/v1/clusters/\(text)/\(part)")
                        #expect(reply.status == 404 && reply.bytes == nobody.bytes, "\(text)")
                    }
                    // The id has the zoom.
                    for query in ["zoom=3", "tile_size=256", "bbox=0,0,1,1", "cursor=x"] {
                        let reply = try await client.get("/v1/clusters/\(id)/\(part)?\(query)", as: "ana")
                        #expect(reply.status == 400, "\(part) \(query)")
                    }
                }
            }
    }

    @Test("MAP-05 A cell that is no longer the leader returns the marker that now contains it")
    func successor() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let first = try await client.create(as: "ana", title: "First")
                _ = try await client.create(as: "ana", title: "Second")
                let old = try #require(try await client.clusters(zoom: 4).first?["id"]?.integer)
                // Many stories a few pixels away make another cell lead.
                for _ in 0..<9 { _ = try await client.create(as: "ana", title: "Near", longitude: -84.3736 + 1.6) }
                let now = try await client.clusters(zoom: 4)
                #expect(now.count == 1 && now[0]["id"]?.integer != old)
                let inside = try await client.get("/v1/clusters/\(old)/stories?limit=100").json
                #expect(inside["numberMatched"]?.integer == 11)
                #expect(inside["features"]?.array?.contains { $0["id"]?.string == first } == true)
                let zoom = now[0]["properties"]?["expansion_zoom"]?.integer
                let reply = try await client.get("/v1/clusters/\(old)/expansion-zoom").json
                #expect(zoom != nil && reply["expansion_zoom"]?.integer == zoom)
            }
    }

    @Test("The contents of a stack never split, and are 304 until something changes")
    func stackAndCaching() async throws {
        try await ServiceFixture()
            .run { client async throws in
                for number in 0..<3 { _ = try await client.create(as: "ana", title: "Here \(number)") }
                let id = try #require(try await client.clusters(zoom: 3).first?["id"]?.integer)
                let children = try await client.get("/v1/clusters/\(id)/children").json
                #expect(children["features"]?.array?.isEmpty == true && children["numberMatched"]?.integer == 3)
                #expect(children["zoom"]?.integer == 21)
                #expect(
                    try await client.get("/v1/clusters/\(id)/expansion-zoom").bytes
                        == Array("{\"expansion_zoom\":21}".utf8)
                )
                let address = "/v1/clusters/\(id)/stories"
                let tag = try #require(try await client.get(address).headers[.eTag])
                #expect(try await client.get(address, headers: [.ifNoneMatch: tag]).status == 304)
                _ = try await client.create(as: "ana", title: "One more")
                #expect(try await client.get(address, headers: [.ifNoneMatch: tag]).status == 200)
            }
    }
}

extension Client {
    /// The features of the whole world's map.
    func clusters(zoom: Int, as user: String? = nil, filters: String = "") async throws -> [JSONValue] {
        let reply = try await get("/v1/clusters?bbox=-180,-90,180,90&zoom=\(zoom)" + filters, as: user)
        #expect(reply.status == 200)
        return reply.json["features"]?.array ?? []
    }

    /// The ids of a list.
    func list(_ path: String, as user: String? = nil) async throws -> [String] {
        try await get(path, as: user).json["features"]?.array?.compactMap { $0["id"]?.string } ?? []
    }
}

/// Compares what is inside of clusters with the clusters.
private struct ClusterChecks {
    let client: Client
    let library: StoryLibrary
    let viewer: Viewer
    let filter: StoryFilter

    private var user: String? { viewer.user?.rawValue }
    private var filters: String { filter.parameters }

    func markers(zoom: Int) async throws {
        var all: [String] = []
        for marker in try await client.clusters(zoom: zoom, as: user, filters: filters) {
            guard let id = marker["properties"]?["cluster_id"]?.integer else {
                all.append(try #require(marker["id"]?.string))
                continue
            }
            all += try await inside(id, marker["properties"] ?? .null)
        }
        // Together they are the stories with a location, each once.
        let listed = try await client.list("/v1/stories?bbox=-180,-90,180,90&limit=1000" + filters, as: user)
        #expect(all.sorted() == listed.sorted(), "zoom \(zoom)\(filters)")
    }

    /// Checks one cluster and returns its stories.
    private func inside(_ id: Int, _ properties: JSONValue) async throws -> [String] {
        let path = "/v1/clusters/\(id)/"
        let query = filters.isEmpty ? "" : "?" + filters.dropFirst()
        let count = try #require(properties["point_count"]?.integer)
        let page = try await client.get(path + "stories?limit=1000" + filters, as: user).json
        let stories = (page["features"]?.array ?? []).compactMap { $0["id"]?.string }
        #expect(page["numberMatched"]?.integer == count && Set(stories).count == count)
        let zoom = try #require(properties["expansion_zoom"]?.integer)
        let answer = try await client.get(path + "expansion-zoom" + query, as: user).json
        #expect(answer["expansion_zoom"]?.integer == zoom)
        let children = try await client.get(path + "children" + query, as: user).json
        let features = children["features"]?.array ?? []
        #expect(children["zoom"]?.integer == zoom && children["numberMatched"]?.integer == count)
        #expect(children["numberReturned"]?.integer == features.count)
        #expect(features.isEmpty == (zoom == 21))
        #expect(zoom == 21 || features.count > 1, "it splits")
        try await compare(features, zoom: zoom, stories: stories)
        return stories
    }

    /// The children are markers of the map at their zoom, and hold all the stories of the cluster.
    private func compare(_ children: [JSONValue], zoom: Int, stories: [String]) async throws {
        guard !children.isEmpty else { return }
        let query = StoryQuery(viewer: viewer, filter: filter)
        let shown = Set(
            library.map.snapshot().markers(in: .world, zoom: zoom, query)
                .map { marker in
                    marker.single.map(\.id.description) ?? "\(marker.clusterID) \(marker.count)"
                }
        )
        var held: Set<String> = []
        for child in children {
            if let id = child["id"]?.string {
                #expect(shown.contains(id))
                held.insert(id)
            } else {
                let id = try #require(child["id"]?.integer)
                let count = try #require(child["properties"]?["point_count"]?.integer)
                #expect(shown.contains("\(id) \(count)"))
                held.formUnion(try await client.list("/v1/clusters/\(id)/stories?limit=1000" + filters, as: user))
            }
        }
        #expect(held.isSuperset(of: stories))
    }
}

extension StoryFilter {
    /// The filter as parameters of an address, each after `&`.
    var parameters: String {
        let lists: [(String, [String])] = [
            ("kind", kinds.map(\.rawValue)), ("tag", Array(tags)), ("person", Array(people)),
            ("owner", owners.map(\.rawValue)), ("family", families.map(\.rawValue)),
            ("collection", Array(collections)), ("view", views.map(\.rawValue)),
            ("from", [from].compactMap { $0?.description }), ("to", [to].compactMap { $0?.description }),
        ]
        return lists.filter { !$0.1.isEmpty }
            .map { "&\($0.0)=" + $0.1.sorted().joined(separator: ",").replacing(" ", with: "%20") }.joined()
    }
}
