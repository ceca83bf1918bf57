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
        let writer = try GeoPackageWriter(
            path: path,
            table: "stories",
            columns: [
                .init(name: "title", type: "TEXT"), .init(name: "made", type: "INTEGER"),
                .init(name: "on", type: "BOOLEAN"),
            ],
            system: .wgs84
        )
        for row in 0..<rows {
            let point: (x: Double, y: Double)? = row == 1 ? nil : (Double(row), 50.5)
            try writer.add(point: point, values: [.text("Ünï \(row)"), .whole(1_700_000_000_000), .whole(1)])
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
