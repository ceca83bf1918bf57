import App
import Formats
import HTTPTypes
import Importing
import Library
import Storage
import Stories
import TestSupport
import Testing

@Suite("LOC-10 Further places in exports and imports")
struct PlaceRoundTripTests {
    private static func id(_ number: Int) -> String { String(repeating: "0", count: 30) + "\(10 + number)" }

    private static let exact = #""role":"born","lat":33.75,"lon":-84.39,"name":"Openfield","source":"gps","accuracy":7"#
    private static let coarse = #""lat":51.512,"lon":-0.123,"precision":"approximate","cell":0.1,"seconds":9.5"#
    private static let line =
        #""seconds":760,"geometry":{"type":"LineString","coordinates":[[10.123456789,50],[11,51]]}"#
    private static let area =
        #""precision":"approximate","cell":1,"geometry":"#
        + #"{"type":"Polygon","coordinates":[[[10,50],[11,50],[11,51],[10,50]]]}"#
    private static let points =
        #""seconds":770,"geometry":{"type":"MultiPoint","coordinates":[[179.5,-17],[-179.25,-16.123456]]}"#
    private static let lines =
        #""seconds":780,"geometry":{"type":"MultiLineString","coordinates":[[[1,2],[3,4]],[[170,5],[190.5,6],[191,7]]]}"#
    private static let areas =
        #""seconds":790,"geometry":{"type":"MultiPolygon","coordinates":[[[[0,0],[9,0],[9,9],[0,9],[0,0]],"#
        + #"[[2,2],[3,2],[3,3],[2,2]]],[[[20.123456789,50],[21,50],[21,51],[20.123456789,50]]]]}"#
    private static let hidden =
        #""lat":41.123457,"lon":-74.765433,"precision":"hidden","name":"Secretville","seconds":1"#
    private static let waiting = #""lat":12.345678,"lon":-23.456789,"source":"ai_extracted","name":"Guessville""#

