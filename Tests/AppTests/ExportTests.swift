import App
import Basemap
import Formats
import Foundation
import Geometry
import Importing
import Library
import Storage
import Stories
import TestSupport
import Testing

@Suite("Exports")
struct ExportTests {
    /// Rows with everything that an export has to bring back.
    private static let rows = """
        id,kind,title,date,lat,lon,accuracy,precision,cell,family_sees_exact,location_source,location_confirmed,place_name,city,tags,people,mentions,collection,privacy,text,media_url,alt,date_precision
        1,interview,"Comma, ""quote"" and ; more",1936,33.75,-84.39,7,exact,,false,gps,true,Sweet Auburn,Atlanta,"[""a, b"",""c;d"",""e|f""]",King;Queen,"[""Paris, Texas""]",One,public,"Line one\nLine two <b>bold</b>",https://example.org/1.mp3,A pot,place
        2,photo,Approximate,ca. 1920,51.5,-0.1,,approximate,0.1,true,manual,true,,,x,,,,family_only,,,,exact
        3,document,Hidden,before 1900,-33.9,151.2,,hidden,,false,manual,true,,,,,,,private,,,,place
        4,interview,No place,not a date at all,,,,,,,,,,,"[""[odd]""]",,,,public,Ünïcode ♥ 漢字,,,
        5,observation,Null Island,-0044-03-15,0,0,,exact,,false,ai_extracted,true,,,,,,,public,,,,place
        6,interview,Far east,1936/1940,-17.8,180,,exact,,false,manual,true,,,,,,,public,,,,place
        """

    private func fixture(reading bytes: [UInt8], name: String, keepsIDs: Bool = false) async throws -> ServiceFixture {
        let fixture = try await ServiceFixture()
        let owner = try #require(UserID("ana"))
        try await fixture.library.store.write { [now = fixture.clock.now] in
            try $0.save(User(id: owner, name: "Ana"), at: now)
        }
        // Another clock, so that no time is right by chance.
        if keepsIDs { fixture.clock.advance(seconds: 86_400) }
        var options = StoryImporter.Options(owner: owner)
        options.keepsIDs = keepsIDs
        let importer = StoryImporter(options: options)
        let (result, outcome) = try await fixture.library.imports.add(reading: bytes, fileName: name, by: importer)
        #expect(!result.isRefused && outcome.created == 6, "\(result.problems)")
        return fixture
    }

    private func ana(_ fixture: ServiceFixture) async throws -> Viewer {
        let owner = try #require(UserID("ana"))
        return try #require(try await fixture.library.viewer(of: owner))
    }

    @Test(
        "What was exported and imported into an empty database is exported with the same bytes",
        arguments: [ExportFormat.geojson, .ndjson, .csv, .kml, .geoPackage]
    )
    func roundTrip(format: ExportFormat) async throws {
        let first = try await fixture(reading: Array(Self.rows.utf8), name: "rows.csv")
        let bytes = try await first.exported(format, as: try await ana(first)).bytes
        #expect(bytes.count > 1_000)
        let second = try await fixture(reading: bytes, name: "export.\(format.rawValue)", keepsIDs: true)
        let again = try await second.exported(format, as: try await ana(second)).bytes
        let difference =
            zip(bytes, again).enumerated().first { $0.element.0 != $0.element.1 }?.offset
            ?? min(bytes.count, again.count)
        let around = String(decoding: again[max(0, difference - 80)..<min(again.count, difference + 80)], as: UTF8.self)
        #expect(again == bytes, "at \(difference): \(around)")
    }

