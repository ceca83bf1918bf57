import Formats
import Geometry
import Importing
import Stories
import Testing

@Suite("LOC-10 Files with lines across the antimeridian")
struct AntimeridianTests {
    /// A geometry as GeoJSON and as KML, the point by which it is placed, and its first longitudes as kept.
    struct Across: Sendable, CustomTestStringConvertible {
        let type: String
        let lines: [[(Double, Double)]]
        let point: (longitude: Double, latitude: Double)
        let kept: [Double]

        var testDescription: String { "\(type) \(lines)" }

        private func nested(_ open: String, _ close: String, _ corner: ((Double, Double)) -> String) -> String {
            let lines = lines.map { open + $0.map(corner).joined(separator: ",") + close }
            return type == "LineString" ? lines[0] : open + lines.joined(separator: ",") + close
        }

        var json: String { #"{"type":"\#(type)","coordinates":\#(nested("[", "]") { "[\($0.0),\($0.1)]" })}"# }
        var text: String { type.uppercased() + nested("(", ")") { "\($0.0) \($0.1)" } }
        var esri: String {
            let name = type == "LineString" ? "paths" : "rings"
            let parts = lines.map { "[" + $0.map { "[\($0.0),\($0.1)]" }.joined(separator: ",") + "]" }
            return "{\"\(name)\":[\(parts.joined(separator: ","))]}"
        }
        var kml: String {
            func coordinates(_ line: [(Double, Double)]) -> String {
                "<coordinates>" + line.map { "\($0.0),\($0.1)" }.joined(separator: " ") + "</coordinates>"
            }
            if type == "LineString" { return "<LineString>\(coordinates(lines[0]))</LineString>" }
            let rings = lines.enumerated()
                .map { index, line in
                    let name = index == 0 ? "outerBoundaryIs" : "innerBoundaryIs"
                    return "<\(name)><LinearRing>\(coordinates(line))</LinearRing></\(name)>"
                }
            return "<Polygon>\(rings.joined())</Polygon>"
        }

        var files: [(name: String, text: String)] {
            let feature = #"{"type":"Feature","id":"1","geometry":\#(json),"properties":{"title":"A"}}"#
            let system = #""spatialReference":{"wkid":4326}"#
            let set = #"{\#(system),"features":[{"attributes":{"title":"A"},"geometry":\#(esri)}]}"#
            return [
                ("a.geojson", feature), ("a.csv", "title,WKT\nA,\"\(text)\"\n"), ("b.json", set),
                ("a.kml", "<kml><Document><Placemark><name>A</name>\(kml)</Placemark></Document></kml>"),
            ]
        }
    }

    // Clockwise, as Esri has outer rings; the hole is written on the other side.
    private static let ring = [(177.0, -18.0), (177, -16), (-177, -16), (-177, -18), (177, -18)]
    private static let hole = [(-179.0, -17.5), (-178, -17.5), (-178, -16.5), (-179, -16.5), (-179, -17.5)]
    private static let all = [
        Across(type: "LineString", lines: [[(177, -17), (-179, -17)]], point: (179, -17), kept: [177, 181]),
        Across(type: "LineString", lines: [[(179, 0), (-179, 0)]], point: (180, 0), kept: [179, 181]),
        Across(type: "LineString", lines: [[(-179, 10), (177, 10)]], point: (179, 10), kept: [181, 177]),
        Across(type: "Polygon", lines: [ring], point: (180, -17), kept: [177, 177, 183, 183, 177]),
        Across(type: "Polygon", lines: [ring, hole], point: (179, -17), kept: [177, 177, 183, 183, 177]),
    ]

    @Test("They are placed where they are, go on beyond 180 degrees, and are a remark", arguments: all)
    func placed(across: Across) throws {
        for (name, text) in across.files {
            let result = try Fixture.text(text, name: name)
            #expect(!result.isRefused && result.warningCount == 1, "\(name): \(result.problems)")
            let remark = try #require(result.warnings.first, "\(name)")
            #expect(remark.row != nil && remark.message.contains("the short way"), "\(remark)")
            let story = try #require(result.stories.first, "\(name)")
            let point = Coordinate(latitude: across.point.latitude, longitude: across.point.longitude)
            #expect(story.location?.coordinate == point, "\(name): \(String(describing: story.location))")
            let shape = try #require(story.places.first?.shape, "\(name)")
            #expect(shape.lines.first?.map(\.longitude) == across.kept && shape.type == across.type, "\(name)")
            #expect(shape.lines.count == across.lines.count && shape.box.crossesAntimeridian, "\(name)")
            #expect(shape.box.width < 10, "\(name)")
        }
    }

    @Test("The largest part is the largest on the globe, and what is no place lies near where it is drawn")
    func parts() throws {
        func feature(_ geometry: String) -> String {
            #"{"type":"Feature","id":"1","geometry":\#(geometry),"properties":{"title":"A"}}"#
        }
        let small = "[[[177,-18],[-179,-18],[-179,-16],[177,-16],[177,-18]]]"
        let large = "[[[10,10],[16,10],[16,16],[10,16],[10,10]]]"
        let areas = #"{"type":"MultiPolygon","coordinates":[\#(small),\#(large)]}"#
        let found = try Fixture.text(feature(areas), name: "a.geojson")
        #expect(found.stories.first?.location?.coordinate == Coordinate(latitude: 13, longitude: 13))
        #expect(found.stories.first?.places.first?.shape?.type == "MultiPolygon" && found.warningCount == 1)
        // A ring that crosses itself, and several geometries: the point alone.
        let star = #"{"type":"Polygon","coordinates":[[[179,-18],[-179,-16],[-179,-18],[179,-16],[179,-18]]]}"#
        let line = #"{"type":"LineString","coordinates":[[178,-17],[-178,-17]]}"#
        let mixed =
            #"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]},\#(line)]}"#
        for geometry in [star, mixed] {
            let result = try Fixture.text(feature(geometry), name: "a.geojson")
            let story = try #require(result.stories.first)
            #expect(story.places.isEmpty && result.warningCount == 2, "\(result.problems)")
            #expect(abs(story.location?.coordinate.longitude ?? 0) > 178)
        }
    }

    @Test(
        "LOC-07 A position beyond 180 degrees is refused with the way to write it",
        arguments: [
            (#"{"type":"Point","coordinates":[181,10]}"#, "181.0 is not between -180 and 180; write -179.0"),
            (#"{"type":"Point","coordinates":[-181.5,10]}"#, "-181.5 is not between -180 and 180; write 178.5"),
            (#"{"type":"Point","coordinates":[583960,10]}"#, "583960.0 is not between -180 and 180; for metres"),
            (#"{"type":"LineString","coordinates":[[181,10],[182,11]]}"#, "write -179.0 for 181.0"),
            (#"{"type":"LineString","coordinates":[[-181,10],[-182,11]]}"#, "write 179.0 for -181.0"),
        ]
    )
    func beyond(geometry: String, words: String) throws {
        let feature = #"{"type":"Feature","id":"1","geometry":\#(geometry),"properties":{"title":"A"}}"#
        for (name, text) in [
            ("a.geojson", feature), ("a.csv", "title,geometry\nA,\"\(geometry.replacing("\"", with: "\"\""))\"\n"),
        ] {
            let result = try Fixture.text(text, name: name)
            #expect(result.isRefused && result.errorCount == 1, "\(name): \(result.problems)")
            let error = try #require(result.errors.first)
            #expect(error.row != nil && error.message.contains(words), "\(name): \(error)")
        }
    }
}
