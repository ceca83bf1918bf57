import App
import Formats
import Geometry
import HTTPTypes
import Library
import Storage
import Stories
import StoryMap
import TestSupport
import Testing

@Suite("OGC API – Features: the further places of stories")
struct PlaceFeatureTests {
    private static let collection = "/collections/story_places"
    private static let items = collection + "/items"

    private static func escaped(_ text: String) -> String {
        text.utf8.map { "%" + String(Int($0) + 256, radix: 16).dropFirst() }.joined()
    }

    private static func roles(_ client: Client, _ query: String, as user: String?) async throws -> [String] {
        try await client.features(Self.items, query, as: user).features
            .compactMap { $0["properties"]?["role"]?.string }.sorted()
    }

    // MARK: - Brute force

    /// Returns some random places: hidden ones, cells, ones that wait, and lines and areas along the axes.
    private static func places(using generator: inout SplitMix64) -> [StoryPlace] {
        (0..<Int.random(in: 0...4, using: &generator))
            .map { _ in
                var point = Coordinate(
                    wrappingLatitude: 160 * generator.unit() - 80,
                    longitude: 360 * generator.unit() - 180
                )
                // Some are near the antimeridian.
                if Int.random(in: 0..<3, using: &generator) == 0 {
                    point = Coordinate(wrappingLatitude: point.latitude, longitude: 178 + 2 * generator.unit())
                }
                let (x, y, size) = (point.longitude, point.latitude, 4 * generator.unit())
                func corner(_ east: Double, _ north: Double) -> PlaceShape.Corner {
                    PlaceShape.Corner(longitude: x + east, latitude: y + north)
                }
                var shape: PlaceShape?
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: shape = .line([corner(0, 0), corner(size, 0)])
                case 1:
                    shape = .polygon([
                        [corner(0, 0), corner(size, 0), corner(size, size), corner(0, size), corner(0, 0)]
                    ])
                default: break
                }
                var location = StoryLocation(coordinate: shape?.anchor ?? point)
                location.familySeesExact = Bool.random(using: &generator)
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: location.precision = .hidden
                case 1: location.precision = .approximate(.tenth)
                default: break
                }
                let seconds = Bool.random(using: &generator) ? generator.unit() * 900 : nil
                return StoryPlace(
                    id: StoryID(using: &generator),
                    role: Bool.random(using: &generator) ? .born : .spokenOf,
                    seconds: seconds,
                    location: location,
                    shape: shape,
                    isConfirmed: Int.random(in: 0..<6, using: &generator) > 0
                )
            }
    }

    /// Stores the stories of a world with random places, and returns them as they are stored.
    private static func store(_ world: StoryWorld, seed: UInt64, in fixture: ServiceFixture) async throws -> [Story] {
        var generator = SplitMix64(seed: seed + 77)
        let given = world.stories.map { story in
            var story = story
            story.places = places(using: &generator)
            return story
        }
        let now = fixture.clock.now
        try await fixture.library.store.write { transaction in
            for user in world.users { try transaction.save(User(id: user, name: user.rawValue), at: now) }
            for (family, members) in world.families.sorted(by: { $0.key < $1.key }) {
                try transaction.saveFamily(family, name: try DisplayName(family.rawValue, in: "name"), at: now)
                for member in members.sorted() {
                    try transaction.saveMember(member, of: family, role: .owner, at: now)
                }
            }
            for story in given { try transaction.insert(story) }
        }
        let stored = try await fixture.library.store.read { transaction in
            var stories: [Story] = []
            try transaction.forEachStory { stories.append($0) }
            return stories
        }
        fixture.library.map.load(stored)
        return stored
    }

    /// The places that a viewer may see, in the order of the list, by looking at every story.
    private static func expected(_ stories: [Story], for viewer: Viewer) -> [StoryPlace] {
        stories.filter { $0.isVisible(to: viewer) }
            .sorted {
                let (a, b) = ($0.times(for: viewer).createdAt, $1.times(for: viewer).createdAt)
                return a != b ? a > b : $0.id < $1.id
            }
            .flatMap { story in story.places(for: viewer).sorted { $0.id < $1.id } }
    }

    private static func lies(_ place: StoryPlace, in box: BoundingBox) -> Bool {
        // The lines and the areas here fill their boxes.
        place.shape.map { $0.box.touches(box) } ?? box.contains(place.location.coordinate)
    }

    /// Expects the box of the collection to hold every place, and to be no larger in height than they need.
    private static func checkExtent(of places: [StoryPlace], _ client: Client, as user: String?) async throws {
        let extent = try await client.get(collection, as: user).json["extent"]?["spatial"]?["bbox"]?[0]
        let edges = extent?.array?.compactMap(\.number) ?? []
        try #require(edges.count == 4)
        let box = try #require(BoundingBox(west: edges[0], south: edges[1], east: edges[2], north: edges[3]))
        let boxes = places.map { $0.shape?.box ?? BoundingBox($0.location.coordinate) }
        // Answers have seven decimals.
        let wide = box.expanded(byMetres: 1)
        for own in boxes {
            #expect(wide.contains(Coordinate(wrappingLatitude: own.south, longitude: own.west)))
            #expect(wide.contains(Coordinate(wrappingLatitude: own.north, longitude: own.east)))
        }
        #expect(abs(box.south - (boxes.map(\.south).min() ?? 0)) < 1e-6)
        #expect(abs(box.north - (boxes.map(\.north).max() ?? 0)) < 1e-6)
    }

    @Test(
        "LOC-10 Each viewer gets exactly the places that they see, by pages, in boxes and by conditions",
        arguments: UInt64(0)..<3
    )
    func bruteForce(seed: UInt64) async throws {
        let world = StoryWorld(seed: seed, count: 70)
        let fixture = try await ServiceFixture()
        let stories = try await Self.store(world, seed: seed, in: fixture)
        try await fixture.run { client async throws in
            var boxes = world
            for viewer in world.viewers where viewer.user?.rawValue != "stranger" {
                let user = viewer.user?.rawValue
                let wanted = Self.expected(stories, for: viewer)
                #expect(wanted.count > 5 && wanted.contains { $0.shape != nil })
                let found = try await client.features(Self.items, "limit=7", as: user)
                #expect(found.features.compactMap { $0["id"]?.string } == wanted.map(\.id.description))
                #expect(found.matched == wanted.count)
                let types = found.features.compactMap { $0["geometry"]?["type"]?.string }
                #expect(types == wanted.map { $0.shape?.type ?? "Point" })
                for (feature, place) in zip(found.features, wanted) where place.shape == nil {
                    let point = feature["geometry"]?["coordinates"]?.array?.compactMap(\.number) ?? []
                    try #require(point.count == 2)
                    #expect(abs(point[0] - place.location.coordinate.longitude) < 1e-6)
                    #expect(abs(point[1] - place.location.coordinate.latitude) < 1e-6)
                }
                try await Self.checkExtent(of: wanted, client, as: user)
                for _ in 0..<12 {
                    let drawn = boxes.randomBox()
                    func rounded(_ edge: Double) -> Double { (edge * 100).rounded() / 100 }
                    let box = try #require(
                        BoundingBox(
                            west: rounded(drawn.west),
                            south: rounded(drawn.south),
                            east: rounded(drawn.east),
                            north: rounded(drawn.north)
                        )
                    )
                    let text = "\(box.west),\(box.south),\(box.east),\(box.north)"
                    let inside = try await client.features(Self.items, "limit=5&bbox=\(text)", as: user)
                    let ids = wanted.filter { Self.lies($0, in: box) }.map(\.id.description)
                    #expect(inside.features.compactMap { $0["id"]?.string } == ids, "\(text)")
                }
                let hidden = wanted.filter { $0.location.precision == .hidden }.count
                let asked = try await client.features(Self.items, "limit=100&filter=precision%3D'hidden'", as: user)
                #expect(asked.features.count == hidden && asked.matched == hidden)
            }
        }
    }

    // MARK: - What is hidden

    private static let given = [
        #""role":"born","lat":10,"lon":20,"name":"Openfield","seconds":12.5"#,
        #""role":"lived","lat":51.512,"lon":-0.123,"precision":"approximate","cell":0.1,"name":"Nearby""#,
        #""role":"arrived","geometry":{"type":"LineString","coordinates":[[179.5,50],[180.5,51]]}"#,
        #""role":"worked","geometry":{"type":"Polygon","coordinates":[[[10,40],[12,40],[12,42],[10,42],[10,40]],"#
            + #"[[10.5,40.5],[11.5,40.5],[11.5,41.5],[10.5,40.5]]]}"#,
    ]
    private static let hidden =
        #""role":"married","lat":41.123457,"lon":-74.765433,"precision":"hidden","name":"Secretville""#
    private static let waiting =
        #""role":"died","lat":12.345678,"lon":-23.456789,"source":"ai_extracted","name":"Guessville""#

    private static func add(_ places: [String], to story: String, _ client: Client) async throws -> [String] {
        var ids: [String] = []
        for place in places {
            let reply = try await client.send(.post, "/v1/stories/\(story)/places", as: "ana", "{\(place)}")
            // What waits for its owner is accepted, and not yet created.
            let wanted = place == waiting ? 202 : 201
            #expect(reply.status == wanted, "\(String(decoding: reply.bytes, as: UTF8.self))")
            ids.append(try #require(reply.json["story_place"]?.string))
        }
        return ids
    }

    /// Returns everything about the collection that a viewer gets, with the tags of versions.
    private static func answers(_ client: Client, as user: String?) async throws -> [String] {
        var answers: [String] = []
        for path in [
            "/collections", collection, items, items + "?limit=1", items + "?limit=2&filter=TRUE",
            items + "?bbox=-180,-90,180,90", items + "?bbox=-75,41,-74,42", items + "?place_name=Secretville",
            items + "?filter=location_confirmed%3DFALSE", items + "?f=html",
        ] {
            let reply = try await client.get(path, as: user)
            answers.append("\(path) \(reply.headers[.eTag] ?? "") \(String(decoding: reply.bytes, as: UTF8.self))")
        }
        return answers
    }

    @Test("PRV-03 LOC-10 LOC-11 A place that is hidden or waits changes no byte of what others get; the owner has it")
    func nonInterference() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "Ida", extra: #","privacy":"public""#)
            _ = try await client.create(as: "ana", title: "Other", extra: #","privacy":"public""#)
            _ = try await Self.add(Self.given, to: id, client)
            var before: [String?: [String]] = [:]
            for user in ["cora", "ben", nil] { before[user] = try await Self.answers(client, as: user) }
            let secret = try await Self.add([Self.hidden, Self.waiting], to: id, client)
            for user in ["cora", "ben", nil] {
                #expect(try await Self.answers(client, as: user) == before[user])
                for place in secret {
                    #expect(try await client.get("\(Self.items)/\(place)", as: user).status == 404)
                }
            }
            let own = try await client.features(Self.items, "limit=2", as: "ana")
            #expect(own.features.count == 6 && own.matched == 6)
            for place in secret {
                #expect(try await client.get("\(Self.items)/\(place)", as: "ana").status == 200)
            }
            #expect(try await Self.roles(client, "place_name=Secretville", as: "ana") == ["married"])
            #expect(try await Self.roles(client, "filter=location_confirmed%3DFALSE", as: "ana") == ["died"])
        }
    }

    @Test("PRV-03 LOC-10 A story that is made private takes its places out of everything")
    func madePrivate() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let empty = try await Self.answers(client, as: "cora")
            let id = try await client.create(as: "ana", title: "Ida", extra: #","privacy":"public""#)
            let places = try await Self.add(Self.given, to: id, client)
            #expect(try await Self.roles(client, "limit=3", as: "cora") == ["arrived", "born", "lived", "worked"])
            let box = try await client.get(Self.collection, as: "cora").json["extent"]?["spatial"]?["bbox"]?[0]
            #expect(box?.array?.compactMap(\.number) == [-0.15, 10, -179.5, 51.55])
            let closed = try await client.send(.patch, "/v1/stories/\(id)", as: "ana", #"{"privacy":"private"}"#)
            #expect(closed.status == 200)
            #expect(try await Self.answers(client, as: "cora") == empty)
            for place in places {
                #expect(try await client.get("\(Self.items)/\(place)", as: "cora").status == 404)
                #expect(try await client.get("\(Self.items)/\(place)", as: "ana").status == 200)
            }
        }
    }

    // MARK: - Questions

    @Test("Boxes, conditions, times and filters of stories")
    func questions() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let extra = #","privacy":"public","date":"1961-05-02""#
                let id = try await client.create(as: "ana", title: "Ida", extra: extra)
                _ = try await Self.add(Self.given, to: id, client)
                let mercator = Self.escaped("http://www.opengis.net/def/crs/EPSG/0/3857")
                let north = Self.escaped("http://www.opengis.net/def/crs/EPSG/0/4326")
                let area = "S_INTERSECTS(geometry,POLYGON((9 39,13 39,13 43,9 43,9 39)))"
                let questions: [(query: String, wanted: [String])] = [
                    ("bbox=179,49,-179,52", ["arrived"]), ("bbox=-179.9,50,-179,52", ["arrived"]),
                    // In the area, in its hole, and the cell in place of the point.
                    ("bbox=10.1,41.6,10.2,41.7", ["worked"]), ("bbox=11,40.6,11.1,40.7", []),
                    ("bbox=-0.124,51.511,-0.122,51.513", []), ("bbox=-0.2,51.5,-0.1,51.6", ["lived"]),
                    ("bbox=9,19,11,21&bbox-crs=\(north)", ["born"]),
                    ("bbox=2200000,1100000,2250000,1130000&bbox-crs=\(mercator)", ["born"]),
                    ("bbox=1120000,5000000,1130000,5010000&bbox-crs=\(mercator)", ["worked"]),
                    ("role=born", ["born"]), ("filter=" + Self.escaped("seconds > 12"), ["born"]),
                    ("filter=" + Self.escaped("place_name IS NULL AND precision = 'approximate'"), ["lived"]),
                    ("filter=" + Self.escaped("S_INTERSECTS(geometry,POINT(10 41))"), ["worked"]),
                    ("filter=" + Self.escaped(area), ["worked"]),
                    ("datetime=1961-05-02", ["arrived", "born", "lived", "worked"]), ("datetime=1962-01-01/..", []),
                    ("kind=photo", []), ("kind=interview&role=lived", ["lived"]), ("title=Ida&role=worked", ["worked"]),
                ]
                for (query, wanted) in questions {
                    #expect(try await Self.roles(client, query, as: "cora") == wanted, "\(query)")
                }
                let born = try await client.features(Self.items, "role=born&crs=\(mercator)", as: nil).features
                let point = born.first?["geometry"]?["coordinates"]?.array?.compactMap(\.number) ?? []
                try #require(point.count == 2)
                // Spherical Mercator with the radius 6,378,137 m: x = R·λ, y = R·ln tan(π/4 + φ/2).
                #expect(abs(point[0] - 2_226_389.82) < 0.01 && abs(point[1] - 1_118_889.97) < 0.01)
                let line = try await client.features(Self.items, "role=arrived&crs=\(north)", as: nil).features
                let corners = line.first?["geometry"]?["coordinates"]?.array ?? []
                #expect(corners.map { $0.array?.compactMap(\.number) } == [[50, 179.5], [51, 180.5]])
                for wrong in ["kind=1&filter=kind%3D'photo'", "unknown=1", "bbox=1,2,3", "cursor=AAAA"] {
                    #expect(try await client.get("\(Self.items)?\(wrong)").status == 400, "\(wrong)")
                }
            }
    }

    @Test("A cursor belongs to its viewer and to its list")
    func cursors() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let id = try await client.create(as: "ana", title: "Ida", extra: #","privacy":"public""#)
                _ = try await Self.add(Self.given, to: id, client)
                let page = try await client.get("\(Self.items)?limit=2", as: "ana")
                let link = page.json["links"]?.array?.first { $0["rel"]?.string == "next" }?["href"]?.string ?? ""
                let cursor = try #require(link.split(separator: "cursor=").last?.prefix { $0 != "&" })
                let path = "\(Self.items)?cursor=\(cursor)"
                #expect(try await client.get(path, as: "ana").json["numberReturned"]?.integer == 2)
                #expect(try await client.get(path + "&f=html", as: "ana").status == 200)
                #expect(try await client.get(path, as: "cora").status == 400)
                #expect(try await client.get(path + "&role=born", as: "ana").status == 400)
                #expect(try await client.get("/collections/stories/items?cursor=\(cursor)", as: "ana").status == 400)
            }
    }

    @Test("Both collections are listed, and every property of an answer is a queryable with a description")
    func documents() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let id = try await client.create(as: "ana", title: "Ida", extra: #","privacy":"public""#)
                let place = try #require(try await Self.add([Self.given[0]], to: id, client).first)
                let listed = try await client.get("/collections").json["collections"]?.array ?? []
                #expect(listed.compactMap { $0["id"]?.string } == ["stories", "story_places"])
                let feature = try await client.get("\(Self.items)/\(place)").json
                let names = Set(feature["properties"]?.object?.keys.map { $0 } ?? [])
                let queryables = try await client.get(Self.collection + "/queryables").json["properties"]?.object ?? [:]
                #expect(names.count == 16 && Set(queryables.keys) == names.union(["geometry"]))
                for (name, schema) in queryables {
                    #expect(schema["description"]?.string.map { $0 != name && $0.hasSuffix(".") } == true, "\(name)")
                }
                #expect(feature["properties"]?["story_id"]?.string == id)
                let page = try await client.get("\(Self.items)/\(place)?f=html")
                #expect(String(decoding: page.bytes, as: UTF8.self).contains("Openfield"))
            }
    }
}
