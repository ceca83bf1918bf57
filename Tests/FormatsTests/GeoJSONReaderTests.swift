import Formats
import Geometry
import Testing

@Suite("GeoJSON reader")
struct GeoJSONReaderTests {
    private func features(_ text: String, isSequence: Bool = false) throws -> [GeoJSONFeature] {
        try features(Array(text.utf8), isSequence: isSequence)
    }

    private func features(_ bytes: [UInt8], isSequence: Bool = false) throws -> [GeoJSONFeature] {
        var reader = try GeoJSONReader(bytes, isSequence: isSequence)
        var features: [GeoJSONFeature] = []
        while let feature = try reader.next() { features.append(feature) }
        return features
    }

    private func geometry(_ json: String) throws -> GeoJSONFeature {
        try #require(try features("{\"type\":\"Feature\",\"geometry\":\(json),\"properties\":{}}").first)
    }

    @Test("A collection, with members in any order")
    func collection() throws {
        let text = """
            {"features":[{"type":"Feature","id":7,"geometry":{"type":"Point","coordinates":[-84.4,33.75,300]},
            "properties":{"title":"One","n":1.5}},{"type":"Feature","id":"x","geometry":null,"properties":null}],
            "name":"n","type":"FeatureCollection"}
            """
        let all = try features(text)
        #expect(all.map(\.number) == [1, 2])
        #expect(all.map(\.id) == ["7", "x"])
        #expect(all[0].position == .init(x: -84.4, y: 33.75))
        #expect(all[0].drawn == nil)
        #expect(all[0].properties["title"]?.string == "One")
        #expect(all[1].position == nil)
        #expect(all[1].problem == nil)
        #expect(try GeoJSONReader(Array(text.utf8)).referenceSystem == nil)
    }

    @Test("A single feature and an empty collection")
    func small() throws {
        #expect(try features(#"{"type":"Feature","geometry":null,"properties":{"a":1}}"#).count == 1)
        #expect(try features(#"{"type":"FeatureCollection","features":[]}"#).isEmpty)
    }

