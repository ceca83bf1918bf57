import App
import Foundation
import GRDB
import Geometry
import Importing
import Library
import Storage
import Stories
import TestSupport
import Testing

@Suite("LOC-10 Further places drawn in exports")
struct PlaceLayerTests {
    private static func id(_ number: Int) -> String { String(repeating: "0", count: 30) + "\(10 + number)" }

    private static let places = [
        #""role":"born","lat":33.75,"lon":-84.39,"name":"Openfield","source":"gps","accuracy":7"#,
        #""role":"lived","lat":51.512,"lon":-0.123,"precision":"approximate","cell":0.1,"seconds":9.5,"name":"Nearby""#,
        #""role":"arrived","seconds":760,"geometry":{"type":"LineString","coordinates":[[179.5,50],[180.5,51]]}"#,
        #""role":"worked","precision":"approximate","cell":1,"seconds":770,"geometry":"#
            + #"{"type":"Polygon","coordinates":[[[10,50],[12,50],[12,52],[10,50]]]}"#,
        #""role":"married","lat":41.123457,"lon":-74.765433,"precision":"hidden","name":"Secretville","seconds":780"#,
        #""role":"died","lat":12.345678,"lon":-23.456789,"source":"ai_extracted","name":"Guessville","seconds":790"#,
    ]

