import Formats
import Testing

@Suite("Lines across the antimeridian")
struct AntimeridianGeometryTests {
    private static func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

    /// What is written, and how it continues; `nil` where it stays as it is.
    private static let lines: [(given: String, continued: String?)] = [
        ("[[177,1],[-179,2]]", "[[177,1],[181,2]]"), ("[[179,0],[-179,0]]", "[[179,0],[181,0]]"),
        ("[[-179,0],[179,0]]", "[[181,0],[179,0]]"), ("[[177,1,5],[-179,2,6]]", "[[177,1,5],[181,2,6]]"),
        ("[[170,1],[200,2]]", nil), ("[[200,1],[201,2]]", nil), ("[[350,1],[10,2]]", "[[-10,1],[10,2]]"),
        ("[[-180,1],[180,1]]", nil), ("[[170,1],[190,1],[-160,1]]", "[[170,1],[190,1],[200,1]]"),
        ("[[-90,1],[90,1]]", nil), ("[[-91,1],[90,1]]", "[[269,1],[90,1]]"),
        // Twice across, and what is damaged.
        ("[[179,1],[-179,2],[179,3]]", "[[179,1],[181,2],[179,3]]"), ("[[179,1],[-179]]", "[[179,1],[181]]"),
        ("[[179,1],[],[-179,1]]", nil), ("[[179,1],7,[-179,1]]", nil), ("[]", nil), ("7", nil),
        ("[[583960,1],[583700,1]]", nil),
    ]

    @Test("LOC-10 A step of more than half a turn goes the short way", arguments: lines)
    func continues(given: String, continued: String?) throws {
        func read(_ text: String) throws -> JSONValue {
            try Self.json("{\"type\":\"LineString\",\"coordinates\":\(text)}")
        }
        let found = PlaceGeometry.unwrapped(try read(given))
        let wanted = try continued.map { try read($0) }
        #expect(found == wanted)
        // What continues stays.
        #expect(found.flatMap(PlaceGeometry.unwrapped) == nil)
    }

    private static let ring = "[[177,-18],[-177,-18],[-177,-16],[177,-16],[177,-18]]"
    private static let whole = "[[177,-18],[183,-18],[183,-16],[177,-16],[177,-18]]"
    private static let hole = "[[-179,-17],[-178,-17],[-178.5,-16.5],[-179,-17]]"
    private static let moved = "[[181,-17],[182,-17],[181.5,-16.5],[181,-17]]"

    @Test(
        "LOC-10 A hole is on the turn of the ring around it; parts are read each by itself",
        arguments: [
            ("Polygon", "[\(ring),\(hole)]", "[\(whole),\(moved)]"),
            ("Polygon", "[\(whole),\(hole)]", "[\(whole),\(moved)]"),
            ("MultiPolygon", "[[\(hole)],[\(ring),\(hole)]]", "[[\(hole)],[\(whole),\(moved)]]"),
            ("MultiLineString", "[\(hole),\(ring)]", "[\(hole),\(whole)]"),
        ]
    )
    func parts(type: String, given: String, continued: String) throws {
        func read(_ text: String) throws -> JSONValue {
            try Self.json("{\"type\":\"\(type)\",\"coordinates\":\(text)}")
        }
        let (first, wanted) = (try read(given), try read(continued))
        #expect(PlaceGeometry.unwrapped(first) == wanted)
        #expect(PlaceGeometry.unwrapped(wanted) == nil)
        let collection = JSONValue.object([
            "type": .string("GeometryCollection"), "geometries": .array([first, .null]),
        ])
        let geometries = PlaceGeometry.unwrapped(collection)?["geometries"]
        #expect(geometries == JSONValue.array([wanted, .null]))
        #expect(PlaceGeometry.unwrapped(.null) == nil)
    }
}
