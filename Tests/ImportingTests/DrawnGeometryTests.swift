import Formats
import Geometry
import Importing
import Stories
import Testing

/// A geometry in the notations of all formats, each with the same corners.
struct DrawnGeometry: Sendable, CustomTestStringConvertible {
    let type: String
    /// The lines of each part.
    let parts: [[[(Double, Double)]]]

    var testDescription: String { type }

    private static let square = [(10.0, 50.0), (12, 50), (12, 52.25), (10, 52.25), (10, 50)]
    private static let hole = [(10.5, 50.25), (10.5, 50.5), (10.75, 50.5), (10.5, 50.25)]
    private static let other = [(20.123456789, 40.0), (21, 40), (21, 41), (20.123456789, 40)]

    static let all = [
        DrawnGeometry(type: "LineString", parts: [[[(10, 50), (11, 51.5), (12, 51)]]]),
        DrawnGeometry(type: "Polygon", parts: [[square, hole]]),
        DrawnGeometry(type: "MultiPoint", parts: [[[(10, 50)]], [[(11, 51.5)]]]),
        DrawnGeometry(type: "MultiLineString", parts: [[[(10, 50), (11, 51.5)]], [[(1, 2), (3, 4), (5, 6)]]]),
        DrawnGeometry(type: "MultiPolygon", parts: [[square, hole], [other]]),
    ]

    private static func joined(_ elements: [String], _ open: String, _ close: String) -> String {
        open + elements.joined(separator: ",") + close
    }

    private var isMulti: Bool { type.hasPrefix("Multi") }
    private var isPolygon: Bool { type.hasSuffix("Polygon") }
    private var isPoint: Bool { type.hasSuffix("Point") }

    /// Writes the coordinates with nested brackets.
    private func nested(_ open: String, _ close: String, _ corner: ((Double, Double)) -> String) -> String {
        let parts = self.parts.map { lines in
            let lines = lines.map { line in
                isPoint ? corner(line[0]) : DrawnGeometry.joined(line.map(corner), open, close)
            }
            return isPolygon ? DrawnGeometry.joined(lines, open, close) : lines[0]
        }
        return isMulti ? DrawnGeometry.joined(parts, open, close) : parts[0]
    }

