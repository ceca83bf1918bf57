import Foundation
import GRDB

/// Writes vector tiles as an MBTiles file (version 1.3).
///
/// The file must not be read before ``finish(metadata:)``; write it beside its place.
public final class MBTilesWriter {
    private let queue: DatabaseQueue
    private var waiting: [MBTilesFile.Tile] = []

    /// The number of tiles that are written at once.
    private static let piece = 500

    /// Creates the file, which must not exist.
    ///
    /// - Throws: an error of SQLite.
    public init(path: String) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        }
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write { db in
            // "MPBX", as the specification says.
            try db.execute(
                sql: """
                    PRAGMA application_id = 0x4d504258;
                    CREATE TABLE metadata (name TEXT, value TEXT);
                    CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB);
                    CREATE UNIQUE INDEX tile_index ON tiles (zoom_level, tile_column, tile_row);
                    """
            )
        }
    }

    /// Adds a tile, its row counted from the north and its content compressed with gzip; each address once.
    ///
    /// - Throws: an error of SQLite.
    public func add(zoom: Int, column: Int, row: Int, content: [UInt8]) throws {
        waiting.append(MBTilesFile.Tile(zoom: zoom, column: column, row: row, content: content))
        if waiting.count == MBTilesWriter.piece { try flush() }
    }

    /// Completes and closes the file.
    ///
    /// - Throws: an error of SQLite.
    public func finish(metadata: [(name: String, value: String)]) throws {
        try flush()
        try queue.write { db in
            for (name, value) in metadata {
                try db.execute(sql: "INSERT INTO metadata VALUES (?, ?)", arguments: [name, value])
            }
        }
        try queue.close()
    }

    private func flush() throws {
        let tiles = waiting
        waiting.removeAll(keepingCapacity: true)
        try queue.write { db in
            let insertion = try db.cachedStatement(sql: "INSERT INTO tiles VALUES (?, ?, ?, ?)")
            for tile in tiles {
                // MBTiles counts rows from the south.
                let row = (1 << tile.zoom) - 1 - tile.row
                try insertion.execute(arguments: [tile.zoom, tile.column, row, Data(tile.content)])
            }
        }
    }
}

@available(*, unavailable)
extension MBTilesWriter: Sendable {}
