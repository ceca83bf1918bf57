import GRDB

/// Writes one layer of points as a GeoPackage 1.3 with a spatial index, through SQLite itself.
///
/// The same rows give the same bytes. The file must not be read before ``finish(lastChange:)``: nothing is kept safe from a
/// crash until then, so write it beside its place.
public final class GeoPackageWriter {
    /// A column of the layer.
    public struct Column: Hashable, Sendable {
        /// The name: lower-case letters, digits and underscores.
        public let name: String
        /// The type as GeoPackage calls it: TEXT, INTEGER (64 bits), DOUBLE, BOOLEAN, DATE or DATETIME.
        public let type: String

        /// Creates a column.
        public init(name: String, type: String) { (self.name, self.type) = (name, type) }
    }

    /// A value of a column.
    public enum Value: Hashable, Sendable {
        /// No value.
        case none
        /// A text, also of dates and times.
        case text(String)
        /// A whole number, also of flags.
        case whole(Int64)
        /// A number.
        case number(Double)
    }

    private struct Row {
        let point: (x: Double, y: Double)?
        let values: [Value]
    }

    private let queue: DatabaseQueue
    private let table: String
    private let system: GeoPackageSystem
    private let insertion: String
    private var waiting: [Row] = []
    private var count: Int64 = 0
    private var box: (west: Double, south: Double, east: Double, north: Double)?

    /// The number of rows that are written at once.
    private static let piece = 1_000

    /// Creates the file, which must not exist; `table` names the layer in lower-case letters, digits and underscores.
    ///
    /// - Throws: an error of SQLite.
    public init(path: String, table: String, columns: [Column], system: GeoPackageSystem) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            // Until it is complete nobody reads the file, and after a crash it is written anew.
            try db.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        }
        queue = try DatabaseQueue(path: path, configuration: configuration)
        self.table = table
        self.system = system
        let names = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
        let marks = [String](repeating: "?", count: columns.count + 2).joined(separator: ", ")
        insertion = "INSERT INTO \(table) (fid, geom, \(names)) VALUES (\(marks))"
        let fields = columns.map { ", \"\($0.name)\" \($0.type)" }.joined()
        try queue.write { db in
            try db.execute(sql: GeoPackageTables.header)
            try db.execute(sql: GeoPackageTables.definitions)
            for system in Set([GeoPackageSystem.wgs84, system]).sorted(by: { $0.code < $1.code }) {
                try db.execute(
                    sql: "INSERT OR IGNORE INTO gpkg_spatial_ref_sys VALUES (?, ?, ?, ?, ?, NULL)",
                    arguments: [system.title, system.code, system.organization, system.code, system.definition]
                )
            }
            try db.execute(
                sql: """
                    CREATE TABLE \(table) (fid INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, geom POINT\(fields));
                    CREATE VIRTUAL TABLE rtree_\(table)_geom USING rtree(id, minx, maxx, miny, maxy);
                    INSERT INTO gpkg_extensions VALUES ('\(table)', 'geom', 'gpkg_rtree_index',
                        'http://www.geopackage.org/spec120/#extension_rtree', 'write-only');
                    """
            )
        }
    }

    /// Adds a row; the values are those of the columns in their order.
    ///
    /// - Throws: an error of SQLite.
    public func add(point: (x: Double, y: Double)?, values: [Value]) throws {
        waiting.append(Row(point: point, values: values))
        if waiting.count == GeoPackageWriter.piece { try flush() }
    }

    /// Completes and closes the file.
    ///
    /// `lastChange` is the time of the last change, in ISO 8601 with milliseconds and Z.
    /// - Throws: an error of SQLite.
    public func finish(lastChange: String) throws {
        try flush()
        try queue.write { db in
            try db.execute(
                sql: "INSERT INTO gpkg_contents VALUES (?, 'features', ?, '', ?, ?, ?, ?, ?, ?)",
                arguments: [table, table, lastChange, box?.west, box?.south, box?.east, box?.north, system.code]
            )
            try db.execute(
                sql: "INSERT INTO gpkg_geometry_columns VALUES (?, 'geom', 'POINT', ?, 0, 0)",
                arguments: [table, system.code]
            )
            try db.execute(sql: "INSERT INTO gpkg_ogr_contents VALUES (?, ?)", arguments: [table, count])
            // They need functions that only programs for maps have, so they come after the rows.
            try db.execute(sql: GeoPackageTables.triggers(table: table, geometry: "geom", key: "fid"))
        }
        try queue.close()
    }

    private func flush() throws {
        let rows = waiting
        waiting.removeAll(keepingCapacity: true)
        try queue.write { db in
            let row = try db.cachedStatement(sql: insertion)
            let index = try db.cachedStatement(sql: "INSERT INTO rtree_\(table)_geom VALUES (?, ?, ?, ?, ?)")
            for next in rows {
                count += 1
                let blob = next.point.map {
                    GeoPackageGeometry.point(x: $0.x, y: $0.y, system: Int32(clamping: system.code))
                }
                let values: [DatabaseValue] =
                    [count.databaseValue, blob?.databaseValue ?? .null] + next.values.map(GeoPackageWriter.stored)
                try row.execute(arguments: StatementArguments(values))
                if let (x, y) = next.point {
                    try index.execute(arguments: [count, x, x, y, y])
                    extend(to: x, y)
                }
            }
        }
    }

    private func extend(to x: Double, _ y: Double) {
        guard let old = box else {
            box = (x, y, x, y)
            return
        }
        box = (min(old.west, x), min(old.south, y), max(old.east, x), max(old.north, y))
    }

    private static func stored(_ value: Value) -> DatabaseValue {
        switch value {
        case .none: .null
        case .text(let text): text.databaseValue
        case .whole(let number): number.databaseValue
        case .number(let number): number.databaseValue
        }
    }
}

@available(*, unavailable)
extension GeoPackageWriter: Sendable {}
