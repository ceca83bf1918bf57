import Importing
import Stories
import Testing

@Suite("Reading sensitive areas")
struct SensitiveAreaReaderTests {
    private func read(_ features: String) -> (areas: [SensitiveArea], problems: [ImportProblem]) {
        let text = "{\"type\":\"FeatureCollection\",\"features\":[\(features)]}"
        return SensitiveAreaReader().read(Array(text.utf8), fileName: "areas.geojson")
    }

    private func feature(_ properties: String, type: String = "Polygon", _ coordinates: String? = nil) -> String {
        let square = "[[0,0],[1,0],[1,1],[0,1],[0,0]]"
        let shape = coordinates ?? (type == "MultiPolygon" ? "[[\(square)],[\(square)]]" : "[\(square)]")
        return """
            {"type":"Feature","properties":{\(properties)},"geometry":{"type":"\(type)","coordinates":\(shape)}}
            """
    }

    @Test("LOC-08 Polygons and multipolygons with their precision, cell and name")
    func good() throws {
        let (areas, problems) = read(
            [
                feature("\"precision\":\"hidden\",\"name\":\"Nest\""),
                feature("\"precision\":\"approximate\",\"cell\":1", type: "MultiPolygon"),
                feature("\"precision\":\"approximate\",\"other\":[1]"),
            ]
            .joined(separator: ",")
        )
        #expect(problems.isEmpty)
        #expect(areas.map(\.precision) == [.hidden, .approximate(.degree), .approximate(.hundredth)])
        #expect(areas.map(\.name) == ["Nest", "", ""])
        #expect(areas.map(\.polygons.count) == [1, 2, 1])
    }

    @Test(
        "LOC-08 Errors name the feature and field, and no area of the file is accepted",
        arguments: [
            ("\"precision\":\"exact\"", "Polygon", nil, "precision"), ("\"name\":\"a\"", "Polygon", nil, "precision"),
            ("\"precision\":\"approximate\",\"cell\":0.02", "Polygon", nil, "cell"),
            ("\"precision\":\"hidden\"", "Point", "[0,0]", nil), ("\"precision\":\"hidden\"", "Polygon", "[]", nil),
            ("\"precision\":\"hidden\"", "Polygon", "[[[0,0],[1,0],[1,1],[0,1]]]", nil),
            ("\"precision\":\"hidden\"", "Polygon", "[[[0,0],[1,\"a\"],[1,1],[0,0]]]", nil),
        ] as [(String, String, String?, String?)]
    )
    func bad(properties: String, type: String, coordinates: String?, field: String?) {
        let good = feature("\"precision\":\"hidden\"")
        let (areas, problems) = read(good + "," + feature(properties, type: type, coordinates))
        #expect(areas.isEmpty)
        #expect(problems.map(\.row) == [2] && problems.map(\.field) == [field], "\(problems)")
    }

    @Test("LOC-08 A file without areas, in another reference system, or not GeoJSON, is rejected")
    func badFiles() {
        #expect(read("").problems.count == 1)
        let crs = "\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"EPSG:26916\"}}"
        let text = "{\"type\":\"FeatureCollection\",\(crs),\"features\":[\(feature("\"precision\":\"hidden\""))]}"
        for bytes in [Array(text.utf8), Array("id,name".utf8), []] {
            let (areas, problems) = SensitiveAreaReader().read(bytes, fileName: "a")
            #expect(areas.isEmpty && problems.count == 1)
        }
    }
}