    @Test("MAP-11 GeoJSON says as linked data what its members mean, by prefixes that it defines itself")
    func linkedData() async throws {
        let first = try await fixture(reading: Array(Self.rows.utf8), name: "rows.csv")
        var options = ExportOptions()
        options.address = "https://stories.example.org"
        let bytes = try await first.exported(.geojson, as: try await ana(first), options: options).bytes
        let document = try JSONValue(parsing: bytes, limits: .init(bytes: bytes.count))
        let context = try #require(document["@context"]?.object)
        #expect(context["@version"]?.number == 1.1)
        #expect(context["@base"]?.string == "https://stories.example.org/stories/")
        #expect(context["properties"]?.string == "@nest" && context["title"]?.string == "dcterms:title")
        for (name, value) in context where !name.hasPrefix("@") {
            let meaning = value.string ?? value["@id"]?.string ?? ""
            guard !meaning.hasPrefix("@"), !meaning.hasPrefix("urn:"), !meaning.contains("://") else { continue }
            let prefix = String(meaning.prefix { $0 != ":" })
            let end = context[prefix]?.string?.last
            #expect(end == "#" || end == "/" || end == ":", "\(name): \(meaning)")
        }
        let features = try #require(document["features"]?.array).compactMap { $0["properties"]?.object }
        let properties = try #require(features.first { $0["text"]?.string != nil && $0["location"]?.object != nil })
        for name in ["title", "text", "date", "tags", "people", "privacy", "location", "created_at"] {
            #expect(context[name] != nil && properties[name] != nil, "\(name)")
        }
        let other = try await first.exported(.geojson, as: try await ana(first)).bytes
        let plain = try JSONValue(parsing: other, limits: .init(bytes: other.count))
        #expect(plain["@context"]?["@base"] == nil)
    }

    @Test("Flags of KML are 1 and 0, because GDAL 3.6 reads true as 0")
    func flagsInKML() async throws {
        let first = try await fixture(reading: Array(Self.rows.utf8), name: "rows.csv")
        let text = String(decoding: try await first.exported(.kml, as: try await ana(first)).bytes, as: UTF8.self)
        func count(_ name: String, _ value: String) -> Int {
            text.ranges(of: "<SimpleData name=\"\(name)\">\(value)</SimpleData>").count
        }
        #expect(count("location_confirmed", "1") == 5 && count("location_confirmed", "true") == 0)
        #expect(count("family_sees_exact", "1") == 1 && count("family_sees_exact", "0") == 4)
    }

