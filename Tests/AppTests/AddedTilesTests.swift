import Basemap
import Library
import Formats
import Foundation
import GRDB
import Logging
import TestSupport
import Testing

@Suite("Tiles that an operator adds")
struct AddedTilesTests {
    /// A database's folder with an MBTiles file of one image.
    private final class Scene {
        let folder: URL
        var database: String { folder.appending(path: "waymark.db").path }
        var added: AddedTiles { AddedTiles(beside: database) }

        init() throws {
            folder = FileManager.default.temporaryDirectory.appending(path: "added-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        /// Writes a file of one image that ends with `mark`.
        func image(_ mark: UInt8) throws -> String {
            let path = folder.appending(path: "old-\(mark).mbtiles").path
            let queue = try DatabaseQueue(path: path)
            try queue.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE metadata (name, value);
                        CREATE TABLE tiles (zoom_level, tile_column, tile_row, tile_data);
                        INSERT INTO metadata VALUES ('attribution', '<a href="x">A &amp; B</a>'),
                            ('bounds', '1,2,3,nan');
                        """
                )
                let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, mark])
                try db.execute(sql: "INSERT INTO tiles VALUES (2, 1, 0, ?)", arguments: [png])
            }
            try queue.close()
            return path
        }

        func add(_ path: String, name: String?) throws {
            _ = try TilesAddition(to: added) { _ in }.add(path, name: name, attribution: nil)
        }
    }

    @Test("MAP-13 A running service notices tiles that are added, replaced and removed, and keeps those that stay")
    func noticed() async throws {
        let scene = try Scene()
        let basemaps = Basemaps()
        let watch = AddedTilesWatch(basemaps: basemaps, added: scene.added, logger: Logger(label: "test"))
        var seen = try await watch.look(after: [])
        #expect(basemaps.all.isEmpty)
        try scene.add(scene.image(1), name: "one")
        try scene.add(scene.image(2), name: nil)
        seen = try await watch.look(after: seen)
        #expect(basemaps.all.map(\.name) == ["old-2", "one"])
        let first = try #require(basemaps.named("one"))
        #expect(first.attribution == "A & B")
        // The box of the file is none.
        #expect(first.archive.bounds[0] == -180)
        try scene.add(scene.image(3), name: "one")
        try scene.added.remove("old-2")
        seen = try await watch.look(after: seen)
        #expect(basemaps.all.map(\.name) == ["one"])
        #expect(basemaps.named("one")?.version != first.version)
        try Data("no tiles".utf8).write(to: scene.added.file("one"))
        seen = try await watch.look(after: seen)
        #expect(basemaps.all.isEmpty)
    }

    @Test(
        "Names that would leave the folder, hide a file or take a bundled basemap's place are rejected",
        arguments: [
            "", "land", "names", "..", "../x", "a/b", ".x", "-x", "Ab", "ä", "a b", String(repeating: "a", count: 41),
        ]
    )
    func names(name: String) throws {
        #expect(!AddedTiles.isName(name))
        let scene = try Scene()
        #expect(throws: BasemapFiles.Failure.self) { try scene.add(scene.image(1), name: name) }
        #expect(throws: BasemapFiles.Failure.self) { try scene.added.remove(name) }
        #expect(!FileManager.default.fileExists(atPath: scene.added.folder.path))
    }

    @Test("A file that cannot be read leaves the tiles of that name as they were, and nothing else behind")
    func failed() throws {
        let scene = try Scene()
        try scene.add(scene.image(1), name: "one")
        let before = scene.added.versions().map(\.version)
        for ending in ["mbtiles", "pmtiles", "osm.pbf", "osm", "txt"] {
            let path = scene.folder.appending(path: "text.\(ending)").path
            try Data("no tiles".utf8).write(to: URL(fileURLWithPath: path))
            #expect(throws: BasemapFiles.Failure.self) { try scene.add(path, name: "one") }
        }
        #expect(scene.added.versions().map(\.version) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scene.added.folder.path) == ["one.pmtiles"])
    }
}
