import Foundation
import GRDB
import Storage
import Testing

@Suite("MBTiles")
struct MBTilesTests {
    private static func path() -> String {
        FileManager.default.temporaryDirectory.appending(path: "tiles-\(UUID().uuidString).mbtiles").path
    }

    /// Makes a file by SQL and passes its path to `body`.
    private static func withFile(_ sql: String, _ body: (String) throws -> Void) throws {
        let path = path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
        try body(path)
    }

    private static let tables = """
        CREATE TABLE metadata (name TEXT, value TEXT);
        CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB);
        """

    private static func tiles(_ path: String) throws -> (tiles: [MBTilesFile.Tile], unusable: Int) {
        let file = try MBTilesFile(path: path)
        defer { try? file.close() }
        var tiles: [MBTilesFile.Tile] = []
        let unusable = try file.forEachTile { tiles.append($0) }
        return (tiles, unusable)
    }

    @Test("Tiles are read with their rows counted from the north, and the metadata by name")
    func reading() throws {
        let sql =
            MBTilesTests.tables + """
                INSERT INTO metadata VALUES ('name', 'Harlem 1911'), ('bounds', '-74,40,-73,41'), ('minzoom', 3);
                INSERT INTO tiles VALUES (3, 2, 0, x'0102'), (0, 0, 0, x'FF');
                """
        try MBTilesTests.withFile(sql) { path in
            let file = try MBTilesFile(path: path)
            #expect(file.metadata == ["name": "Harlem 1911", "bounds": "-74,40,-73,41", "minzoom": "3"])
            try file.close()
            let found = try MBTilesTests.tiles(path)
            #expect(found.unusable == 0)
            #expect(found.tiles.map { [$0.zoom, $0.column, $0.row] } == [[3, 2, 7], [0, 0, 0]])
            #expect(found.tiles.map(\.content) == [[1, 2], [255]])
        }
    }

    @Test("Tiles may come from a view, as programs make them that store equal tiles once")
    func view() throws {
        let sql = """
            CREATE TABLE map (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_id TEXT);
            CREATE TABLE images (tile_id TEXT, tile_data BLOB);
            CREATE VIEW tiles AS
                SELECT zoom_level, tile_column, tile_row, tile_data FROM map JOIN images USING (tile_id);
            INSERT INTO map VALUES (1, 0, 0, 'a'), (1, 1, 1, 'a');
            INSERT INTO images VALUES ('a', x'07');
            """
        try MBTilesTests.withFile(sql) { path in
            let tiles = try MBTilesTests.tiles(path).tiles
            #expect(tiles.map { [$0.column, $0.row] } == [[0, 1], [1, 0]])
        }
    }

    @Test(
        "Rows that are no tile are counted and skipped",
        arguments: [
            "(1, 2, 0, x'01')", "(1, 0, -1, x'01')", "(-1, 0, 0, x'01')", "(99, 0, 0, x'01')",
            "(9223372036854775807, 0, 0, x'01')", "(NULL, 0, 0, x'01')", "('north', 0, 0, x'01')",
            "(1e300, 0, 0, x'01')",
            "(1, 0.5, 0, x'01')", "(1, 0, 0, 'text')", "(1, 0, 0, NULL)", "(1, 0, 0, 5)", "(1, 0, 0, x'')",
            "(1, 0, 0, zeroblob(9000000))",
        ]
    )
    func unusable(row: String) throws {
        try MBTilesTests.withFile(MBTilesTests.tables + "INSERT INTO tiles VALUES (0, 0, 0, x'01'), \(row);") { path in
            let found = try MBTilesTests.tiles(path)
            #expect(found.tiles.count == 1 && found.unusable == 1)
        }
    }

    @Test(
        "Metadata of wrong types or without end is left out",
        arguments: [
            "INSERT INTO metadata VALUES (1, 'x'), ('y', x'00'), (NULL, NULL), ('z', zeroblob(50));",
            "INSERT INTO metadata VALUES ('json', printf('%.*c', 3000000, 'x'));", "DROP TABLE metadata;",
        ]
    )
    func metadata(sql: String) throws {
        try MBTilesTests.withFile(MBTilesTests.tables + sql) { path in
            let metadata = try MBTilesFile(path: path).metadata
            #expect(metadata.values.allSatisfy { $0.utf8.count < 100 })
        }
    }

    @Test("What a file's schema says of its tables may be of any type", arguments: ["NULL", "X'FF'", "7"])
    func schema(type: String) throws {
        let sql = """
            CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB,
                UNIQUE (zoom_level, tile_column, tile_row));
            INSERT INTO tiles VALUES (0, 0, 0, x'01');
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET type = \(type) WHERE name = 'sqlite_autoindex_tiles_1';
            """
        try MBTilesTests.withFile(sql) { path in
            let found = try MBTilesTests.tiles(path)
            #expect(found.tiles.count == 1 && found.unusable == 0)
        }
    }

    @Test("Files that are no MBTiles are refused with the reason")
    func refused() throws {
        let text = MBTilesTests.path()
        defer { try? FileManager.default.removeItem(atPath: text) }
        try Data(String(repeating: "These are no tiles. ", count: 100).utf8).write(to: URL(fileURLWithPath: text))
        let problem = #expect(throws: MBTilesFile.Problem.self) { try MBTilesFile(path: text) }
        #expect(problem?.description == "it is not an MBTiles file")
        #expect(throws: MBTilesFile.Problem.self) { try MBTilesFile(path: MBTilesTests.path()) }
        for sql in ["CREATE TABLE other (a);", "CREATE TABLE tiles (zoom_level, tile_column, tile_row);"] {
            try MBTilesTests.withFile(sql) { path in
                #expect(throws: MBTilesFile.Problem.self) { try MBTilesFile(path: path) }
            }
        }
    }

    @Test("A file cut off in the middle is damaged, not a trap")
    func cutOff() throws {
        let rows = (0..<200).map { "(8, \($0), 0, zeroblob(2000))" }.joined(separator: ", ")
        try MBTilesTests.withFile(MBTilesTests.tables + "INSERT INTO tiles VALUES \(rows);") { path in
            let whole = try Data(contentsOf: URL(fileURLWithPath: path))
            for length in [whole.count / 2, whole.count - 4_096, 5_000, 100, 0] {
                try whole.prefix(length).write(to: URL(fileURLWithPath: path))
                #expect(throws: MBTilesFile.Problem.self) { _ = try MBTilesTests.tiles(path) }
            }
        }
    }
}