    var json: String { #"{"type":"\#(type)","coordinates":\#(nested("[", "]") { "[\($0.0),\($0.1)]" })}"# }
    /// With heights, which are not kept.
    var high: String { #"{"type":"\#(type)","coordinates":\#(nested("[", "]") { "[\($0.0),\($0.1),7]" })}"# }
    var text: String { type.uppercased() + " " + nested("(", ")") { "\($0.0) \($0.1)" } }

    var kml: String {
        func coordinates(_ line: [(Double, Double)]) -> String {
            "<coordinates>" + line.map { "\($0.0),\($0.1),0" }.joined(separator: " ") + "</coordinates>"
        }
        let shapes = parts.map { lines in
            guard isPolygon else {
                return isPoint
                    ? "<Point>\(coordinates(lines[0]))</Point>" : "<LineString>\(coordinates(lines[0]))</LineString>"
            }
            let rings = lines.enumerated()
                .map { index, line in
                    let name = index == 0 ? "outerBoundaryIs" : "innerBoundaryIs"
                    return "<\(name)><LinearRing>\(coordinates(line))</LinearRing></\(name)>"
                }
            return "<Polygon>\(rings.joined())</Polygon>"
        }
        return isMulti ? "<MultiGeometry>\(shapes.joined())</MultiGeometry>" : shapes[0]
    }

    /// As a place over HTTP reads it.
    var shape: PlaceShape {
        get throws { try #require(try PlaceGeometry.readGiven(JSONValue(parsing: Array(json.utf8))).shape) }
    }
}

@Suite("LOC-10 The lines and areas of files")
struct DrawnGeometryTests {
    private static func feature(_ geometry: String, _ properties: String = "") -> String {
        #"{"type":"Feature","id":"1","geometry":\#(geometry),"properties":{"title":"A"\#(properties)}}"#
    }

    private static func cell(_ text: String) -> String { "\"" + text.replacing("\"", with: "\"\"") + "\"" }

    private static func files(_ geometry: DrawnGeometry) -> [(name: String, text: String)] {
        let plain = feature(geometry.json)
        let held = #"{"type":"GeometryCollection","geometries":[\#(geometry.json)]}"#
        return [
            ("a.geojson", #"{"type":"FeatureCollection","features":[\#(plain)]}"#), ("b.geojson", plain),
            ("c.geojson", feature(geometry.high)), ("d.geojson", feature(held)), ("a.ndjson", "\(plain)\n\(plain)\n"),
            ("a.geojsons", "\u{1E}\(plain)\n"), ("a.csv", "title,WKT\nA,\(cell(geometry.text))\n"),
            ("b.csv", "title,WKT\nA,\(cell("SRID=4326;" + geometry.text.lowercased()))\n"),
            ("c.csv", "title,geometry\nA,\(cell(geometry.json))\n"),
            ("d.csv", "title,WKT\nA,\(cell("GEOMETRYCOLLECTION (\(geometry.text))"))\n"),
            (
                "a.kml",
                "<kml><Document><Placemark><name>A</name>\(geometry.kml)</Placemark></Document></kml>"
            ),
        ]
    }

    @Test("Every format keeps every geometry as given, beside the point on it", arguments: DrawnGeometry.all)
    func formats(geometry: DrawnGeometry) throws {
        let shape = try geometry.shape
        for (name, text) in Self.files(geometry) {
            let result = try Fixture.text(text, name: name)
            #expect(!result.isRefused && result.problems.filter { $0.field != "id" }.isEmpty, "\(result.problems)")
            let story = try #require(result.stories.first, "\(name)")
            let place = try #require(story.places.first, "\(name)")
            #expect(story.places.count == 1 && place.role == .extent && place.isConfirmed, "\(name)")
            #expect(place.shape == shape, "\(name)")
            #expect(story.location?.coordinate == shape.anchor && place.location.coordinate == shape.anchor, "\(name)")
        }
    }

    @Test("Several points that are one, and a point in a collection, are a point")
    func points() throws {
        let point = #"{"type":"Point","coordinates":[10,50]}"#
        for geometry in [
            #"{"type":"MultiPoint","coordinates":[[10,50]]}"#,
            #"{"type":"GeometryCollection","geometries":[\#(point)]}"#,
        ] {
            let result = try Fixture.text(Self.feature(geometry), name: "a.geojson")
            let story = try #require(result.stories.first)
            #expect(story.places.isEmpty && story.location != nil && result.problems.isEmpty, "\(result.problems)")
        }
    }

    @Test("An empty geometry is no place, and a remark with its row")
    func empty() throws {
        for type in ["LineString", "Polygon", "MultiPolygon", "MultiPoint"] {
            let geometry = #"{"type":"\#(type)","coordinates":[]}"#
            let collection = #"{"type":"GeometryCollection","geometries":[]}"#
            for file in [
                ("a.geojson", Self.feature(geometry)), ("a.csv", "title,WKT\nA,\(type.uppercased()) EMPTY\n"),
                ("b.geojson", Self.feature(collection)), ("b.csv", "title,WKT\nA,GEOMETRYCOLLECTION EMPTY\n"),
                ("c.csv", "title,WKT\nA,GEOMETRYCOLLECTION (\(type.uppercased()) EMPTY)\n"),
                ("d.csv", "title,geometry\nA,\(Self.cell(geometry))\n"),
                ("e.csv", "title,geometry\nA,\(Self.cell(collection))\n"),
            ] {
                let result = try Fixture.text(file.1, name: file.0)
                #expect(!result.isRefused && result.problems.count == 1, "\(file): \(result.problems)")
                let row = file.0.hasSuffix("csv") ? 2 : 1
                let remark = result.warnings.first
                #expect(remark?.row == row && remark?.message.hasSuffix("is empty and gives no place") == true)
                #expect(result.stories.count == 1 && result.stories.allSatisfy { $0.location == nil })
                #expect(result.stories.allSatisfy { $0.places.isEmpty })
            }
        }
        // Where another column says it, the story is there.
        let point = #"{"type":"Point","coordinates":[]}"#
        let other = try Fixture.text(Self.feature(point, #","lat":1,"lon":2"#), name: "a.geojson")
        #expect(other.stories.first?.location?.coordinate == Coordinate(latitude: 1, longitude: 2))
        #expect(other.warningCount == 1 && other.warnings.first?.message == "the Point is empty and gives no place")
        // Nesting has an end.
        #expect(WellKnownText(String(repeating: "GEOMETRYCOLLECTION(", count: 100_000)) == nil)
    }

    @Test(
        "A ring of KML alone is a closed line; geometries without positions are a remark",
        arguments: [
            ("<LinearRing><coordinates>1,2 3,2 3,4 1,2</coordinates></LinearRing>", "LineString", 4),
            ("<LinearRing><coordinates>1,2 3,2 3,4</coordinates></LinearRing>", "LineString", 4),
            (
                "<MultiGeometry><LinearRing><coordinates>1,2 3,2 3,4 1,2</coordinates></LinearRing><LineString>"
                    + "<coordinates>1,2 3,2</coordinates></LineString></MultiGeometry>", "MultiLineString", 6
            ),
            ("<MultiGeometry/>", nil, 0), ("<MultiGeometry><Polygon/></MultiGeometry>", nil, 0), ("<Polygon/>", nil, 0),
            ("<LinearRing><coordinates> </coordinates></LinearRing>", nil, 0),
        ] as [(String, String?, Int)]
    )
    func rings(geometry: String, type: String?, corners: Int) throws {
        let text = "<kml><Document><Placemark><name>A</name>\(geometry)</Placemark></Document></kml>"
        let result = try Fixture.text(text, name: "a.kml")
        let story = try #require(result.stories.first)
        #expect(story.places.first?.shape?.type == type && (story.location != nil) == (type != nil))
        #expect(story.places.first?.shape?.cornerCount ?? 0 == corners)
        #expect(result.warningCount == (type == nil ? 1 : 0), "\(result.problems)")
        #expect(result.warnings.allSatisfy { $0.row == 1 && $0.message.hasSuffix("is empty and gives no place") })
    }

    private static let star = "[[10,50],[12,52],[12,50],[10,52],[10,50]]"

    private static let square = "[[10,50],[12,50],[12,52],[10,52],[10,50]]"
    private static let outside = "[[20,50],[21,50],[21,51],[20,50]]"
    private static let crossing = "[[11,50.5],[13,50.5],[13,51],[11,50.5]]"
    private static let within = "[[11,50.5],[11.5,50.5],[11.5,51],[11,50.5]]"

    /// What no place may have, and the word that says why.
    private static let refused: [(geometry: String, word: String)] = [
        (#"{"type":"Polygon","coordinates":[\#(star)]}"#, "crosses"),
        (#"{"type":"MultiPolygon","coordinates":[[\#(star)]]}"#, "crosses"),
        (#"{"type":"Polygon","coordinates":[[[10,50],[12,50],[12,52],[10,52]]]}"#, "last equal to the first"),
        (#"{"type":"Polygon","coordinates":[[[10,50],[11,50],[12,50],[10,50]]]}"#, "without an area"),
        (#"{"type":"Polygon","coordinates":[\#(square),\#(outside)]}"#, "a hole outside of its outer ring"),
        (#"{"type":"Polygon","coordinates":[\#(square),\#(crossing)]}"#, "rings that cross"),
        (#"{"type":"MultiPolygon","coordinates":[[\#(square)],[\#(within)]]}"#, "parts that overlap"),
        (#"{"type":"MultiPolygon","coordinates":[[\#(square)],[\#(crossing)]]}"#, "rings that cross"),
        (#"{"type":"LineString","coordinates":[[10,50],[10,50]]}"#, "without a length"),
        (#"{"type":"MultiLineString","coordinates":[[[1,2],[3,4]],[[10,50],[10,50]]]}"#, "without a length"),
        (#"{"type":"LineString","coordinates":[[10,50]]}"#, "at least two"),
        (#"{"type":"LineString","coordinates":[[-180,10],[180,10]]}"#, "antimeridian"),
        (#"{"type":"LineString","coordinates":[[10,50,1,2],[11,51,1,2]]}"#, "three numbers"),
        (
            #"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[10,50]},"#
                + #"{"type":"LineString","coordinates":[[1,2],[3,4]]}]}"#, "must be a GeoJSON"
        ),
    ]

    @Test("What is refused over HTTP is a remark, and a point on it is kept", arguments: refused)
    func refusals(geometry: String, word: String) throws {
        let file = Self.feature(geometry) + "\n" + Self.feature(#"{"type":"Point","coordinates":[1,2]}"#) + "\n"
        for (name, text) in [
            ("a.ndjson", file.replacing(#""id":"1","#, with: "")),
            ("a.csv", "title,geometry\nA,\(Self.cell(geometry))\nB,\"POINT(1 2)\"\n"),
        ] {
            let result = try Fixture.text(text, name: name)
            #expect(!result.isRefused && result.stories.count == 2 && result.errorCount == 0, "\(result.problems)")
            let remark = try #require(result.warnings.first)
            #expect(result.warningCount == 1 && remark.row == (name == "a.csv" ? 2 : 1))
            #expect(remark.message.hasPrefix("only one point of the ") && remark.message.contains(word), "\(remark)")
            #expect(result.stories.allSatisfy { $0.places.isEmpty && $0.location != nil })
        }
    }

    @Test("More corners than a place may have are a remark, before anything is converted")
    func large() throws {
        for count in [StoryLimits.shapeCorners, StoryLimits.shapeCorners + 1, 100_000] {
            let corners = (0..<count).map { "[\(Double($0) / 1e4),\($0 % 2 + 40)]" }
            let line = #"{"type":"LineString","coordinates":[\#(corners.joined(separator: ","))]}"#
            let result = try Fixture.text(Self.feature(line), name: "a.geojson")
            let isKept = count <= StoryLimits.shapeCorners
            #expect(result.stories.map(\.places.count) == [isKept ? 1 : 0])
            #expect(result.stories.first?.location != nil && result.warningCount == (isKept ? 0 : 1))
            #expect(isKept || result.warnings.first?.message.contains("at most 2000 positions") == true)
            var converted = 0
            _ = try? PlaceGeometry.readGiven(
                JSONValue(parsing: Array(line.utf8), limits: .init(bytes: line.utf8.count))
            ) { x, y in
                converted += 1
                return Coordinate(latitude: y, longitude: x)
            }
            #expect(converted == (isKept ? count : 0))
        }
    }

    @Test("What lies off the globe, or at 0, 0, is the same error as for a point")
    func errors() throws {
        let swapped = #"{"type":"LineString","coordinates":[[50,-170],[51,-171]]}"#
        let result = try Fixture.text(Self.feature(swapped), name: "a.geojson")
        #expect(result.isRefused && result.warningCount == 0)
        #expect(result.errors.first?.message.contains("swapped") == true)
        let null = #"{"type":"LineString","coordinates":[[-1,0],[1,0]]}"#
        #expect(try Fixture.text(Self.feature(null), name: "a.geojson").errors.first?.message.contains("0, 0") == true)
        // Beyond 180 degrees a line continues, as over HTTP.
        let across = #"{"type":"LineString","coordinates":[[170,10],[200,10]]}"#
        let fiji = try #require(try Fixture.text(Self.feature(across), name: "a.geojson").stories.first)
        #expect(fiji.location?.coordinate == Coordinate(latitude: 10, longitude: -175) && fiji.places.count == 1)
    }

    @Test("LOC-09 Every corner is converted from the reference system of the file, of the row, or of --crs")
    func systems() throws {
        let ring = [(583_960.0, 4_507_523.0), (585_000, 4_507_600), (584_900, 4_509_000), (583_960, 4_507_523)]
        let json = ring.map { "[\($0.0),\($0.1)]" }.joined(separator: ",")
        let area = #"{"type":"Polygon","coordinates":[[\#(json)]]}"#
        let text = "POLYGON((" + ring.map { "\($0.0) \($0.1)" }.joined(separator: ",") + "))"
        let points = "title,WKT\n" + ring.map { "A,POINT(\($0.0) \($0.1))\n" }.joined()
        let alone = try Fixture.read(Array(points.utf8)) { $0.referenceSystem = "EPSG:26918" }
        let wanted = alone.stories.compactMap { $0.location?.coordinate }
        let crs = #""crs":{"type":"name","properties":{"name":"EPSG:26918"}}"#
        let files: [(String, String, String?)] = [
            ("a.geojson", #"{"type":"FeatureCollection",\#(crs),"features":[\#(Self.feature(area))]}"#, nil),
            ("b.geojson", Self.feature(area), "EPSG:26918"), ("a.csv", "title,WKT\nA,\"\(text)\"\n", "EPSG:26918"),
            ("b.csv", "title,WKT\nA,\"SRID=26918;\(text)\"\n", nil),
            ("c.csv", "title,WKT,crs\nA,\"\(text)\",EPSG:26918\n", nil),
        ]
        for (name, text, system) in files {
            let result = try Fixture.read(Array(text.utf8), name: name) { $0.referenceSystem = system }
            #expect(result.problems.isEmpty, "\(name): \(result.problems)")
            let story = try #require(result.stories.first)
            let corners = try #require(story.places.first?.shape?.lines.first)
            #expect(corners.count == 4 && wanted.count == 4 && corners.first == corners.last)
            for (corner, point) in zip(corners, wanted) {
                #expect(corner.longitude == point.longitude && corner.latitude == point.latitude, "\(name)")
            }
            #expect(story.location?.coordinate == story.places[0].shape?.anchor)
        }
        // A corner outside the area of the system leaves the point, if that is in it.
        let far = #"{"type":"MultiPoint","coordinates":[[583960,4507523],[1e30,1e30]]}"#
        let result = try Fixture.read(Array(Self.feature(far).utf8), name: "a.geojson") {
            $0.referenceSystem = "EPSG:26918"
        }
        #expect(!result.isRefused && result.stories.first?.location != nil && result.warningCount == 1)
        #expect(result.warnings.first?.message.contains("reference system") == true)
    }

    @Test("PRV-01 LOC-11 The extent is shown, trusted, confirmed and named as the location is")
    func privacy() throws {
        let line = DrawnGeometry.all[0].json
        func story(_ properties: String) throws -> ImportedStory {
            try #require(try Fixture.text(Self.feature(line, properties), name: "a.geojson").stories.first)
        }
        let rows = [
            "", #","precision":"approximate","cell":0.1"#, #","precision":"hidden""#,
            #","precision":"hidden","family_sees_exact":true"#, #","place_name":"Mill","city":"Ulm","accuracy":9"#,
            #","location_source":"gps""#,
        ]
        for row in rows {
            let found = try story(row)
            let (own, location) = (try #require(found.places.first?.location), try #require(found.location))
            #expect(own == location && found.places[0].isConfirmed, "\(row)")
        }
        #expect(try story(rows[2]).places[0].location.precision == .hidden)
        #expect(try story(rows[4]).places[0].location.names == [.name: "Mill", .city: "Ulm"])
        #expect(try !story(#","location_source":"ai_extracted""#).places[0].isConfirmed)
        #expect(try story(#","location_source":"ai_extracted","location_confirmed":true"#).places[0].isConfirmed)
        // What is refused for a point is refused for an area.
        let wrong = try Fixture.text(Self.feature(line, #","precision":"roughly""#), name: "a.geojson")
        #expect(wrong.isRefused)
    }

    @Test("With as many places as a story may have, the point alone is kept; a column with a position comes first")
    func besides() throws {
        let line = DrawnGeometry.all[0]
        let many = Array(repeating: #"{"lat":1,"lon":2}"#, count: StoryLimits.placeCount).joined(separator: ",")
        let full = try Fixture.text(Self.feature(line.json, #","places":[\#(many)]"#), name: "a.geojson")
        #expect(full.stories.first?.places.count == StoryLimits.placeCount && full.warnings.first?.field == "places")
        let one = try Fixture.text(Self.feature(line.json, #","places":[{"lat":1,"lon":2}]"#), name: "a.geojson")
        #expect(one.stories.first?.places.map(\.role) == [.spokenOf, .extent])
        let both = try Fixture.text("title,lat,lon,WKT\nA,1,2,\(Self.cell(line.text))\n")
        #expect(both.stories.first?.places.isEmpty == true)
        #expect(both.stories.first?.location?.coordinate == Coordinate(latitude: 1, longitude: 2))
    }

    @Test("Damaged lines and areas never crash, and what is kept of them is valid", arguments: UInt64(0)..<8)
    func fuzz(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let files = DrawnGeometry.all.flatMap(Self.files)
        var kept = 0
        for (name, text) in files {
            for _ in 0..<12 {
                var bytes = Array(text.utf8)
                for _ in 0..<Int.random(in: 0...3, using: &generator) {
                    let index = Int.random(in: bytes.indices, using: &generator)
                    switch Int.random(in: 0..<3, using: &generator) {
                    case 0: bytes[index] = UInt8.random(in: 32...126, using: &generator)
                    case 1: bytes.remove(at: index)
                    default: bytes.insert(UInt8(ascii: "9"), at: index)
                    }
                }
                let result = try Fixture.read(bytes, name: name) { $0.skipsBadRows = true }
                for place in result.stories.flatMap(\.places) {
                    var json = JSONWriter()
                    PlaceGeometry.write(place.place(id: StoryID(high: 0, low: 1)), to: &json)
                    let read = try PlaceGeometry.readGiven(JSONValue(parsing: json.bytes))
                    #expect(read.shape == place.shape && read.point == place.location.coordinate)
                    kept += 1
                }
            }
        }
        #expect(kept > 50)
    }
}
