import App
import Library
import Formats
import Geometry
import HTTPTypes
import Stories
import TestSupport
import Testing

@Suite("Counts of attributes and orders of lists over HTTP")
struct FacetEndpointTests {
    @Test(
        "MAP-09 For every viewer, each count is the number of stories that the filter with this value lists",
        arguments: UInt64(0)..<2
    )
    func counts(seed: UInt64) async throws {
        var world = StoryWorld(seed: seed, count: 120)
        let fixture = try await ServiceFixture()
        try await fixture.store(world)
        var asked: [(viewer: String?, filters: String)] = []
        for viewer in world.viewers where viewer.user?.rawValue != "stranger" {
            let box = world.randomBox()
            let edges = [box.west, box.south, box.east, box.north].map { "\($0)" }.joined(separator: ",")
            asked.append((viewer.user?.rawValue, world.randomFilter().parameters))
            asked.append((viewer.user?.rawValue, "&bbox=\(edges)" + world.randomFilter().parameters))
        }
        try await fixture.run { [asked] client async throws in
            for (user, filters) in asked {
                let facets = try await client.get("/v1/facets?" + filters.dropFirst(), as: user).json
                let all = try await client.get("/v1/stories?limit=1" + filters, as: user).json
                #expect(facets["numberMatched"] == all["numberMatched"])
                let lists = [
                    ("kind", facets["kinds"]), ("view", facets["views"]), ("owner", facets["owners"]),
                    ("family", facets["families"]), ("collection", facets["collections"]),
                    ("tag", try await client.get("/v1/tags?" + filters.dropFirst(), as: user).json),
                    ("person", try await client.get("/v1/people?" + filters.dropFirst(), as: user).json),
                ]
                for (name, list) in lists {
                    let values = try #require(list?["values"]?.array)
                    #expect(list?["numberMatched"]?.integer == values.count)
                    let others = filters.split(separator: "&").filter { !$0.hasPrefix(name + "=") }
                    for entry in values {
                        let value = try #require(entry["value"]?.string)
                        let query = (others + ["\(name)=\(value)", "limit=1"]).joined(separator: "&")
                        let found = try await client.get("/v1/stories?" + query, as: user).json
                        #expect(found["numberMatched"] == entry["count"], "\(query) of \(user ?? "nobody")")
                    }
                }
            }
        }
    }

    @Test("Favourites and collections given by id are left out of their own counts and narrow all others")
    func marks() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let trip = "{\"title\":\"Trip\",\"privacy\":\"public\"}"
                let made = try await client.send(.post, "/v1/collections", as: "ana", trip).json
                let collection = try #require(made["id"]?.string)
                let first = try await client.create(as: "ana", title: "One", extra: ",\"collection\":\"Trip\"")
                _ = try await client.create(as: "ana", title: "Two", extra: ",\"collection\":\"Trip\"")
                _ = try await client.create(as: "ana", title: "Three", extra: ",\"collection\":\"Home\"")
                let hidden = try await client.create(as: "ana", title: "Four", extra: ",\"collection\":\"Home\"")
                _ = try await client.send(.put, "/v1/stories/\(first)/favourite", as: "ben")
                _ = try await client.send(.put, "/v1/stories/\(hidden)/hide", as: "ben")
                func counts(_ query: String, as user: String? = "ben") async throws -> [String: Int] {
                    let json = try await client.get("/v1/facets" + query, as: user).json
                    var counts = ["all": try #require(json["numberMatched"]?.integer)]
                    counts["favourites"] = json["favourites"]?.integer
                    for entry in json["collections"]?["values"]?.array ?? [] {
                        counts[try #require(entry["value"]?.string)] = entry["count"]?.integer
                    }
                    return counts
                }
                #expect(try await counts("") == ["all": 3, "favourites": 1, "Trip": 2, "Home": 1])
                #expect(try await counts("", as: nil) == ["all": 4, "favourites": 0, "Trip": 2, "Home": 2])
                let byID = try await counts("?collection=\(collection)")
                #expect(byID == ["all": 2, "favourites": 1, "Trip": 2, "Home": 1])
                #expect(try await counts("?collection=Home") == ["all": 1, "favourites": 0, "Trip": 2, "Home": 1])
                #expect(try await counts("?favourites=true") == ["all": 1, "favourites": 1, "Trip": 1])
                let owners = try await client.get("/v1/facets", as: "ben").json["owners"]
                #expect(owners?["values"]?[0]?["value"]?.string == "ana")
                #expect(owners?["values"]?[0]?["count"]?.integer == 3)
            }
    }

