import App
import Formats
import Foundation
import Geometry
import HTTPTypes
import Library
import Storage
import Stories
import Synchronization
import TestSupport
import Testing

@Suite("Exports over HTTP")
struct ExportEndpointTests {
    /// Counts the pieces that it is sent.
    private final class CountingSink: PieceSink {
        private(set) var pieces: [Int] = []
        private(set) var bytes: [UInt8] = []

        @concurrent func send(_ piece: [UInt8]) async throws {
            pieces.append(piece.count)
            bytes += piece
        }
    }

    private static let mediaTypes: [ExportFormat: String] = [
        .geojson: "application/geo+json", .csv: "text/csv; charset=utf-8", .ndjson: "application/x-ndjson",
        .kml: "application/vnd.google-earth.kml+xml", .gpx: "application/gpx+xml",
        .linkedPlaces: "application/ld+json", .navPlace: "application/ld+json",
        .geoPackage: "application/geopackage+sqlite3", .mbtiles: "application/vnd.sqlite3",
        .pmtiles: "application/vnd.pmtiles",
    ]

    /// Adds stories of ana: three that everybody may see, two of them at one place, and one for herself.
    private static func fill(_ client: Client) async throws {
        for (title, kind, lat, privacy) in [
            ("Wheat harvest", "photo", 33.5, "public"), ("The old mill", "interview", 33.5, "public"),
            ("Ferry", "photo", 41.25, "public"), ("Letters to nobody", "interview", 12.5, "private"),
        ] {
            let body = """
                {"title":"\(title)","kind":"\(kind)","privacy":"\(privacy)","date":"1936",
                "location":{"lat":\(lat),"lon":-84.25,"source":"manual","precision":"exact"}}
                """
            #expect(try await client.send(.post, "/v1/stories", as: "ana", body).status == 201)
        }
    }