    private static func fixture(_ places: [String] = Self.places) async throws -> ServiceFixture {
        let times = #""created_at":"2020-01-03T00:00:00Z","updated_at":null"#
        let list = places.enumerated().map { #"{"id":"\#(id($0))",\#(times),\#($1)}"# }.joined(separator: ",")
        let properties =
            #""kind":"interview","title":"Ida","privacy":"public","created_at":"2020-01-01T00:00:00Z","#
            + #""updated_at":"2020-01-02T00:00:00Z","places":[\#(list)]"#
        let geometry = #"{"type":"Point","coordinates":[1,2]}"#
        let line = #"{"type":"Feature","id":"\#(id(80))","geometry":\#(geometry),"properties":{\#(properties)}}"#
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        var options = StoryImporter.Options(owner: try #require(UserID("ana")))
        options.keepsIDs = true
        let importer = StoryImporter(options: options)
        let (result, outcome) = try await fixture.library.imports
            .add(reading: Array("\(line)\n".utf8), fileName: "a.ndjson", by: importer)
        #expect(!result.isRefused && outcome.created == 1, "\(result.problems)")
        return fixture
    }

    private static func viewer(_ name: String?, _ fixture: ServiceFixture) async throws -> Viewer {
        guard let name else { return .anonymous }
        let user = try #require(UserID(name))
        return try #require(try await fixture.library.viewer(of: user))
    }

    /// Calls `body` with the database of an export.
    private static func read<Value>(
        _ fixture: ServiceFixture,
        as name: String?,
        options: ExportOptions = ExportOptions(),
        _ body: (Database) throws -> Value
    ) async throws -> Value {
        let viewer = try await viewer(name, fixture)
        let bytes = try await fixture.exported(.geoPackage, as: viewer, options: options).bytes
        let again = try await fixture.exported(.geoPackage, as: viewer, options: options).bytes
        #expect(again == bytes)
        let folder = try TemporaryFolder()
        try Data(bytes).write(to: folder.url.appending(path: "a.gpkg"))
        let queue = try DatabaseQueue(path: folder.path("a.gpkg"))
        return try queue.inDatabase(body)
    }

    /// A row of the layer: the columns, the type of its geometry as well-known binary has it, and its box.
    private struct Found: Equatable {
        var role: String
        var type: Int
        var precision: String
        var isConfirmed: Bool
        var seconds: Double?
        var name: String?
        var west: Double
        var north: Double
    }

    private static func rows(_ db: Database) throws -> [Found] {
        let sql = """
            SELECT role, precision, location_confirmed, seconds, place_name, minx, maxy,
                hex(substr(geom, CASE hex(substr(geom, 4, 1)) WHEN '01' THEN 10 ELSE 42 END, 1)) AS type
            FROM story_places JOIN rtree_story_places_geom AS box ON box.id = fid ORDER BY fid
            """
        return try Row.fetchAll(db, sql: sql)
            .map { row in
                Found(
                    role: row["role"],
                    type: Int(row["type"] as String, radix: 16) ?? 0,
                    precision: row["precision"],
                    isConfirmed: row["location_confirmed"],
                    seconds: row["seconds"],
                    name: row["place_name"],
                    // The index keeps single precision.
                    west: ((row["minx"] as Double) * 1_000).rounded() / 1_000,
                    north: ((row["maxy"] as Double) * 1_000).rounded() / 1_000
                )
            }
    }

    private static let born = Found(
        role: "born",
        type: 1,
        precision: "exact",
        isConfirmed: true,
        name: "Openfield",
        west: -84.39,
        north: 33.75
    )
    private static let arrived = Found(
        role: "arrived",
        type: 2,
        precision: "exact",
        isConfirmed: true,
        seconds: 760,
        west: 179.5,
        north: 51
    )

    @Test(
        "LOC-10 Others get lines as given, cells as their middles, and nothing of what is hidden or waits",
        arguments: ["cora", nil]
    )
    func others(name: String?) async throws {
        let fixture = try await Self.fixture()
        let rows = try await Self.read(fixture, as: name, Self.rows)
        #expect(rows.map(\.role) == ["lived", "arrived", "worked", "born"])
        #expect(rows.map(\.type) == [1, 2, 1, 1])
        #expect(rows.first { $0.role == "born" } == Self.born)
        #expect(rows.first { $0.role == "arrived" } == Self.arrived)
        let lived = try #require(rows.first)
        #expect(lived.precision == "approximate" && lived.name == nil)
        #expect(lived.west == -0.15 && lived.north == 51.55)
    }

    @Test("LOC-10 LOC-11 The owner gets all of them as they are, and sees which wait")
    func owner() async throws {
        let fixture = try await Self.fixture()
        let rows = try await Self.read(fixture, as: "ana", Self.rows)
        #expect(rows.map(\.role) == ["lived", "arrived", "worked", "married", "died", "born"])
        #expect(rows.map(\.type) == [1, 2, 3, 1, 1, 1])
        #expect(rows.map(\.isConfirmed) == [true, true, true, true, false, true])
        #expect(rows[0].name == "Nearby" && rows[0].west == -0.123 && rows[0].seconds == 9.5)
        let ids = try await Self.read(fixture, as: "ana") { db in
            try String.fetchAll(db, sql: "SELECT DISTINCT story_id || title FROM story_places")
        }
        #expect(ids == [Self.id(80) + "Ida"])
    }

    @Test("LOC-10 Without a further place that the viewer sees, the stories are the only layer")
    func noPlaces() async throws {
        let fixture = try await Self.fixture([Self.places[4], Self.places[5]])
        let layers = "SELECT table_name FROM gpkg_contents ORDER BY rowid"
        let others = try await Self.read(fixture, as: "cora") { try String.fetchAll($0, sql: layers) }
        #expect(others == ["stories"])
        let own = try await Self.read(fixture, as: "ana") { try String.fetchAll($0, sql: layers) }
        #expect(own == ["stories", "story_places"])
    }

    private static func options(isGeographic: Bool) -> ExportOptions {
        var options = ExportOptions()
        let definition = isGeographic ? "GEOGCS[\"A\"]" : "PROJCS[\"A\"]"
        options.reference = ExportReference(
            system: GeoPackageSystem(title: "A", organization: "EPSG", code: 9_999, definition: definition),
            isGeographic: isGeographic,
            position: { point in
                guard point.latitude > 40 else { return nil }
                if isGeographic { return (x: point.longitude, y: point.latitude) }
                return (x: point.longitude * 100, y: point.latitude * 10)
            }
        )
        return options
    }

    @Test("LOC-10 In other systems every corner is converted; what the system does not reach has no geometry")
    func systems() async throws {
        let fixture = try await Self.fixture()
        for (isGeographic, box) in [(true, [179.5, 180.5, 50, 51]), (false, [-17_950, 17_950, 500, 510])] {
            let options = Self.options(isGeographic: isGeographic)
            let found = try await Self.read(fixture, as: "ana", options: options) { db in
                let index = "SELECT minx, maxx, miny, maxy FROM rtree_story_places_geom JOIN story_places ON fid = id"
                let row = try Row.fetchOne(db, sql: index + " WHERE role = 'arrived'")
                #expect(row.map { [$0[0], $0[1], $0[2], $0[3]] as [Double] } == box)
                let systems = "SELECT DISTINCT srs_id FROM gpkg_geometry_columns"
                #expect(try Int.fetchAll(db, sql: systems) == [9_999])
                return try String.fetchAll(db, sql: "SELECT role FROM story_places WHERE geom IS NULL ORDER BY fid")
            }
            #expect(found == ["died", "born"])
        }
    }

    // MARK: - KML

    private static func kml(_ fixture: ServiceFixture, as name: String?) async throws -> String {
        let viewer = try await viewer(name, fixture)
        return String(decoding: try await fixture.exported(.kml, as: viewer).bytes, as: UTF8.self)
    }

    @Test(
        "LOC-10 KML draws every further place that the viewer sees, in a folder after the stories",
        arguments: ["cora", nil]
    )
    func drawn(name: String?) async throws {
        let text = try await Self.kml(try await Self.fixture(), as: name)
        let parts = text.components(separatedBy: "<Folder>")
        #expect(parts.count == 2 && parts[0].ranges(of: "<Placemark").count == 1)
        let folder = try #require(parts.last)
        #expect(folder.ranges(of: "<Placemark").count == 4 && folder.contains("<name>Ida: born</name>"))
        #expect(folder.contains("<Point><coordinates>-0.15,51.55</coordinates></Point>"))
        // KML has no longitude beyond 180 degrees.
        let line = "<LineString><tessellate>1</tessellate><coordinates>179.5,50 -179.5,51</coordinates></LineString>"
        #expect(folder.contains(line) && folder.contains("<description>Openfield</description>"))
        #expect(folder.contains("<Data name=\"story_id\"><value>\(Self.id(80))</value></Data>"))
        for secret in ["Polygon", "Secretville", "Guessville", "Nearby", "51.512", "41.123", "12.345"] {
            #expect(!text.contains(secret), "\(secret)")
        }
        #expect(text.hasSuffix("</Folder>\n</Document>\n</kml>\n"))
    }

    @Test("LOC-10 In KML the owner has all places; without one there is no folder, and reading it back doubles nothing")
    func ownKML() async throws {
        let fixture = try await Self.fixture()
        let text = try await Self.kml(fixture, as: "ana")
        #expect(text.ranges(of: "<Placemark").count == 7 && text.contains("<name>Ida: married</name>"))
        let ring = "<LinearRing><coordinates>10,50 12,50 12,52 10,50</coordinates></LinearRing>"
        #expect(text.contains("<outerBoundaryIs>\(ring)</outerBoundaryIs></Polygon>"))
        var options = StoryImporter.Options(owner: try #require(UserID("ana")))
        options.keepsIDs = true
        let importer = StoryImporter(options: options)
        let stories = importer.read(Array(text.utf8), fileName: "a.kml").stories
        #expect(stories.count == 1)
        // A folder that somebody took out of its file is no list of stories.
        let start = try #require(text.range(of: "<Folder>")).lowerBound
        let alone = "<kml><Document>" + text[start...]
        #expect(importer.read(Array(alone.utf8), fileName: "a.kml").stories.isEmpty)
        let bare = try await Self.fixture([Self.places[4], Self.places[5]])
        let (others, own) = (try await Self.kml(bare, as: nil), try await Self.kml(bare, as: "ana"))
        #expect(!others.contains("<Folder>") && own.contains("<Folder>"))
    }
}
