import Formats
import Testing

@Suite("Shapefiles, well-known binary and foreign JSON")
struct ForeignShapeTests {
    private static func little(_ number: Double) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number.bitPattern >> UInt64(8 * $0)) }
    }
    private static func little(_ number: Int, _ count: Int = 4) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    private static func big(_ number: Int) -> [UInt8] { little(number).reversed() }

    private static func shapefile(_ records: [[UInt8]]) -> [UInt8] {
        var bytes = big(9_994) + [UInt8](repeating: 0, count: 96)
        for (index, record) in records.enumerated() { bytes += big(index + 1) + big(record.count / 2) + record }
        return bytes
    }

    private static func polygon(_ rings: [[(Double, Double)]]) -> [UInt8] {
        var bytes = little(5) + [UInt8](repeating: 0, count: 32) + little(rings.count) + little(rings.joined().count)
        var start = 0
        for ring in rings {
            bytes += little(start)
            start += ring.count
        }
        for (x, y) in rings.joined() { bytes += little(x) + little(y) }
        return bytes
    }

    private static func table(_ rows: [String], deleted: Set<Int> = []) -> [UInt8] {
        let columns: [(String, Character, Int)] = [
            ("NAME", "C", 10), ("YEAR", "N", 6), ("DAY", "D", 8), ("OPEN", "L", 1),
        ]
        let head = 33 + 32 * columns.count
        var bytes: [UInt8] = [3, 120, 1, 1] + little(rows.count) + little(head, 2) + little(26, 2)
        bytes += [UInt8](repeating: 0, count: 20)
        for (name, type, length) in columns {
            bytes += Array(name.utf8) + [UInt8](repeating: 0, count: 11 - name.utf8.count)
            bytes += [type.asciiValue ?? 0, 0, 0, 0, 0, UInt8(length)] + [UInt8](repeating: 0, count: 15)
        }
        bytes.append(0x0D)
        for (index, row) in rows.enumerated() { bytes += [deleted.contains(index) ? 0x2A : 0x20] + Array(row.utf8) }
        return bytes
    }

    private static let square = [(0.0, 0.0), (0.0, 4.0), (4.0, 4.0), (4.0, 0.0), (0.0, 0.0)]
    private static let hole = [(1.0, 1.0), (2.0, 1.0), (2.0, 2.0), (1.0, 2.0), (1.0, 1.0)]
    private static let whole = Shapefile.Files(
        shapes: shapefile([little(1) + little(-84.39) + little(33.75), polygon([square, hole, square]), little(0)]),
        table: table(
            ["Mill        1936" + "19360704T", "Gone            " + "        F", "Last      ******" + "00000000?"],
            deleted: []
        ),
        system: #"GEOGCS["WGS 84"]"#,
        encoding: "UTF-8"
    )

    @Test("A Shapefile is read with its table, its holes and its reference system")
    func shapes() throws {
        let read = try Shapefile(Self.whole, limit: 1 << 20)
        let json = try JSONValue(parsing: read.geoJSON, limits: .init(bytes: read.geoJSON.count))
        #expect(json["crs"]?["properties"]?["name"] == .string(#"GEOGCS["WGS 84"]"#))
        let features = try #require(json["features"]?.array)
        #expect(features.count == 3)
        #expect(features[0]["geometry"]?["coordinates"] == .array([.number(-84.39), .number(33.75)]))
        #expect(
            features[0]["properties"]
                == .object([
                    "NAME": .string("Mill"), "YEAR": .number(1936), "DAY": .string("1936-07-04"), "OPEN": .bool(true),
                ])
        )
        let areas = try #require(features[1]["geometry"]?["coordinates"]?.array)
        #expect(areas.map { $0.array?.count } == [2, 1])
        #expect(features[2]["geometry"] == .null && features[2]["properties"] == .object(["NAME": .string("Last")]))
        #expect(read.remarks.isEmpty)
    }

    @Test(
        "LOC-10 A geometry that is null is an empty one of the type that the head names, so that its row gets a remark",
        arguments: [
            (1, "Point"), (3, "LineString"), (5, "Polygon"), (8, "MultiPoint"), (11, "Point"), (15, "Polygon"),
            (0, nil), (31, nil),
        ] as [(UInt8, String?)]
    )
    func null(type: UInt8, name: String?) throws {
        var shapes = Self.shapefile([Self.little(0)])
        shapes[32] = type
        let files = Shapefile.Files(shapes: shapes, table: nil, system: nil, encoding: nil)
        let read = try Shapefile(files, limit: 1 << 20)
        let geometry = try JSONValue(parsing: read.geoJSON)["features"]?[0]?["geometry"]
        let empty = name.map { JSONValue.object(["type": .string($0), "coordinates": .array([])]) }
        #expect(geometry == empty ?? .null)
    }

    @Test("A single line or area is one, and a hole belongs to the smallest ring around it, wherever it stands")
    func parts() throws {
        func geometry(_ record: [UInt8]) throws -> JSONValue? {
            let files = Shapefile.Files(shapes: Self.shapefile([record]), table: nil, system: nil, encoding: nil)
            let read = try Shapefile(files, limit: 1 << 20)
            return try JSONValue(parsing: read.geoJSON)["features"]?[0]?["geometry"]
        }
        func moved(_ ring: [(Double, Double)], by x: Double) -> [(Double, Double)] { ring.map { ($0.0 + x, $0.1) } }
        func line(_ count: Int) -> [UInt8] {
            var bytes = Self.polygon(Array(repeating: [(1, 2), (3, 4)], count: count))
            bytes[0] = 3
            return bytes
        }
        #expect(try geometry(line(1))?["type"]?.string == "LineString")
        #expect(try geometry(line(2))?["type"]?.string == "MultiLineString")
        let one = try geometry(Self.polygon([Self.square, Self.hole]))
        #expect(one?["type"]?.string == "Polygon" && one?["coordinates"]?.array?.count == 2)
        // Two areas first, then the holes of either; an island in a hole has a hole of its own.
        let far = moved(Self.square, by: 10)
        let island = Self.hole.reversed().map { ($0.0 * 0.5 + 0.75, $0.1 * 0.5 + 0.75) }
        let pond = Self.hole.map { ($0.0 * 0.25 + 1.125, $0.1 * 0.25 + 1.125) }
        let several = try geometry(
            Self.polygon([Self.square, far, island, pond, moved(Self.hole, by: 10), Self.hole])
        )
        let areas = try #require(several?["coordinates"]?.array)
        #expect(areas.map { $0.array?.count } == [2, 2, 2])
        #expect(areas[0][1]?[0]?[0]?.number == 1 && areas[1][1]?[0]?[0]?.number == 11)
        #expect(areas[2][1]?[0]?[0]?.number == 1.375)
        // What runs the wrong way and lies in nothing is an area.
        let wrong = try geometry(Self.polygon([Self.hole, moved(Self.hole, by: 10)]))
        #expect(wrong?["coordinates"]?.array?.map { $0.array?.count } == [1, 1])
    }

    @Test("What is missing beside the geometries is said, and deleted rows are left out")
    func missing() throws {
        var files = Self.whole
        (files.system, files.encoding) = (nil, nil)
        files.table = Self.table(
            ["Caf\u{E9}       1936" + "19360704T", "B         1     19360704T", "C         1     19360704T"],
            deleted: [1]
        )
        let read = try Shapefile(files, limit: 1 << 20)
        let json = try JSONValue(parsing: read.geoJSON, limits: .init(bytes: read.geoJSON.count))
        #expect(json["features"]?.array?.count == 2 && read.remarks.count == 2)
        files.table = nil
        #expect(try Shapefile(files, limit: 1 << 20).remarks.contains("the table (.dbf) is missing"))
        files.encoding = "EBCDIC"
        files.table = Self.whole.table
        #expect(throws: Shapefile.Failure.self) { try Shapefile(files, limit: 1 << 20) }
        #expect(throws: Shapefile.Failure.self) { try Shapefile(Self.whole, limit: 100) }
    }

    @Test("The operator's encoding of a table counts before what the files say; one that is not known is asked for")
    func tableEncodings() throws {
        let cell = Array("1936  19360704T".utf8)
        func table(_ name: [UInt8]) -> [UInt8] {
            let empty = Self.table([""])
            return empty + name + [UInt8](repeating: 0x20, count: 10 - name.count) + cell
        }
        func name(_ letters: [UInt8], cpg: String? = nil, given: TextEncoding? = nil) throws -> String? {
            var files = Self.whole
            (files.shapes, files.table) = (Self.shapefile([Self.little(0)]), table(letters))
            (files.encoding, files.givenEncoding) = (cpg, given)
            let read = try Shapefile(files, limit: 1 << 20)
            let json = try JSONValue(parsing: read.geoJSON, limits: .init(bytes: read.geoJSON.count))
            return json["features"]?[0]?["properties"]?["NAME"]?.string
        }
        let moscow: [UInt8] = [0xCC, 0xEE, 0xF1, 0xEA, 0xE2, 0xE0]
        #expect(try name(moscow, given: .windows1251) == "Москва" && name(moscow, cpg: "1251") == "Москва")
        #expect(try name(moscow, cpg: "UTF-8", given: .windows1251) == "Москва")
        #expect { try name(moscow) } throws: {
            ($0 as? Shapefile.Failure)?.reason.hasPrefix("the encoding of the table (.dbf) was not recognised") == true
        }
        #expect(try name([0x43, 0x61, 0x66, 0xE9]) == "Café")
        // The column ends within a letter.
        let cut = Array("ééééx".utf8) + [0xC3]
        #expect(try name(cut) == "ééééx" && name(cut, cpg: "UTF-8") == "ééééx")
        #expect(throws: Shapefile.Failure.self) { try name([0xE9, 0x61, 0x61, 0x61, 0x61], cpg: "UTF-8") }
    }

    @Test("Well-known binary of all types becomes GeoJSON, in both byte orders and with heights")
    func binary() throws {
        func text(_ bytes: [UInt8]) throws -> String {
            var json = JSONWriter()
            try WellKnownBinary.write(bytes[...], to: &json)
            return json.text
        }
        let (one, two) = (Self.little(1.5), Self.little(2.0))
        #expect(try text([1] + Self.little(1) + one + two) == #"{"type":"Point","coordinates":[1.5,2]}"#)
        #expect(
            try text([0] + Self.big(1) + one.reversed() + two.reversed()) == #"{"type":"Point","coordinates":[1.5,2]}"#
        )
        #expect(try text([1] + Self.little(1_001) + one + two + two) == #"{"type":"Point","coordinates":[1.5,2]}"#)
        let pair = Self.little(2) + one + two + two + one
        #expect(try text([1] + Self.little(2) + pair) == #"{"type":"LineString","coordinates":[[1.5,2],[2,1.5]]}"#)
        let line = [1] + Self.little(2) + pair
        #expect(
            try text([1] + Self.little(5) + Self.little(1) + line)
                == #"{"type":"MultiLineString","coordinates":[[[1.5,2],[2,1.5]]]}"#
        )
        let nan = Self.little(Double.nan)
        #expect(try text([1] + Self.little(1) + nan + nan) == #"{"type":"Point","coordinates":[]}"#)
        for damaged in [
            [1], [1] + Self.little(2) + Self.little(1_000_000_000), [1] + Self.little(8), [1] + Self.little(1),
        ] {
            #expect(throws: WellKnownBinary.Failure.self) { try text(damaged) }
        }
    }

    @Test("Plain arrays of objects and FeatureSets of ArcGIS are recognised; other JSON is not")
    func json() throws {
        func read(_ text: String) -> ForeignJSON? { try? ForeignJSON(Array(text.utf8)) }
        let plain = try #require(read(#"[{"title":"A","lat":1,"dcterms:title":[{"@value":"B"}]}]"#))
        #expect(plain.kind == .objects)
        let json = try JSONValue(parsing: plain.geoJSON, limits: .init(bytes: plain.geoJSON.count))
        #expect(json["features"]?[0]?["properties"]?["dcterms:title"] == .string("B"))
        #expect(read(#"{"items":[{"a":1}],"count":1}"#)?.kind == .objects)
        let esri = try #require(
            read(
                """
                {"geometryType":"esriGeometryPoint","spatialReference":{"wkid":102100,"latestWkid":3857},
                "fields":[{"name":"made","type":"esriFieldTypeDate"}],
                "features":[{"attributes":{"name":"A","made":-1057104000000},"geometry":{"x":1,"y":2}}]}
                """
            )
        )
        let set = try JSONValue(parsing: esri.geoJSON, limits: .init(bytes: esri.geoJSON.count))
        #expect(esri.kind == .esri && set["crs"]?["properties"]?["name"] == .string("EPSG:3857"))
        #expect(set["features"]?[0]?["properties"]?["made"] == .string("1936-07-03"))
        for text in ["1", "[]", "[1]", #"{"a":1}"#, #"{"a":[{}],"b":[{"c":1}]}"#, "[{", ""] {
            #expect(read(text) == nil, "\(text)")
        }
    }

    @Test("Damaged files never crash")
    func fuzz() {
        var mutator = Mutator(seed: 3)
        let collection = [1] + Self.little(7) + Self.little(1) + [1] + Self.little(3) + Self.little(1) + Self.little(1)
        for _ in 0..<500 {
            var files = Self.whole
            files.shapes = mutator.mutate(files.shapes)
            _ = try? Shapefile(files, limit: 1 << 20)
            files = Self.whole
            files.table = files.table.map { mutator.mutate($0) }
            _ = try? Shapefile(files, limit: 1 << 20)
            var json = JSONWriter()
            _ = try? WellKnownBinary.write(
                mutator.mutate(collection + Self.little(1.0) + Self.little(2.0))[...],
                to: &json
            )
            _ = try? ForeignJSON(
                mutator.mutate(
                    Array(
                        #"{"spatialReference":{"wkid":26918},"features":[{"attributes":{"a":1},"geometry":{"rings":[[[1,2],[3,4]]]}}]}"#
                            .utf8
                    )
                )
            )
        }
    }
}
