import Foundation
import GRDB
import Geometry
import Storage
import TestSupport
import Testing

@Suite("GeoPackages")
struct GeoPackageTests {
    private func package(_ rows: Int = 3, _ change: (Database) throws -> Void = { _ in }) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let path = folder.path("a.gpkg")
        let writer = try GeoPackageWriter(path: path, system: .wgs84)
        let layer = try writer.addLayer(
            "stories",
            of: .point,
            columns: [
                .init(name: "title", type: "TEXT"), .init(name: "made", type: "INTEGER"),
                .init(name: "on", type: "BOOLEAN"),
            ]
        )
        for row in 0..<rows {
            let point: GeoPackageShape? = row == 1 ? nil : .point(SIMD2(Double(row), 50.5))
            try layer.add(point, values: [.text("Ünï \(row)"), .whole(1_700_000_000_000), .whole(1)])
        }
        try writer.finish(lastChange: "2026-01-01T00:00:00.000Z")
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write(change)
        try queue.close()
        return [UInt8](try Data(contentsOf: URL(filePath: path)))
    }

    @Test("What was written is read, with its types and without the key")
    func roundTrip() throws {
        let layer = try #require(try GeoPackageFile.layer(in: try package(), limit: 1 << 20))
        let text = String(decoding: layer.geoJSON, as: UTF8.self)
        #expect(layer.remarks.isEmpty)
        #expect(
            text == #"{"type":"FeatureCollection","features":["#
                + [0, 1, 2]
                .map { row in
                    let geometry = row == 1 ? "null" : #"{"type":"Point","coordinates":[\#(row),50.5]}"#
                    let values = #"{"title":"Ünï \#(row)","made":1700000000000,"on":true}"#
                    return #"{"type":"Feature","geometry":\#(geometry),"properties":\#(values)}"#
                }
                .joined(separator: ",") + "]}"
        )
    }

    @Test("The tables are those of the standard: bounds, spatial index, number of rows")
    func tables() throws {
        let bytes = try package(2_500)
        let folder = try TemporaryFolder()
        try Data(bytes).write(to: folder.url.appending(path: "a.gpkg"))
        let queue = try DatabaseQueue(path: folder.path("a.gpkg"))
        try queue.read { db in
            #expect(try Int.fetchOne(db, sql: "PRAGMA application_id") == 0x4750_4B47)
            #expect(try Int.fetchOne(db, sql: "PRAGMA user_version") == 10_300)
            let contents = try Row.fetchOne(db, sql: "SELECT min_x, max_x, min_y, srs_id FROM gpkg_contents")
            #expect(contents.map { [$0[0], $0[1], $0[2], $0[3]] as [Double] } == [0, 2_499, 50.5, 4_326])
            #expect(try Int.fetchOne(db, sql: "SELECT feature_count FROM gpkg_ogr_contents") == 2_500)
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM rtree_stories_geom") == 2_499)
            #expect(try String.fetchOne(db, sql: "SELECT rtreecheck('rtree_stories_geom')") == "ok")
            #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
            #expect(try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").isEmpty)
        }
    }

    private struct Sample {
        let shape: GeoPackageShape
        let json: String
        /// The western, eastern, southern and northern edge.
        let box: [Double]
    }

    private static let line: [SIMD2<Double>] = [[1, 2], [-3, 4.5]]
    private static let points: [SIMD2<Double>] = [[179.5, 1], [181, 2]]
    private static let ring: [SIMD2<Double>] = [[0, 0], [9, 0], [9, 8], [0, 0]]
    private static let hole: [SIMD2<Double>] = [[4, 1], [5, 1], [5, 2], [4, 1]]
    private static let (ringText, holeText) = ("[[0,0],[9,0],[9,8],[0,0]]", "[[4,1],[5,1],[5,2],[4,1]]")

    private static let samples = [
        Sample(shape: .point([1, 2]), json: #""Point","coordinates":[1,2]}"#, box: [1, 1, 2, 2]),
        Sample(shape: .line(line), json: #""LineString","coordinates":[[1,2],[-3,4.5]]}"#, box: [-3, 1, 2, 4.5]),
        Sample(
            shape: .polygon([ring, hole]),
            json: #""Polygon","coordinates":[\#(ringText),\#(holeText)]}"#,
            box: [0, 9, 0, 8]
        ),
        Sample(
            shape: .multiPoint(points),
            json: #""MultiPoint","coordinates":[[179.5,1],[181,2]]}"#,
            box: [179.5, 181, 1, 2]
        ),
        Sample(
            shape: .multiLine([line, points]),
            json: #""MultiLineString","coordinates":[[[1,2],[-3,4.5]],[[179.5,1],[181,2]]]}"#,
            box: [-3, 181, 1, 4.5]
        ),
        Sample(
            shape: .multiPolygon([[ring], [hole]]),
            json: #""MultiPolygon","coordinates":[[\#(ringText)],[\#(holeText)]]}"#,
            box: [0, 9, 0, 8]
        ),
    ]

    /// Returns a file with a layer of points without any, and one with every shape and a row without any.
    private func shaped(_ first: String, _ second: String) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let path = folder.path("a.gpkg")
        let writer = try GeoPackageWriter(path: path, system: .wgs84)
        let names = [first, second]
        for name in names {
            let isDrawn = name == "story_places"
            let columns: [GeoPackageLayer.Column] = [.init(name: isDrawn ? "role" : "places", type: "TEXT")]
            let layer = try writer.addLayer(name, of: isDrawn ? .any : .point, columns: columns)
            for sample in isDrawn ? Self.samples : [] { try layer.add(sample.shape, values: [.text("lived")]) }
            try layer.add(nil, values: [.none])
        }
        try writer.finish(lastChange: "2026-01-01T00:00:00.000Z")
        return [UInt8](try Data(contentsOf: URL(filePath: path)))
    }

    @Test("LOC-10 A layer of any geometry has lines and areas, with their boxes in the index, and is read as written")
    func shapes() throws {
        let bytes = try shaped("story_places", "others")
        #expect(try shaped("story_places", "others") == bytes)
        let layer = try #require(try GeoPackageFile.layer(in: bytes, limit: 1 << 20))
        let text = String(decoding: layer.geoJSON, as: UTF8.self)
        for sample in Self.samples { #expect(text.contains(sample.json), "\(sample.json)") }
        #expect(layer.remarks == ["only the layer story_places was read, not others"])
        let folder = try TemporaryFolder()
        try Data(bytes).write(to: folder.url.appending(path: "a.gpkg"))
        let queue = try DatabaseQueue(path: folder.path("a.gpkg"))
        try queue.read { db in
            let index = "SELECT minx, maxx, miny, maxy FROM rtree_story_places_geom ORDER BY id"
            let boxes = try Row.fetchAll(db, sql: index).map { [$0[0], $0[1], $0[2], $0[3]] as [Double] }
            #expect(boxes == Self.samples.map(\.box))
            let contents = "SELECT min_x, max_x, min_y, max_y FROM gpkg_contents WHERE table_name = ?"
            let whole = try Row.fetchOne(db, sql: contents, arguments: ["story_places"])
            #expect(whole.map { [$0[0], $0[1], $0[2], $0[3]] as [Double] } == [-3, 181, 0, 8])
            let kinds = "SELECT geometry_type_name FROM gpkg_geometry_columns ORDER BY table_name"
            #expect(try String.fetchAll(db, sql: kinds) == ["POINT", "GEOMETRY"])
            let counts = "SELECT feature_count FROM gpkg_ogr_contents ORDER BY table_name"
            #expect(try Int.fetchAll(db, sql: counts) == [1, Self.samples.count + 1])
            // The header's flags say whether there is an envelope; only points have none.
            let flags = "SELECT hex(substr(geom, 4, 1)) FROM story_places WHERE geom NOT NULL ORDER BY fid"
            let withEnvelope = [String](repeating: "03", count: Self.samples.count - 1)
            #expect(try String.fetchAll(db, sql: flags) == ["01"] + withEnvelope)
            #expect(try String.fetchOne(db, sql: "SELECT rtreecheck('rtree_story_places_geom')") == "ok")
            #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
        }
    }

    @Test("LOC-10 Of our own export the stories are read, whatever the order of its layers, without a remark")
    func ownLayers() throws {
        for (first, second) in [("stories", "story_places"), ("story_places", "stories")] {
            let layer = try #require(try GeoPackageFile.layer(in: try shaped(first, second), limit: 1 << 20))
            #expect(layer.remarks.isEmpty)
            #expect(
                String(decoding: layer.geoJSON, as: UTF8.self)
                    == #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":null,"properties":{}}]}"#
            )
        }
    }

    @Test(
        "LOC-10 An empty geometry is told from none, by its flag, its position or its parts, so that its row gets a remark",
        arguments: [
            ("11E61000000101000000000000000000F87F000000000000F87F", #"{"type":"Point","coordinates":[]}"#),
            ("01E61000000101000000000000000000F87F000000000000F87F", #"{"type":"Point","coordinates":[]}"#),
            ("11E6100000010200000000000000", #"{"type":"LineString","coordinates":[]}"#),
            ("11E6100000010300000000000000", #"{"type":"Polygon","coordinates":[]}"#),
            ("01E6100000010600000000000000", #"{"type":"MultiPolygon","coordinates":[]}"#),
            ("11E6100000010700000000000000", #"{"type":"GeometryCollection","geometries":[]}"#),
            // A head alone, an empty curve, and an extended type have nothing to name.
            ("11E6100000", "null"), ("11E6100000010800000000000000", "null"),
            ("21E61000000101000000", "null"),
        ]
    )
    func empty(binary: String, json: String) throws {
        let bytes = try package { db in
            try db.execute(
                sql: """
                    DROP TABLE rtree_stories_geom; DROP TABLE stories;
                    CREATE TABLE stories (fid INTEGER PRIMARY KEY, geom BLOB, title TEXT);
                    INSERT INTO stories VALUES (1, X'475000\(binary)', 'A');
                    """
            )
        }
        let layer = try #require(try GeoPackageFile.layer(in: bytes, limit: 1 << 20))
        let feature = #"{"type":"Feature","geometry":\#(json),"properties":{"title":"A"}}"#
        #expect(
            String(decoding: layer.geoJSON, as: UTF8.self)
                == #"{"type":"FeatureCollection","features":[\#(feature)]}"#
        )
    }

    @Test("Other databases are no GeoPackages, and other layers are named")
    func others() throws {
        #expect(try GeoPackageFile.layer(in: Array("a,b\n".utf8), limit: 1_000) == nil)
        let plain = try package { try $0.execute(sql: "DROP TABLE gpkg_contents") }
        #expect(try GeoPackageFile.layer(in: plain, limit: 1 << 20) == nil)
        let second = try package { db in
            try db.execute(
                sql: """
                    CREATE TABLE other (fid INTEGER PRIMARY KEY, name TEXT);
                    INSERT INTO gpkg_contents (table_name, data_type, identifier, srs_id) VALUES ('other', 'attributes', 'o', 0);
                    """
            )
        }
        let layer = try #require(try GeoPackageFile.layer(in: second, limit: 1 << 20))
        #expect(layer.remarks == ["only the layer stories was read, not other"])
    }

    @Test("Hostile files are rejected: virtual tables, views without an end, text that is none, too many rows")
    func hostile() throws {
        func replaced(by sql: String) throws -> [UInt8] {
            try package { db in
                try db.execute(sql: "DROP TABLE rtree_stories_geom; DROP TABLE stories; \(sql)")
            }
        }
        let hostile = [
            "CREATE VIRTUAL TABLE stories USING fts5(fid, geom, title)",
            """
            CREATE VIEW stories AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
            SELECT 1 AS fid, NULL AS geom, max(x) AS title FROM n
            """,
            "CREATE VIEW stories AS SELECT 1 AS fid, NULL AS geom, load_extension('x') AS title",
            "CREATE TABLE stories (fid INTEGER PRIMARY KEY, geom BLOB, title TEXT); INSERT INTO stories VALUES (1, NULL, CAST(X'FF' AS TEXT))",
            "CREATE TABLE stories (fid INTEGER PRIMARY KEY, geom BLOB); INSERT INTO stories VALUES (1, X'4750000100000000010100')",
            "CREATE TABLE another (fid INTEGER PRIMARY KEY)",
        ]
        for sql in hostile {
            #expect(throws: GeoPackageFile.Problem.self, "\(sql)") {
                try GeoPackageFile.layer(in: try replaced(by: sql), limit: 1 << 20)
            }
        }
        #expect(throws: GeoPackageFile.Problem.self) { try GeoPackageFile.layer(in: try package(500), limit: 1_000) }
    }

    @Test("What a file's schema says of its tables may be of any type")
    func schema() throws {
        func changed(_ change: String, of name: String) throws -> [UInt8] {
            try package { db in
                try db.execute(sql: "PRAGMA writable_schema = ON")
                try db.execute(sql: "UPDATE sqlite_schema SET \(change) WHERE name = '\(name)'")
                #expect(db.changesCount == 1)
            }
        }
        // SQLite takes the digits of a page number also as bytes, and looks at no type of its own indexes.
        let page = try changed("rootpage = CAST(rootpage AS BLOB)", of: "stories")
        #expect(throws: GeoPackageFile.Problem.self) { try GeoPackageFile.layer(in: page, limit: 1 << 20) }
        let whole = try #require(try GeoPackageFile.layer(in: try package(), limit: 1 << 20))
        for type in ["NULL", "X'FF'", "7"] {
            let bytes = try changed("type = \(type)", of: "sqlite_autoindex_gpkg_contents_1")
            let layer = try GeoPackageFile.layer(in: bytes, limit: 1 << 20)
            #expect(layer?.geoJSON == whole.geoJSON)
        }
    }

    @Test("Damaged files never crash")
    func fuzz() throws {
        let whole = try package(40)
        var generator = SplitMix64(seed: 11)
        var rejected = 0
        for _ in 0..<400 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...12, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            if Bool.random(using: &generator) {
                bytes.removeLast(Int.random(in: 0..<bytes.count - 200, using: &generator))
            }
            do { _ = try GeoPackageFile.layer(in: bytes, limit: 1 << 22) } catch { rejected += 1 }
        }
        #expect(rejected > 20)
    }
}