    @Test("Ids are kept only of files that we wrote")
    func foreignIDs() throws {
        var options = StoryImporter.Options(owner: try #require(UserID("ana")))
        options.keepsIDs = true
        let importer = StoryImporter(options: options)
        func read(_ text: String) -> ImportResult { importer.read(Array(text.utf8), fileName: "a.csv") }
        #expect(read("id,title\n7,A\n").isRefused)
        let id = String(repeating: "0", count: 31) + "1"
        let times = "2020-01-01T00:00:00Z,2020-01-02T00:00:00Z"
        #expect(read("id,title\n\(id),A\n").isRefused, "times are missing")
        #expect(read("id,title,created_at,updated_at\n\(id),A,\(times)\n").stories.first?.kept?.id == StoryID(id))
        #expect(read("id,title,created_at,updated_at\n\(id),A,\(times)\n\(id),B,\(times)\n").isRefused, "an id twice")
    }

    @Test(
        "LOC-08 Others get a cell's middle in every format, and nothing of a hidden place",
        arguments: ExportFormat.allCases
    )
    func privacy(format: ExportFormat) async throws {
        guard !format.isTiles else { return }
        let owner = try #require(UserID("ana"))
        let exact = "title,lat,lon,precision,cell,privacy\nA,33.123457,-84.765433,approximate,0.1,public\n"
        let rows = exact + "B,41.123457,-74.765433,hidden,,public\nC,12.5,13.5,,,private\n"
        let fixture = try await ServiceFixture()
        try await fixture.library.store.write { [now = fixture.clock.now] in
            try $0.save(User(id: owner, name: "Ana"), at: now)
        }
        let read = StoryImporter(options: .init(owner: owner)).read(Array(rows.utf8), fileName: "a.csv")
        _ = try await fixture.library.imports.add(read.stories)
        let (bytes, outcome) = try await fixture.exported(format, as: .anonymous)
        #expect(outcome.written == (format.holdsStoriesWithoutPlace ? 2 : 1) && outcome.written + outcome.leftOut == 2)
        let text = String(decoding: bytes, as: UTF8.self)
        for secret in ["123457", "765433", "12.5", "13.5"] { #expect(!text.contains(secret), "\(secret)") }
        if format == .geoPackage {
            for number in [33.123457, 41.123457, 12.5] {
                let pattern = (0..<8).map { UInt8(truncatingIfNeeded: number.bitPattern >> UInt64(8 * $0)) }
                #expect(bytes.firstRange(of: pattern) == nil)
            }
        } else {
            #expect(text.contains("33.15") && text.contains("84.75"))
        }
    }

    @Test(
        "MAP-11 Archives of tiles have the tiles of the service, and no others",
        arguments: [ExportFormat.pmtiles, .mbtiles]
    )
    func tiles(format: ExportFormat) async throws {
        let owner = try #require(UserID("ana"))
        let fixture = try await ServiceFixture()
        try await fixture.library.store.write { [now = fixture.clock.now] in
            try $0.save(User(id: owner, name: "Ana"), at: now)
        }
        var generator = SplitMix64(seed: 5)
        var text = "title,lat,lon,privacy\nEdge,-17.8,179.999,public\nEdge,-17.8,-179.999,public\nPole,89,0,public\n"
        for number in 0..<150 {
            let (lat, lon) = (
                Double.random(in: -70...70, using: &generator), Double.random(in: -180...180, using: &generator)
            )
            text += "\(number),\(lat),\(lon),\(number.isMultiple(of: 3) ? "private" : "public")\n"
        }
        let read = StoryImporter(options: .init(owner: owner)).read(Array(text.utf8), fileName: "a.csv")
        _ = try await fixture.library.imports.add(read.stories)
        let place = try TemporaryFolder()
        let deepest = 3
        for name in [nil, "ana"] {
            let path = place.path("\(name ?? "all").\(format.rawValue)")
            var viewer = Viewer.anonymous
            if name != nil { viewer = try #require(try await fixture.library.viewer(of: owner)) }
            let count = try await TileExport(maps: fixture.library.maps)
                .write(format, deepest: deepest, search: .init(), viewer: viewer, toFile: path)
            let archive = try ArchivedTiles(path, format)
            try await fixture.run { client in
                var found = 0
                for zoom in 0...deepest {
                    for column in 0..<(1 << zoom) {
                        for row in 0..<(1 << zoom) {
                            let answer = try await client.get("/v1/tiles/\(zoom)/\(column)/\(row).mvt", as: name)
                            let tile = try archive.tile(zoom, column, row)
                            #expect(tile ?? [] == answer.bytes, "\(zoom)/\(column)/\(row)")
                            if tile != nil { found += 1 }
                        }
                    }
                }
                #expect(found == count && found > 20)
            }
        }
    }
}

/// The tiles of an exported archive, unpacked.
private struct ArchivedTiles {
    private let tiles: [[Int]: [UInt8]]

    init(_ path: String, _ format: ExportFormat) throws {
        var tiles: [[Int]: [UInt8]] = [:]
        if format == .mbtiles {
            let file = try MBTilesFile(path: path)
            let unusable = try file.forEachTile { tiles[[$0.zoom, $0.column, $0.row]] = $0.content }
            #expect(unusable == 0 && file.metadata["format"] == "pbf" && file.metadata["maxzoom"] == "3")
        } else {
            let archive = try TileArchive(bytes: Whole(bytes: [UInt8](try Data(contentsOf: URL(filePath: path)))))
            #expect(archive.kind == .vector && archive.isPacked && archive.zooms == 0...3)
            let header = try Data(contentsOf: URL(filePath: path)).prefix(127)
            #expect(header[96] == 1, "the tiles lie in the order of their numbers")
            for zoom in 0...3 {
                for column in 0..<(1 << zoom) {
                    for row in 0..<(1 << zoom) {
                        let address = try #require(TileAddress(zoom: zoom, column: column, row: row))
                        if let tile = try archive.tile(address) { tiles[[zoom, column, row]] = tile }
                    }
                }
            }
        }
        self.tiles = try tiles.mapValues { try Gzip.decompress($0, limit: 1 << 20) }
    }

    func tile(_ zoom: Int, _ column: Int, _ row: Int) throws -> [UInt8]? { tiles[[zoom, column, row]] }

    private struct Whole: TileBytes {
        let bytes: [UInt8]
        var count: Int { bytes.count }
        func read(_ range: Range<Int>) throws -> [UInt8] { Array(bytes[range]) }
    }
}