    /// A story with places, as a line that keeps ids and times.
    private static func story(_ places: [String]) -> [UInt8] {
        let times = #""created_at":"2020-01-03T00:00:00Z","updated_at":null"#
        let list = places.enumerated().map { #"{"id":"\#(id($0))",\#(times),\#($1)}"# }
        let properties =
            #""kind":"interview","title":"Ida","privacy":"public","created_at":"2020-01-01T00:00:00Z","#
            + #""updated_at":"2020-01-02T00:00:00Z","places":[\#(list.joined(separator: ","))]"#
        let geometry = #"{"type":"Point","coordinates":[1,2]}"#
        let line = #"{"type":"Feature","id":"\#(id(80))","geometry":\#(geometry),"properties":{\#(properties)}}"#
        return Array("\(line)\n".utf8)
    }

    private static func fixture(
        reading bytes: [UInt8],
        _ name: String,
        loadingFrom least: Int = ImportService.loadedFrom,
        keepingIDs: Bool = true
    ) async throws -> ServiceFixture {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        fixture.clock.advance(seconds: 86_400)
        var options = StoryImporter.Options(owner: try #require(UserID("ana")))
        options.keepsIDs = keepingIDs
        let importer = StoryImporter(options: options)
        let (result, outcome) = try await fixture.library.imports
            .add(reading: bytes, fileName: name, by: importer, loadingFrom: least)
        #expect(!result.isRefused && outcome.created == 1, "\(result.problems)")
        return fixture
    }

    private static func viewer(_ name: String?, _ fixture: ServiceFixture) async throws -> Viewer {
        guard let name else { return .anonymous }
        let user = try #require(UserID(name))
        return try #require(try await fixture.library.viewer(of: user))
    }

    @Test(
        "LOC-10 What was exported and imported into an empty database is exported with the same bytes",
        arguments: [ExportFormat.geojson, .ndjson, .csv, .kml, .geoPackage],
        ["ana", nil]
    )
    func roundTrip(format: ExportFormat, name: String?) async throws {
        let shapes = [Self.line, Self.area, Self.points, Self.lines, Self.areas]
        let given = Self.story([Self.exact, Self.coarse] + shapes + [Self.hidden, Self.waiting])
        let first = try await Self.fixture(reading: given, "a.ndjson")
        let bytes = try await first.exported(format, as: try await Self.viewer(name, first)).bytes
        let text = String(decoding: bytes, as: UTF8.self)
        // The pages of a database can cut a word.
        #expect(format == .geoPackage || (text.contains("Openfield") && text.contains("10.123456789")))
        for secret in ["Secretville", "Guessville"] where name == nil || format != .geoPackage {
            #expect(text.contains(secret) == (name == "ana"), "\(secret)")
        }
        let second = try await Self.fixture(reading: bytes, "export.\(format.rawValue)")
        let again = try await second.exported(format, as: try await Self.viewer(name, second)).bytes
        let difference =
            zip(bytes, again).enumerated().first { $0.element.0 != $0.element.1 }?.offset
            ?? min(bytes.count, again.count)
        let around = String(decoding: again[max(0, difference - 80)..<min(again.count, difference + 80)], as: UTF8.self)
        #expect(again == bytes, "at \(difference): \(around)")
        // Loaded as a whole, as many stories are.
        let loaded = try await Self.fixture(reading: bytes, "export.\(format.rawValue)", loadingFrom: 1)
        #expect(try await loaded.exported(format, as: try await Self.viewer(name, loaded)).bytes == bytes)
        // What waited still waits.
        let story = try #require(StoryID(Self.id(80)))
        let places = try await second.library.store.read { try $0.story(story)?.places } ?? []
        let expected = name == "ana" ? (all: 9, waiting: 1) : (all: 7, waiting: 0)
        let types = Set(places.compactMap { $0.shape?.type })
        #expect(types.isSuperset(of: ["MultiPoint", "MultiLineString", "MultiPolygon"]))
        let areas = try #require(places.first { $0.seconds == 790 }?.shape)
        #expect(areas.lines.map(\.count) == [5, 4, 4])
        #expect(places.count == expected.all && places.count(where: { !$0.isConfirmed }) == expected.waiting)
    }

    @Test(
        "PRV-03 Exports of two worlds that differ in what a viewer may not see have the same bytes",
        arguments: ExportFormat.allCases
    )
    func twins(format: ExportFormat) async throws {
        guard !format.isTiles else { return }
        let full = Self.story([Self.exact, Self.coarse, Self.hidden, Self.waiting])
        // At another point of the same cell, with a name and an accuracy that only its owner gets.
        let moved = Self.coarse.replacing("51.512", with: "51.588") + #","name":"Elsewhere","accuracy":3"#
        let bare = Self.story([Self.exact, moved])
        let one = try await Self.fixture(reading: full, "a.ndjson")
        let two = try await Self.fixture(reading: bare, "a.ndjson")
        for name in ["cora", "ben", nil] {
            let first = try await one.exported(format, as: try await Self.viewer(name, one)).bytes
            let second = try await two.exported(format, as: try await Self.viewer(name, two)).bytes
            #expect(first == second, "\(name ?? "anybody")")
        }
        guard format != .gpx, format != .linkedPlaces, format != .navPlace else { return }
        let own = try await one.exported(format, as: try await Self.viewer("ana", one)).bytes
        let other = try await two.exported(format, as: try await Self.viewer("ana", two)).bytes
        #expect(own != other)
    }

    @Test(
        "PRV-01 What is private or inexact stays so through exports for other programs",
        arguments: [ExportFormat.gpx, .linkedPlaces],
        [("private", "hidden"), ("family_only", "approximate"), ("public", "exact")]
    )
    func limits(format: ExportFormat, limits: (privacy: String, precision: String)) async throws {
        let row =
            #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1.234567,2.345678]},"properties":{"title":"Ida","#
            + #""privacy":"\#(limits.privacy)","precision":"\#(limits.precision)","cell":0.1}}"#
        let given = limits.precision == "approximate" ? row : row.replacing(#","cell":0.1"#, with: "")
        let first = try await Self.fixture(reading: Array("\(given)\n".utf8), "a.ndjson", keepingIDs: false)
        let bytes = try await first.exported(format, as: try await Self.viewer("ana", first)).bytes
        let name = format == .gpx ? "export.gpx" : "export.json"
        let second = try await Self.fixture(reading: bytes, name, keepingIDs: false)
        let ana = try await Self.viewer("ana", second)
        let table = String(decoding: try await second.exported(.ndjson, as: ana).bytes, as: UTF8.self)
        #expect(table.contains(#""privacy":"\#(limits.privacy)""#), "\(table)")
        #expect(table.contains(#""precision":"\#(limits.precision)""#), "\(table)")
        #expect(table.contains(#""cell":0.1"#) == (limits.precision == "approximate"), "\(table)")
    }

    @Test("LOC-07 A story of our own GPX keeps its kind, date, tags and people, and gets no text of its date")
    func waypoints() async throws {
        let row =
            #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1.25,2.5]},"properties":{"title":"Ida","#
            + #""kind":"event","date":"before 1914","tags":["public","choir; band"],"people":["Ann"]}}"#
        let first = try await Self.fixture(reading: Array("\(row)\n".utf8), "a.ndjson", keepingIDs: false)
        let bytes = try await first.exported(.gpx, as: try await Self.viewer("ana", first)).bytes
        let second = try await Self.fixture(reading: bytes, "export.gpx", keepingIDs: false)
        let ana = try await Self.viewer("ana", second)
        let line = String(decoding: try await second.exported(.ndjson, as: ana).bytes, as: UTF8.self)
        for part in [
            #""kind":"event""#, #""date":"before 1914""#, #""tags":["public","choir; band"]"#, #""people":["Ann"]"#,
            #""text":null"#,
        ] {
            #expect(line.contains(part), "\(part) of \(line)")
        }
    }

    @Test("LOC-07 A story of our own GPX keeps its recording, and gets none from the address of its page")
    func waypointLinks() async throws {
        for medium in [#""https://x.org/ida.mp3""#, "null"] {
            let row =
                #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1.25,2.5]},"properties":{"title":"Ida","#
                + #""date":"1914-05-03","text":"1914-05-03","media_url":\#(medium)}}"#
            let first = try await Self.fixture(reading: Array("\(row)\n".utf8), "a.ndjson", keepingIDs: false)
            var options = ExportOptions()
            options.address = "https://map.org"
            let ana = try await Self.viewer("ana", first)
            let bytes = try await first.exported(.gpx, as: ana, options: options).bytes
            #expect(String(decoding: bytes, as: UTF8.self).contains("<link href=\"https://"))
            let second = try await Self.fixture(reading: bytes, "export.gpx", keepingIDs: false)
            let viewer = try await Self.viewer("ana", second)
            let line = String(decoding: try await second.exported(.ndjson, as: viewer).bytes, as: UTF8.self)
            for part in [#""media_url":\#(medium)"#, #""date":"1914-05-03""#, #""text":"1914-05-03""#, #""tags":[]"#] {
                #expect(line.contains(part), "\(part) of \(line)")
            }
        }
    }

    // MARK: - The same file again

    private static func rows(_ title: String, _ places: [String]) -> String {
        let list = places.map { "{\($0)}" }.joined(separator: ",")
        return #"{"type":"Feature","id":"1","geometry":null,"properties":{"title":"\#(title)","places":[\#(list)]}}"#
    }

    private static func send(_ client: Client, _ body: String) async throws {
        let reply = try await client.send(.post, "/v1/imports?name=a.ndjson&source=a", as: "ana", body)
        #expect(reply.json["state"]?.string == "complete", "\(String(decoding: reply.bytes, as: UTF8.self))")
    }

    private static func story(_ client: Client, as user: String) async throws -> (path: String, places: [JSONValue]) {
        let feature = try await client.get("/v1/stories", as: user).json["features"]?[0]
        let id = try #require(feature?["id"]?.string)
        return ("/v1/stories/\(id)", feature?["properties"]?["places"]?.array ?? [])
    }

    @Test("LOC-10 PRV-01 The same source again: its places follow it, but never undo what the owner chose")
    func again() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let (a, b, c) = (#""lat":1,"lon":1"#, #""lat":2,"lon":2"#, #""lat":3,"lon":3"#)
                try await Self.send(client, Self.rows("One", [a, b]))
                var (path, places) = try await Self.story(client, as: "ana")
                #expect(places.compactMap { $0["lat"]?.number }.sorted() == [1, 2])
                let first = try #require(places.first { $0["lat"]?.number == 1 }?["id"]?.string)
                let own = #"{"lat":9,"lon":9,"role":"lived"}"#
                #expect(try await client.send(.post, path + "/places", as: "ana", own).status == 201)
                let hide = #"{"precision":"hidden"}"#
                #expect(try await client.send(.patch, "\(path)/places/\(first)", as: "ana", hide).status == 200)
                // One is kept as its owner hides it, one goes, one comes, and the owner's own stays.
                try await Self.send(client, Self.rows("One", [a, c]))
                (path, places) = try await Self.story(client, as: "ana")
                #expect(places.compactMap { $0["lat"]?.number }.sorted() == [1, 3, 9])
                #expect(places.first { $0["lat"]?.number == 1 }?["id"]?.string == first)
                let shown = try await Self.story(client, as: "cora").places
                #expect(shown.compactMap { $0["lat"]?.number }.sorted() == [3, 9])
                let third = try #require(places.first { $0["lat"]?.number == 3 }?["id"]?.string)
                #expect(try await client.send(.delete, "\(path)/places/\(third)", as: "ana").status == 204)
                try await Self.send(client, Self.rows("Two", [a, c]))
                places = try await Self.story(client, as: "ana").places
                // What was removed does not come back.
                #expect(places.compactMap { $0["lat"]?.number }.sorted() == [1, 9])
                // The hidden place is corrected in the file: its correction is as hidden.
                try await Self.send(client, Self.rows("Two", [a + #","seconds":5"#, c]))
                places = try await Self.story(client, as: "ana").places
                #expect(places.first?["seconds"]?.number == 5 && places.first?["precision"]?.string == "hidden")
                #expect(try await Self.story(client, as: "cora").places.count == 1)
            }
    }
}