    @Test("A value that only stories hidden from a viewer have is in none of their lists")
    func hiddenValues() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let closed =
                    ",\"privacy\":\"private\",\"tags\":[\"secret\"],\"people\":[\"Nobody\"],"
                    + "\"collection\":\"Vault\""
                _ = try await client.create(as: "ana", title: "Mine", extra: closed)
                for path in ["facets", "tags", "people", "tags?prefix=sec", "people?prefix=no"] {
                    let own = try await client.get("/v1/\(path)", as: "ana")
                    let other = try await client.get("/v1/\(path)", as: "ben")
                    let cora = try await client.get("/v1/\(path)", as: "cora")
                    #expect(other.bytes == cora.bytes)
                    #expect(own.bytes != other.bytes)
                    #expect(other.json["numberMatched"]?.integer == 0)
                }
            }
    }

    @Test("Stories are listed by date, by distance and without a place, page by page")
    func orders() async throws {
        try await ServiceFixture()
            .run { client async throws in
                for (title, latitude, date) in [
                    ("c", 10.0, "1936"), ("a", 30, "1901"), ("d", 20, "1999-05"), ("b", 40, "1902/1990"),
                ] {
                    _ = try await client.create(
                        as: "ana",
                        title: title,
                        latitude: latitude,
                        extra: ",\"date\":\"\(date)\""
                    )
                }
                _ = try await client.create(as: "ana", title: "undated", latitude: 50)
                for number in 0..<3 {
                    _ = try await client.create(as: "ana", title: "nowhere \(number)", latitude: nil)
                }
                func titles(_ query: String) async throws -> [String] {
                    var next: String? = "/v1/stories?limit=2&" + query
                    var titles: [String] = []
                    while let address = next {
                        let page = try await client.get(address, as: "ben").json
                        titles += (page["features"]?.array ?? []).compactMap { $0["properties"]?["title"]?.string }
                        next = page["links"]?.array?.first?["href"]?.string
                    }
                    return titles
                }
                let dated = try await titles("sort=date")
                #expect(dated.prefix(4) == ["a", "b", "c", "d"] && dated.count == 8)
                let west = try await titles("sort=nearest&near=12,-84")
                #expect(west == ["c", "d", "a", "b", "undated"])
                let few = try await titles("sort=date&bbox=-180,15,180,45")
                #expect(few == ["a", "b", "d"])
                #expect(try await titles("placed=false").sorted() == ["nowhere 0", "nowhere 1", "nowhere 2"])
                let count = try await client.get("/v1/stories?placed=false&limit=1", as: "ben").json
                #expect(count["numberMatched"]?.integer == 3)
                let near = try await client.get("/v1/stories?sort=nearest&near=0,0&limit=1", as: "ben").json
                #expect(near["numberMatched"]?.integer == 5)
            }
    }

    @Test(
        "An invalid order or choice is rejected with the reason",
        arguments: [
            "stories?sort=oldest", "stories?sort=nearest", "stories?near=1,2", "stories?sort=nearest&near=91,0",
            "stories?sort=nearest&near=nan,0", "stories?sort=nearest&near=1", "stories?placed=no",
            "stories?placed=false&bbox=0,0,1,1", "stories?placed=false&sort=date", "facets?limit=0",
            "facets?limit=201", "facets?bbox=1,2,3", "facets?view=all", "tags?prefix=", "people?limit=x",
            "facets?prefix=a", "tags?sort=date",
        ]
    )
    func refusals(path: String) async throws {
        try await ServiceFixture()
            .run { client async throws in
                let reply = try await client.get("/v1/" + path)
                #expect(reply.status == 400, "\(reply.status)")
                #expect(reply.json["detail"]?.string?.isEmpty == false)
            }
    }

    @Test("A cursor of one order is not one of another")
    func cursors() async throws {
        try await ServiceFixture()
            .run { client async throws in
                for number in 0..<3 { _ = try await client.create(as: "ana", title: "Story \(number)") }
                let page = try await client.get("/v1/stories?limit=1&sort=date").json
                let link = try #require(page["links"]?.array?.first?["href"]?.string)
                #expect(try await client.get(link).status == 200)
                let other = link.replacing("sort=date", with: "sort=newest")
                #expect(other != link)
                #expect(try await client.get(other).status == 400)
            }
    }
}
