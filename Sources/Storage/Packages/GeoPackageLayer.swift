import GRDB

/// A layer of a GeoPackage that is being written; see ``GeoPackageWriter/addLayer(_:of:columns:)``.
public final class GeoPackageLayer {
    /// A column besides the geometry.
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

    /// The kinds of geometries that a layer can have.
    public enum Geometry: String, Sendable {
        /// Points alone.
        case point = "POINT"
        /// Points, lines and areas, also several of one of them.
        case any = "GEOMETRY"
    }

    /// What a layer is made of.
    struct Table {
        let name: String
        let geometry: Geometry
        let columns: [Column]
    }

    private struct Row {
        let shape: GeoPackageShape?
        let values: [Value]
    }

    private let queue: DatabaseQueue
    private let table: Table
    private let system: Int
    private var waiting: [Row] = []
    private var count: Int64 = 0
    private var box: GeoPackageShape.Box?

    /// The number of rows that are written at once.
    private static let piece = 1_000

    /// Creates the table with its spatial index.
    init(_ table: Table, in queue: DatabaseQueue, system: Int) throws {
        (self.table, self.queue, self.system) = (table, queue, system)
        let (name, fields) = (table.name, table.columns.map { ", \"\($0.name)\" \($0.type)" }.joined())
        let geometry = table.geometry.rawValue
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE \(name) (fid INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, geom \(geometry)\(fields));
                    CREATE VIRTUAL TABLE rtree_\(name)_geom USING rtree(id, minx, maxx, miny, maxy);
                    INSERT INTO gpkg_extensions VALUES ('\(name)', 'geom', 'gpkg_rtree_index',
                        'http://www.geopackage.org/spec120/#extension_rtree', 'write-only');
                    """
            )
        }
    }

    /// Adds a row; the values are those of the columns in their order.
    ///
    /// - Throws: an error of SQLite.
    public func add(_ shape: GeoPackageShape?, values: [Value]) throws {
        waiting.append(Row(shape: shape, values: values))
        if waiting.count == GeoPackageLayer.piece { try flush() }
    }

    /// Writes what waits, and what the file says of the layer.
    func finish(lastChange: String) throws {
        try flush()
        let name = table.name
        try queue.write { db in
            try db.execute(
                sql: "INSERT INTO gpkg_contents VALUES (?, 'features', ?, '', ?, ?, ?, ?, ?, ?)",
                arguments: [name, name, lastChange, box?.west, box?.south, box?.east, box?.north, system]
            )
            try db.execute(
                sql: "INSERT INTO gpkg_geometry_columns VALUES (?, 'geom', ?, ?, 0, 0)",
                arguments: [name, table.geometry.rawValue, system]
            )
            try db.execute(sql: "INSERT INTO gpkg_ogr_contents VALUES (?, ?)", arguments: [name, count])
            // They need functions that only programs for maps have, so they come after the rows.
            try db.execute(sql: GeoPackageTables.triggers(table: name, geometry: "geom", key: "fid"))
        }
    }

    private var insertion: String {
        let names = table.columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
        let marks = [String](repeating: "?", count: table.columns.count + 2).joined(separator: ", ")
        return "INSERT INTO \(table.name) (fid, geom, \(names)) VALUES (\(marks))"
    }

    private func flush() throws {
        let rows = waiting
        waiting.removeAll(keepingCapacity: true)
        guard !rows.isEmpty else { return }
        try queue.write { db in
            let row = try db.cachedStatement(sql: insertion)
            let index = try db.cachedStatement(sql: "INSERT INTO rtree_\(table.name)_geom VALUES (?, ?, ?, ?, ?)")
            for next in rows {
                count += 1
                let blob = next.shape.map { GeoPackageGeometry.bytes(of: $0, system: Int32(clamping: system)) }
                let values: [DatabaseValue] =
                    [count.databaseValue, blob?.databaseValue ?? .null] + next.values.map(GeoPackageLayer.stored)
                try row.execute(arguments: StatementArguments(values))
                guard let around = next.shape?.box else { continue }
                try index.execute(arguments: [count, around.west, around.east, around.south, around.north])
                box = box?.joined(with: around) ?? around
            }
        }
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
extension GeoPackageLayer: Sendable {}
