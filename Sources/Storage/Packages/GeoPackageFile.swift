import Formats
import Foundation
import GRDB
import GRDBSQLite

/// Reads the first layer of a GeoPackage (OGC 12-128r17) as GeoJSON.
///
/// Nothing in the file is trusted: it is read from memory, only with statements of ours, without functions that have side
/// effects, without virtual tables, and with a bound on the work that its views can cause.
public enum GeoPackageFile: Sendable {
    /// The reason why a file cannot be read, for people: one sentence without a full stop.
    public struct Problem: Error, Sendable, Equatable {
        /// The reason.
        public let reason: String
    }

    /// A layer as GeoJSON.
    public struct Layer: Sendable {
        /// A FeatureCollection; its `crs` names the reference system, unless it is WGS 84.
        public let geoJSON: [UInt8]
        /// What was not read, each without a full stop.
        public let remarks: [String]
    }

    private static let magic = Array("SQLite format 3\u{0}".utf8)
    /// The maximum length of a value in bytes.
    private static let longestValue: Int32 = 64 << 20
    private static let mostColumns = 1_000

    /// Reads the first layer of features, or of attributes if there is none; `nil` if the bytes are no GeoPackage.
    ///
    /// The GeoJSON has at most `limit` bytes.
    /// - Throws: ``Problem``.
    /// - Complexity: O(bytes).
    public static func layer(in bytes: [UInt8], limit: Int) throws(Problem) -> Layer? {
        guard bytes.starts(with: magic), bytes.count >= 100 else { return nil }
        var bytes = bytes
        // A database that was written with a log; what is still in the log is not in these bytes.
        if bytes[18] == 2 { (bytes[18], bytes[19]) = (1, 1) }
        do {
            return try read(bytes, limit: limit)
        } catch let problem as Problem {
            throw problem
        } catch let error as DatabaseError {
            throw Problem(reason: reason(error))
        } catch {
            throw Problem(reason: "the GeoPackage cannot be read")
        }
    }

    private static func reason(_ error: DatabaseError) -> String {
        switch error.resultCode {
        case .SQLITE_NOMEM, .SQLITE_TOOBIG: "the GeoPackage needs too much memory"
        case .SQLITE_INTERRUPT: "the layer of the GeoPackage is a view that takes too long; save it as a table"
        default:
            "the GeoPackage is damaged, or needs functions that are not available here; open it with QGIS and save it again"
        }
    }

    private static func read(_ bytes: [UInt8], limit: Int) throws -> Layer? {
        try bytes.withUnsafeBufferPointer { buffer in
            let queue = try DatabaseQueue()
            defer { try? queue.close() }
            return try queue.inDatabase { db in
                try attach(buffer, to: db)
                // Ten million steps and ten for each byte: a table takes less than one.
                let budget = WorkBudget(steps: 1_000 + buffer.count / 1_000)
                return try budget.limit(db) {
                    // Not `tableExists`: it ends the program if a row of the file's schema has a wrong type.
                    let sql = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND lower(name) = 'gpkg_contents'"
                    guard try Int.fetchOne(db, sql: sql) != nil else { return nil }
                    return try GeoPackageLayers(db).first(limit: limit)
                }
            }
        }
    }

    private static func attach(_ buffer: UnsafeBufferPointer<UInt8>, to db: Database) throws {
        try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
        let connection = db.sqliteConnection
        _ = sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, longestValue)
        _ = sqlite3_limit(connection, SQLITE_LIMIT_COLUMN, Int32(mostColumns))
        _ = sqlite3_limit(connection, SQLITE_LIMIT_EXPR_DEPTH, 100)
        _ = sqlite3_limit(connection, SQLITE_LIMIT_COMPOUND_SELECT, 50)
        // The database is opened for reading alone, so SQLite never writes to the bytes.
        let start = UnsafeMutablePointer(mutating: buffer.baseAddress)
        let length = Int64(buffer.count)
        let flags = UInt32(SQLITE_DESERIALIZE_READONLY)
        let code = sqlite3_deserialize(connection, "main", start, length, length, flags)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        db.clearSchemaCache()
        try db.execute(sql: "PRAGMA query_only = ON")
    }
}

/// Interrupts SQLite after some steps, so that a view without an end does not run for ever.
private final class WorkBudget {
    private var left: Int
    private static let piece: Int32 = 10_000

    init(steps: Int) { left = steps }

    func limit<Value>(_ db: Database, _ body: () throws -> Value) throws -> Value {
        let connection = db.sqliteConnection
        sqlite3_progress_handler(
            connection,
            WorkBudget.piece,
            { context in
                guard let context else { return 0 }
                let budget = Unmanaged<WorkBudget>.fromOpaque(context).takeUnretainedValue()
                budget.left -= 1
                return budget.left > 0 ? 0 : 1
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
        defer { sqlite3_progress_handler(connection, 0, nil, nil) }
        return try withExtendedLifetime(self) { try body() }
    }
}

@available(*, unavailable)
extension WorkBudget: Sendable {}
