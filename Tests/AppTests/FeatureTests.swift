import App
import Formats
import Geometry
import HTTPTypes
import Library
import Stories
import Testing
import TestSupport

@Suite("OGC API – Features")
struct FeatureTests {
    private static let items = "/collections/stories/items"

    private static func titles(_ reply: Client.Reply) -> [String] {
        (reply.json["features"]?.array ?? []).compactMap { $0["properties"]?["title"]?.string }
    }

    /// Percent-encodes every byte.
    private static func escaped(_ text: String) -> String {
        text.utf8.map { "%" + String(Int($0) + 256, radix: 16).dropFirst() }.joined()
    }

    /// Returns the path and query of an absolute URL.
    private static func path(of address: String) -> String? {
        let rest = address.dropFirst("https://".count)
        return rest.firstIndex(of: "/").map { String(rest[$0...]) }
    }

    @Test(
        "A condition finds exactly those of the stories in the viewer's own list that fit it",
        arguments: UInt64(0)..<3
    )
    func conditions(seed: UInt64) async throws {
        let world = StoryWorld(seed: seed, count: 120)
        let fixture = try await ServiceFixture()
        try await fixture.store(world)
        try await fixture.run { client async throws in
            for user in world.viewers.map(\.user?.rawValue) where user != "stranger" {
                let list = try await client.get("/v1/stories?limit=1000", as: user).json["features"]?.array ?? []
                let owner = world.users.first?.rawValue ?? ""
                let conditions: [(String, (JSONValue) -> Bool)] = [
                    ("kind = 'photo'", { $0["kind"]?.string == "photo" }),
                    (
                        "kind <> 'photo' AND privacy = 'public'",
                        { $0["kind"]?.string != "photo" && $0["privacy"]?.string == "public" }
                    ),
                    ("NOT title LIKE '%a%'", { !($0["title"]?.string ?? "").contains("a") }),
                    ("owner IN ('\(owner)','x')", { $0["owner"]?.string == owner }),
                    ("city IS NOT NULL", { $0["location"]?["city"]?.string != nil }),
                    ("favourite = TRUE", { $0["favourite"]?.bool == true }),
                    ("TRUE", { _ in true }),
                ]
                for (text, fits) in conditions {
                    let wanted = list.filter { fits($0["properties"] ?? .null) }.compactMap { $0["id"]?.string }
                    var (found, next) = (
                        [String](), "\(FeatureTests.items)?limit=7&filter=\(FeatureTests.escaped(text))" as String?
                    )
                    while let path = next {
                        let page = try await client.get(path, as: user)
                        #expect(page.status == 200, "\(text)")
                        found += (page.json["features"]?.array ?? []).compactMap { $0["id"]?.string }
                        let link = page.json["links"]?.array?.first { $0["rel"]?.string == "next" }?["href"]?.string
                        next = link.flatMap(FeatureTests.path)
                    }
                    #expect(found == wanted, "\(text) as \(user ?? "nobody")")
                }
            }
        }
    }

    @Test("What a viewer may not see takes part in no condition: neither places, nor names, nor exact times")
    func privacy() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let place = #""location":{"lat":33.7554,"lon":-84.3736,"precision":"approximate","city":"Atlanta"}"#
                let body = #"{"kind":"photo","title":"Coarse","privacy":"public",\#(place)}"#
                let made = try await client.send(.post, "/v1/stories", as: "ana", body)
                #expect(made.status == 201)
                _ = try await client.create(as: "ana", title: "Mine", extra: #","privacy":"private""#)
                for text in [
                    "city = 'Atlanta'", "S_INTERSECTS(geometry,BBOX(-84.3737,33.7553,-84.3735,33.7555))",
                    "title = 'Mine'",
                    "accuracy IS NOT NULL",
                ] {
                    let path = "\(FeatureTests.items)?filter=\(FeatureTests.escaped(text))"
                    let (own, other) = (try await client.get(path, as: "ana"), try await client.get(path, as: "cora"))
                    #expect(other.status == 200 && FeatureTests.titles(other) == [], "\(text)")
                    #expect(other.json["numberMatched"]?.integer == 0)
                    // The other story of hers lies at the same point.
                    let wanted = text.hasPrefix("S_INTERSECTS") ? 2 : 1
                    if !text.hasPrefix("accuracy") { #expect(FeatureTests.titles(own).count == wanted, "\(text)") }
                    #expect(try await client.get(path).json["numberMatched"]?.integer == 0)
                }
            }
    }

