import Foundation
import GRDB

/// An MBTiles file (version 1.3): tiles in a database of SQLite, open for reading.
///
/// Nothing in the file is trusted: rows of wrong types are counted, and no function of SQLite that reaches beyond the
/// file can be called by its views.
public final class MBTilesFile: Sendable {
    /// A tile as it is stored.
    public struct Tile: Sendable, Equatable {
        /// The zoom.
        public let zoom: Int
        /// The column from the west.
        public let column: Int
        /// The row from the north, unlike in the file.
        public let row: Int
        /// The content; vector tiles are usually compressed.
        public let content: [UInt8]
    }

    /// The reason why a file cannot be read, for the operator: one sentence without a full stop.
    public struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
        /// The reason.
        public let description: String
    }

    /// The maximum length of a tile in bytes; longer ones are skipped.
    public static let longestTile = 8 << 20
    /// The deepest zoom that is read.
    public static let deepestZoom = 26
    /// The maximum number of rows that are read: more than all tiles to zoom 12.
    public static let mostRows = 30_000_000
    /// The maximum length of a text of the metadata in bytes; the list of layers is the longest.
    private static let longestText = 1 << 20
    private static let mostTexts = 1_000

    /// The metadata by name, such as `name`, `format`, `bounds`, `attribution` and `json`.
    public let metadata: [String: String]
    private let queue: DatabaseQueue

    /// Opens a file.
    ///
    /// - Throws: ``Problem``.
    public init(path: String) throws(Problem) {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { db in
            // Views and indexes of a stranger's file may call functions without side effects only.
            try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA cell_size_check = ON")
        }
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            metadata = try queue.read { db in
                guard
                    try MBTilesFile.hasColumns(["zoom_level", "tile_column", "tile_row", "tile_data"], in: "tiles", db)
                else { throw Problem(description: "it has no table tiles with the columns of MBTiles") }
                return try MBTilesFile.metadata(db)
            }
            self.queue = queue
        } catch {
            throw MBTilesFile.problem(error)
        }
    }

    /// Closes the file.
    ///
    /// - Throws: ``Problem``.
    public func close() throws(Problem) {
        do { try queue.close() } catch { throw MBTilesFile.problem(error) }
    }

    /// Passes every tile to `body`, zoom by zoom.
    ///
    /// - Returns: The number of rows that are no tile: with numbers out of range, without content, or too long.
    /// - Throws: ``Problem``, or any error of `body`.
    public func forEachTile(_ body: (Tile) throws -> Void) throws -> Int {
        do {
            return try queue.read { db in
                let rows = try Row.fetchCursor(
                    db,
                    sql: """
                        SELECT zoom_level, tile_column, tile_row, CASE WHEN typeof(tile_data) = 'blob'
                            AND length(tile_data) BETWEEN 1 AND ? THEN tile_data END
                        FROM tiles
                        """,
                    arguments: [MBTilesFile.longestTile]
                )
                var (count, unusable) = (0, 0)
                while let row = try rows.next() {
                    count += 1
                    guard count <= MBTilesFile.mostRows else {
                        throw Problem(description: "it has more than \(MBTilesFile.mostRows) tiles")
                    }
                    if let tile = MBTilesFile.tile(row) { try body(tile) } else { unusable += 1 }
                }
                return unusable
            }
        } catch let error as DatabaseError {
            throw MBTilesFile.problem(error)
        }
    }

    private static func tile(_ row: Row) -> Tile? {
        guard let zoom = whole(row[0]), (0...deepestZoom).contains(zoom), let column = whole(row[1]),
            let row2 = whole(row[2]), case .blob(let content) = (row[3] as DatabaseValue).storage
        else { return nil }
        let side = 0..<(1 << zoom)
        guard side.contains(column), side.contains(row2) else { return nil }
        // MBTiles counts rows from the south.
        return Tile(zoom: zoom, column: column, row: side.upperBound - 1 - row2, content: [UInt8](content))
    }

    private static func whole(_ value: DatabaseValue) -> Int? {
        switch value.storage {
        case .int64(let number): Int(number)
        case .double(let number): Int(exactly: number)
        case .null, .string, .blob: nil
        }
    }

    private static func hasColumns(_ wanted: Set<String>, in table: String, _ db: Database) throws -> Bool {
        // Not `tableExists`: it ends the program if a row of the file's schema has a wrong type.
        let sql = "SELECT name FROM pragma_table_xinfo(?) WHERE hidden <> 1"
        let names = try String.fetchAll(db, sql: sql, arguments: [table])
        return wanted.isSubset(of: names.map { $0.lowercased() })
    }

    private static func metadata(_ db: Database) throws -> [String: String] {
        guard try hasColumns(["name", "value"], in: "metadata", db) else { return [:] }
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT name, value FROM metadata
                WHERE typeof(name) = 'text' AND typeof(value) IN ('text', 'integer', 'real') AND length(value) <= ?
                LIMIT ?
                """,
            arguments: [longestText, mostTexts]
        )
        var metadata: [String: String] = [:]
        while let row = try rows.next() {
            guard let name = String.fromDatabaseValue(row[0]) else { continue }
            switch (row[1] as DatabaseValue).storage {
            case .string(let text): metadata[name] = text
            case .int64(let number): metadata[name] = String(number)
            case .double(let number): metadata[name] = String(number)
            case .null, .blob: continue
            }
        }
        return metadata
    }

    private static func problem(_ error: any Error) -> Problem {
        if let problem = error as? Problem { return problem }
        guard let error = error as? DatabaseError else { return Problem(description: "it cannot be read") }
        switch error.resultCode {
        case .SQLITE_NOTADB: return Problem(description: "it is not an MBTiles file")
        case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH:
            return Problem(description: "it cannot be opened; check its permissions")
        case .SQLITE_BUSY, .SQLITE_LOCKED: return Problem(description: "another program is writing it; try again later")
        case .SQLITE_NOMEM, .SQLITE_TOOBIG: return Problem(description: "it needs too much memory")
        default: return Problem(description: "it is damaged")
        }
    }
}