    @Test("MAP-11 Every format is what the caller may see, as the command writes it", arguments: ExportFormat.allCases)
    func formats(format: ExportFormat) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            try await ExportEndpointTests.fill(client)
            for user in ["ana", "ben"] {
                let reply = try await client.get("/v1/export?format=\(format.rawValue)", as: user)
                #expect(reply.status == 200)
                #expect(reply.headers[.contentType] == ExportEndpointTests.mediaTypes[format])
                #expect(reply.headers[.cacheControl] == "no-store")
                let disposition = reply.headers[.contentDisposition] ?? ""
                #expect(disposition.hasPrefix("attachment; filename=\"waymark-stories.\(format.rawValue)"))
                let id = try #require(UserID(user))
                let viewer = try await fixture.library.viewer(of: id) ?? Viewer(user: id)
                if !format.isTiles, ![.geojson, .linkedPlaces, .navPlace, .gpx].contains(format) {
                    // Those without the address of the service are the same bytes.
                    #expect(try await fixture.exported(format, as: viewer).bytes == reply.bytes)
                }
                let text = String(decoding: reply.bytes, as: UTF8.self)
                if !format.isTiles {
                    // The ferry has a place of its own: Linked Places names a shared one by any of its stories.
                    #expect(text.contains("Ferry") && text.contains("Letters") == (user == "ana"))
                }
                #expect(reply.bytes.count > 100)
            }
            #expect(fixture.library.rights.exports.count == 0)
            // Nothing is left of the files.
            let left = try? FileManager.default.contentsOfDirectory(atPath: fixture.library.store.path + ".exports")
            #expect(left ?? [] == [])
        }
    }

    @Test("MAP-11 Linked Places has a place once, with all that its stories say")
    func places() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            try await ExportEndpointTests.fill(client)
            let reply = try await client.get("/v1/export?format=lpf", as: "ben").json
            let features = try #require(reply["features"]?.array)
            #expect(features.count == 2)
            let mill = try #require(features.first { $0["geometry"]?["coordinates"]?[1]?.number == 33.5 })
            #expect(mill["links"]?.array?.count == 2)
            #expect(mill["when"]?["timespans"]?.array?.count == 1)
            #expect(mill["@id"]?.string?.contains("/v1/places/p") == true)
            let titles = features.compactMap { $0["properties"]?["title"]?.string }
            #expect(titles.count == 2 && Set(titles).count == 2)
            let place = try #require(mill["@id"]?.string?.split(separator: "/").dropLast().last)
            let list = try await client.get("/v1/places/\(place)/stories", as: "ben")
            #expect(list.status == 200)
        }
    }

    @Test("MAP-11 Filters and boxes narrow an export; what does not fit a format is refused")
    func filters() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            try await ExportEndpointTests.fill(client)
            func titles(_ query: String) async throws -> [String] {
                let json = try await client.get("/v1/export?" + query, as: "ana").json
                return json["features"]?.array?.compactMap { $0["properties"]?["title"]?.string }.sorted() ?? []
            }
            #expect(try await titles("").count == 4)
            #expect(try await titles("kind=photo") == ["Ferry", "Wheat harvest"])
            #expect(try await titles("bbox=-85,33,-84,34") == ["The old mill", "Wheat harvest"])
            #expect(try await titles("bbox=-85,33,-84,34&kind=photo&q=harvest") == ["Wheat harvest"])
            let refused = [
                "format=shp", "format=csv&max_zoom=3", "format=pmtiles&bbox=1,2,3,4", "max_zoom=99", "crs=EPSG:1",
                "crs=EPSG:4978", "crs=EPSG:%2B3857", "crs=IGNF:LAMB93", "crs=%2Bproj%3Dlonglat",
                "format=gpx&crs=EPSG:3857",
            ]
            for wrong in refused {
                #expect(try await client.get("/v1/export?" + wrong, as: "ana").status == 400, "\(wrong)")
            }
            #expect(try await client.get("/v1/export").status == 401)
            #expect(fixture.library.rights.exports.count == 0)
        }
    }

    @Test("MAP-11 An export is in any numbered reference system, as that of the command is")
    func referenceSystem() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            try await ExportEndpointTests.fill(client)
            func positions(_ query: String) async throws -> [[Double]] {
                let json = try await client.get("/v1/export?kind=photo&q=harvest" + query, as: "ana").json
                return json["features"]?.array?
                    .compactMap { $0["geometry"]?["coordinates"]?.array?.compactMap(\.number) } ?? []
            }
            let (degrees, metres) = (try await positions(""), try await positions("&crs=epsg:3857"))
            let (point, projected) = (try #require(degrees.first), try #require(metres.first))
            // Spherical Mercator of EPSG Guidance Note 7-2, §3.2.1.2.
            let (radius, latitude) = (6_378_137.0, point[1] * .pi / 180)
            #expect(abs(projected[0] - radius * point[0] * .pi / 180) < 0.01)
            #expect(abs(projected[1] - radius * log(tan(.pi / 4 + latitude / 2))) < 0.01)
            #expect(try await positions("&crs=EPSG:4326") == degrees)
            #expect(try await client.get("/v1/export?format=gpx&crs=EPSG:4326", as: "ana").status == 200)
            let table = try await client.get("/v1/export?format=csv&crs=EPSG:26916", as: "ana")
            #expect(String(decoding: table.bytes, as: UTF8.self).contains("EPSG:26916"))
            let package = try await client.get("/v1/export?format=gpkg&crs=EPSG:26916", as: "ana")
            #expect(package.status == 200)
            #expect(package.bytes.firstRange(of: Array("UTM zone 16N".utf8)) != nil)
        }
    }

    @Test("REL-10 A person has one export at a time; a HEAD makes no file")
    func oneAtATime() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            try await ExportEndpointTests.fill(client)
            let ana = try #require(UserID("ana"))
            let ticket = try fixture.library.rights.exports.begin(ana, at: fixture.clock.now)
            for format in ["csv", "gpkg"] {
                #expect(try await client.get("/v1/export?format=\(format)", as: "ana").status == 409)
                #expect(try await client.get("/v1/export?format=\(format)", as: "ben").status == 200)
            }
            ticket.end()
            #expect(try await client.get("/v1/export?format=csv", as: "ana").status == 200)
            #expect(try await client.send(.head, "/v1/export?format=gpkg", as: "ana").status == 200)
            #expect(fixture.library.rights.exports.count == 0)
        }
    }

    @Test("LOC-08 An export is sent in pieces, and ends with the access of its caller", arguments: [true, false])
    func pieces(isEnding: Bool) async throws {
        let fixture = try await ServiceFixture()
        let owner = try #require(UserID("ana"))
        var generator = SplitMix64(seed: 3)
        let now = fixture.clock.now
        let stories = (0..<1_300)
            .map { number in
                Story(
                    id: StoryID(using: &generator),
                    kind: .photo,
                    title: "Story \(number)",
                    owner: owner,
                    createdAt: now
                )
            }
        try await fixture.library.store.write { transaction in
            try transaction.save(User(id: owner, name: "Ana"), at: now)
            for story in stories { try transaction.insert(story) }
        }
        let library = fixture.library
        let viewer = try #require(try await library.viewer(of: owner))
        let ticket = try library.rights.exports.begin(owner, at: now)
        let asked = Counter()
        let export = SentExport(
            of: SentExport.Content(.csv, address: "https://stories.example.org"),
            library: library,
            viewer: viewer,
            ticket: ticket
        ) {
            if asked.next() > 2, isEnding { throw Refusal(.unauthenticated, "ended", "Ended.") }
            return viewer
        }
        let counting = CountingSink()
        var sink: any PieceSink = counting
        if isEnding {
            await #expect(throws: Refusal.self) { try await export.write(to: &sink) }
        } else {
            try await export.write(to: &sink)
        }
        let lines = counting.bytes.count { $0 == UInt8(ascii: "\n") }
        #expect(lines == (isEnding ? 1_001 : 1_301))
        #expect(counting.pieces.count == (isEnding ? 2 : 3))
        #expect(library.rights.exports.count == 0)
    }
}

/// Counts calls.
private final class Counter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