    @Test("LOC-10 A box finds a story at each of its places that the viewer sees, its geometry is the location alone")
    func furtherPlaces() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let id = try await client.create(as: "ana", title: "Here", extra: #","privacy":"public""#)
                let places = [
                    #""lat":10,"lon":20"#, #""lat":-10,"lon":20,"precision":"hidden""#,
                    #""lat":-20,"lon":20,"source":"ai_extracted""#,
                    #""geometry":{"type":"MultiPoint","coordinates":[[60,30],[70,35]]}"#,
                ]
                for place in places {
                    _ = try await client.send(.post, "/v1/stories/\(id)/places", as: "ana", "{\(place)}")
                }
                // Each box with whether it holds a place for cora, and whether it holds the location.
                let boxes = [
                    ("-85,33,-84,34", true, true), ("19,9,21,11", true, false), ("19,-11,21,-9", false, false),
                    ("19,-21,21,-19", false, false), ("59,29,61,31", true, false),
                ]
                for (box, isPlace, isLocation) in boxes {
                    let inside = try await client.get("\(FeatureTests.items)?bbox=\(box)", as: "cora")
                    #expect(FeatureTests.titles(inside) == (isPlace ? ["Here"] : []), "\(box)")
                    let filter = FeatureTests.escaped("S_INTERSECTS(geometry,BBOX(\(box)))")
                    let own = try await client.get("\(FeatureTests.items)?filter=\(filter)", as: "cora")
                    #expect(FeatureTests.titles(own) == (isLocation ? ["Here"] : []), "\(box)")
                    #expect(own.json["numberMatched"]?.integer == (isLocation ? 1 : 0), "\(box)")
                }
            }
    }

    @Test("A cursor belongs to its viewer and its filter")
    func cursors() async throws {
        try await ServiceFixture()
            .run { client async throws in
                for number in 0..<5 {
                    _ = try await client.create(as: "ana", title: "Here \(number)", extra: #","privacy":"public""#)
                }
                let page = try await client.get("\(FeatureTests.items)?limit=2&kind=interview", as: "ana")
                let link = page.json["links"]?.array?.first { $0["rel"]?.string == "next" }?["href"]?.string ?? ""
                let cursor = try #require(link.split(separator: "cursor=").last?.prefix { $0 != "&" })
                let path = "\(FeatureTests.items)?kind=interview&cursor=\(cursor)"
                #expect(try await client.get(path, as: "ana").status == 200)
                #expect(try await client.get(path + "&f=html&limit=1", as: "ana").status == 200)
                #expect(try await client.get(path, as: "cora").status == 400)
                #expect(try await client.get(path).status == 400)
                #expect(
                    try await client.get("\(FeatureTests.items)?kind=photo&cursor=\(cursor)", as: "ana").status == 400
                )
            }
    }

    @Test(
        "A parameter that cannot be used is refused with its name",
        arguments: [
            "bbox=1,2,3", "bbox=1,2,3,4,5", "bbox=1,9,3,2", "bbox=a,b,c,d", "datetime=x", "datetime=../..",
            "datetime=2020-01-02/2020-01-01", "limit=0", "limit=x", "crs=EPSG:3857", "bbox-crs=x", "filter=",
            "filter=kind",
            "filter-lang=cql2-json", "filter-crs=x", "f=xml", "unknown=1",
        ]
    )
    func refusals(query: String) async throws {
        try await ServiceFixture()
            .run { client async throws in
                let reply = try await client.get("\(FeatureTests.items)?\(query)")
                #expect(reply.status == 400)
                #expect(reply.json["detail"]?.string?.hasPrefix(String(query.prefix { $0 != "=" })) == true)
            }
    }

    @Test(
        "What is wrong with a box or an interval is said; blanks before numbers do no harm",
        arguments: [
            ("bbox=-181,0,0,0", "bbox: west must lie between -180 and 180"),
            ("bbox=0,0,0,91", "bbox: north must lie between -90 and 90"),
            ("bbox=0,9,1,2", "bbox: south is greater than north; the order is west,south,east,north"),
            (
                "bbox=-180,-90,100,180,90,0",
                "bbox: the first height is greater than the second; give the lower one first"
            ),
            (
                "bbox=170,-20,0,-170,20,-0.5",
                "bbox: the first height is greater than the second; give the lower one first"
            ),
            (
                "bbox=0,0,2,1,1,1&bbox-crs=http://www.opengis.net/def/crs/EPSG/0/3857",
                "bbox: the first height is greater than the second; give the lower one first"
            ),
            (
                "bbox=0,181,0,0&bbox-crs=http://www.opengis.net/def/crs/EPSG/0/4326",
                "bbox: west must lie between -180 and 180"
            ),
            ("datetime=2020-01-01/2019-01-01", "datetime: ends before it starts"),
            ("datetime=2020-13-01/..", "datetime: must have .. or a day at its start that exists, such as"),
            ("datetime=2020-02-30", "datetime: must be a day that exists, such as"),
            ("datetime=../..", "datetime: must have a day or an instant at one end"),
            ("datetime=2020/2021/2022", "datetime: must have one slash at most"),
        ]
    )
    func faults(query: String, words: String) async throws {
        try await ServiceFixture()
            .run { client async throws in
                let reply = try await client.get("\(FeatureTests.items)?\(query)")
                #expect(reply.status == 400 && reply.json["detail"]?.string?.hasPrefix(words) == true)
                #expect(try await client.get("\(FeatureTests.items)?bbox=%200,0,1,%201").status == 200)
            }
    }

    @Test("Boxes, times and reference systems")
    func parameters() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let open = #","privacy":"public""#
                for (title, latitude, longitude, date) in [
                    ("Lisbon", 38.7223, -9.1393, "1961-05-02"), ("Suva", -18.14, 178.44, "1970"),
                    ("Apia", -13.83, -171.76, "1936"),
                ] {
                    let extra = open + ",\"date\":\"\(date)\""
                    _ = try await client.create(
                        as: "ana",
                        title: title,
                        latitude: latitude,
                        longitude: longitude,
                        extra: extra
                    )
                }
                // By the standard, what has no geometry is in every box, and what has no date in every datetime.
                _ = try await client.create(as: "ana", title: "Nowhere", latitude: nil, extra: open)
                let north = FeatureTests.escaped("http://www.opengis.net/def/crs/EPSG/0/4326")
                let mercator = FeatureTests.escaped("http://www.opengis.net/def/crs/EPSG/0/3857")
                for (query, wanted) in [
                    ("", ["Apia", "Lisbon", "Nowhere", "Suva"]),
                    ("bbox=170,-30,-170,-10", ["Apia", "Nowhere", "Suva"]),
                    ("bbox=-10,38,0,-9,39,9", ["Lisbon", "Nowhere"]),
                    ("bbox=-10,38,-5,-9,39,-5", ["Lisbon", "Nowhere"]),
                    ("bbox=38,-10,39,-9&bbox-crs=\(north)", ["Lisbon", "Nowhere"]),
                    ("bbox=-1100000,4600000,-1000000,4700000&bbox-crs=\(mercator)", ["Lisbon", "Nowhere"]),
                    ("bbox=-1100000,4600000,-1050000,4700000&bbox-crs=\(mercator)", ["Nowhere"]),
                    ("datetime=1961-05-02", ["Lisbon", "Nowhere"]),
                    ("datetime=1961-05-02T12:00:00Z/..", ["Lisbon", "Nowhere", "Suva"]),
                    ("datetime=../1936-07-01", ["Apia", "Nowhere"]), ("title=Suva", ["Suva"]),
                    // The filters of the service itself want a date.
                    ("from=1961", ["Lisbon", "Suva"]), ("from=1961&datetime=1961-05-02", ["Lisbon"]),
                    ("limit=1000000", ["Apia", "Lisbon", "Nowhere", "Suva"]),
                ] {
                    let reply = try await client.get("\(FeatureTests.items)?\(query)")
                    #expect(FeatureTests.titles(reply).sorted() == wanted, "\(query)")
                    #expect(reply.json["numberMatched"]?.integer == wanted.count, "\(query)")
                }
                let reply = try await client.get("\(FeatureTests.items)?title=Lisbon&crs=\(mercator)")
                let point = reply.json["features"]?[0]?["geometry"]?["coordinates"]?.array?.compactMap(\.number) ?? []
                // Spherical Mercator with the radius 6,378,137 m: x = R·λ, y = R·ln tan(π/4 + φ/2).
                try #require(point.count == 2)
                #expect(abs(point[0] + 1_017_382.22) < 0.01 && abs(point[1] - 4_681_971.13) < 0.01)
                let name = HTTPField.Name("Content-Crs")
                #expect(name.flatMap { reply.headers[$0] } == "<http://www.opengis.net/def/crs/EPSG/0/3857>")
            }
    }

    @Test("HTML is written where it is wanted, and a title stays a text")
    func html() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let id = try await client.create(
                    as: "ana",
                    title: "<script>alert(1)</script>",
                    extra: #","privacy":"public""#
                )
                for path in [
                    "/?f=html", "/conformance?f=html", "/collections?f=html", "\(FeatureTests.items)?f=html",
                    "\(FeatureTests.items)/\(id)?f=html",
                ] {
                    let page = try await client.get(path)
                    #expect(page.status == 200 && page.headers[.contentType] == "text/html; charset=utf-8", "\(path)")
                    #expect(!String(decoding: page.bytes, as: UTF8.self).contains("<script"), "\(path)")
                    #expect(page.headers[.contentSecurityPolicy]?.hasPrefix("default-src 'none'") == true)
                }
                for (accept, type) in [
                    ("text/html,*/*;q=0.8", "text/html; charset=utf-8"), ("*/*", "application/json"),
                    ("text/html;q=0.5, application/json", "application/json"),
                ] {
                    let reply = try await client.get("/collections", headers: [.accept: accept])
                    #expect(reply.headers[.contentType] == type, "\(accept)")
                    #expect(
                        reply.headers[.vary]?.contains("Accept,") == true
                            || reply.headers[.vary]?.hasSuffix("Accept") == true
                    )
                }
                let docs = String(decoding: try await client.get("/docs").bytes, as: UTF8.self)
                #expect(docs.contains("GET /v1/clusters") && !docs.contains("<script"))
            }
    }
}