    @Test(
        "The reference system in older files",
        arguments: [
            (#"{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::26918"}}"#, "urn:ogc:def:crs:EPSG::26918"),
            (#"{"type":"name","properties":{"name":"EPSG:3857"}}"#, "EPSG:3857"),
            (#"{"type":"name","properties":{"name":"urn:ogc:def:crs:OGC:1.3:CRS84"}}"#, nil),
            ("null", nil),
        ] as [(String, String?)]
    )
    func referenceSystem(crs: String, expected: String?) throws {
        let text = #"{"type":"FeatureCollection","features":[],"crs":\#(crs)}"#
        #expect(try GeoJSONReader(Array(text.utf8)).referenceSystem == expected)
    }

    @Test("A crs member that only links to one is rejected")
    func linked() {
        let text = #"{"type":"FeatureCollection","features":[],"crs":{"type":"link","properties":{"href":"x"}}}"#
        #expect(throws: JSONError.self) { try GeoJSONReader(Array(text.utf8)) }
    }

    @Test("Sequences: with separators, by lines, named or detected")
    func sequences() throws {
        let one = #"{"type":"Feature","geometry":null,"properties":{"t":1}}"#
        let two = #"{"type":"Feature","geometry":null,"properties":{"t":2}}"#
        for text in ["\u{1E}\(one)\n\u{1E}\(two)\n", "\(one)\n\n\(two)", "\(one)\r\n\(two)\r\n"] {
            #expect(try features(text).map { $0.properties["t"]?.integer } == [1, 2])
            #expect(try GeoJSONReader(Array(text.utf8)).isSequence)
        }
        #expect(try features(one, isSequence: true).count == 1)
        let broken = try features("\(one)\n{\"type\":\n[]\n\(two)\n", isSequence: true)
        #expect(broken.map(\.number) == [1, 2, 3, 4])
        #expect(broken.map { $0.problem == nil } == [true, false, false, true])
        #expect(broken[2].problem == "not a GeoJSON feature: its type is not Feature")
    }

    @Test(
        "A point on the geometry",
        arguments: [
            (#"{"type":"Point","coordinates":[1,2]}"#, 1.0, 2.0),
            (#"{"type":"MultiPoint","coordinates":[[3,4],[5,6]]}"#, 3, 4),
            (#"{"type":"LineString","coordinates":[[0,0],[0,1],[0,10]]}"#, 0, 5),
            (#"{"type":"LineString","coordinates":[[7,8],[7,8]]}"#, 7, 8),
            (#"{"type":"MultiLineString","coordinates":[[[0,0],[1,0]],[[0,0],[0,10]]]}"#, 0, 5),
            (#"{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,2],[0,2],[0,0]]]}"#, 2, 1),
            // A U: the mean of its corners lies in the bay, the point does not.
            (#"{"type":"Polygon","coordinates":[[[0,0],[9,0],[9,8],[5,8],[5,1],[3,1],[3,8],[0,8],[0,0]]]}"#, 7, 4),
            // A square with a hole in the middle.
            (
                #"{"type":"Polygon","coordinates":[[[0,0],[9,0],[9,8],[0,8],[0,0]],[[1,1],[1,7],[5,7],[5,1],[1,1]]]}"#,
                7, 4
            ),
            (
                #"{"type":"MultiPolygon","coordinates":[[[[0,0],[1,0],[1,1],[0,0]]],[[[10,0],[20,0],[20,8],[10,8],[10,0]]]]}"#,
                15, 4
            ),
            (#"{"type":"Polygon","coordinates":[[[1,1],[2,1],[3,1],[1,1]]]}"#, 1, 1),
            (
                #"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[9,9]},"#
                    + #"{"type":"Polygon","coordinates":[]},{"type":"LineString","coordinates":[[0,2],[2,2]]},"#
                    + #"{"type":"MultiLineString","coordinates":[[[5,5],[6,6]]]}]}"#, 1, 2
            ),
        ]
    )
    func positions(json: String, x: Double, y: Double) throws {
        #expect(try geometry(json).position == .init(x: x, y: y))
    }

    @Test(
        "Empty geometries have no point",
        arguments: ["Point", "LineString", "Polygon", "MultiPolygon", "MultiPoint"]
    )
    func empty(type: String) throws {
        let feature = try geometry(#"{"type":"\#(type)","coordinates":[]}"#)
        #expect(feature.position == nil)
        #expect(feature.problem == nil)
    }

    @Test("A collection may be empty, and one of a single geometry is that geometry; one point of several is a point")
    func collections() throws {
        let empty = try geometry(#"{"type":"GeometryCollection","geometries":[]}"#)
        #expect(empty.position == nil && empty.problem == nil && empty.drawn == nil)
        let line = #"{"type":"LineString","coordinates":[[0,2],[2,2]]}"#
        let bare = try geometry(line)
        let one = #"{"type":"GeometryCollection","geometries":[\#(line)]}"#
        let only = try geometry(#"{"type":"GeometryCollection","geometries":[\#(one)]}"#)
        #expect(only.drawn == bare.drawn && only.drawn != nil && only.position == .init(x: 1, y: 2))
        let point = #"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]}]}"#
        #expect(try geometry(point).drawn == nil)
        #expect(try geometry(#"{"type":"MultiPoint","coordinates":[[1,2]]}"#).drawn == nil)
        #expect(try geometry(#"{"type":"MultiPoint","coordinates":[[1,2],[3,4]]}"#).drawn != nil)
    }

    @Test(
        "Invalid geometries are reported for their feature",
        arguments: [
            #"{"type":"Point","coordinates":["1","2"]}"#, #"{"type":"Point","coordinates":[1]}"#,
            #"{"type":"Point"}"#, #"{"type":"LineString","coordinates":[1,2]}"#, #"{"coordinates":[1,2]}"#, "[1,2]",
            #"{"type":"GeometryCollection"}"#, #"{"type":"GeometryCollection","geometries":[{"type":"Circle"}]}"#,
            #"{"type":"Circle","coordinates":[1,2]}"#,
        ]
    )
    func problems(json: String) throws {
        let feature = try geometry(json)
        #expect(feature.problem != nil)
        #expect(feature.position == nil)
    }

    @Test("Numeric identifiers keep their digits")
    func identifiers() throws {
        let text = #"{"type":"Feature","id":1688858013991304,"geometry":null,"properties":{"a":0.5,"b":true}}"#
        let feature = try #require(try features(text).first)
        #expect(feature.id == "1688858013991304")
        #expect(feature.properties["a"]?.plainText == "0.5")
        #expect(feature.properties["b"]?.plainText == "true")
    }

    @Test("Excessive nesting is an error")
    func depth() {
        let bomb = #"{"type":"FeatureCollection","features":"# + String(repeating: "[", count: 100_000)
        #expect(throws: JSONError.self) { try features(bomb) }
        #expect(throws: JSONError.self) { try features(String(repeating: "{\"a\":", count: 100_000)) }
    }

    @Test("Damaged files never crash", arguments: UInt64(0)..<200)
    func fuzz(seed: UInt64) {
        let text = """
            {"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"EPSG:3857"}},"features":[
            {"type":"Feature","id":1,"geometry":{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,2],[0,0]]]},
            "properties":{"a":[1,"x"]}},{"type":"Feature","geometry":{"type":"LineString","coordinates":[[0,0],[1,1]]}}]}
            """
        var mutator = Mutator(seed: seed)
        for _ in 0..<10 {
            let bytes = mutator.mutate(Array(text.utf8))
            for isSequence in [false, true] {
                guard let all = try? features(bytes, isSequence: isSequence) else { continue }
                #expect(all.map(\.number) == Array(1..<(all.count + 1)))
            }
        }
    }
}
