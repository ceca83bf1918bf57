import Formats
import GRDB
import GRDBSQLite

/// The layers of an open GeoPackage.
struct GeoPackageLayers {
    private typealias Problem = GeoPackageFile.Problem

    private struct Contents {
        let table: String
        let isSpatial: Bool

        /// Whether it is the layer of further places of our own exports.
        var holdsPlaces: Bool { table == "story_places" }
    }

    private struct Column {
        let name: String
        let type: String
        let isKey: Bool
    }

    /// The layer of stories of our own exports.
    private static let stories = "stories"

    private let db: Database
    private let layers: [Contents]

    init(_ db: Database) throws {
        self.db = db
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT table_name, data_type FROM gpkg_contents
                WHERE typeof(table_name) = 'text' AND data_type IN ('features', 'attributes')
                ORDER BY data_type = 'attributes', rowid LIMIT 1000
                """
        )
        let found = rows.map { Contents(table: $0["table_name"], isSpatial: $0["data_type"] == "features") }
        // Programs may write the layers of our own exports in any order.
        let isOurs = found.contains { $0.table == GeoPackageLayers.stories }
        layers = isOurs ? found.filter { !$0.holdsPlaces } + found.filter(\.holdsPlaces) : found
    }

    /// Returns the first layer as GeoJSON.
    func first(limit: Int) throws -> GeoPackageFile.Layer? {
        guard let layer = layers.first else {
            throw Problem(reason: "the GeoPackage has no layer of features or attributes")
        }
        try checkPlain(layer.table)
        let geometry = layer.isSpatial ? try geometryColumn(of: layer.table) : nil
        let columns = try Row.fetchAll(db, sql: "PRAGMA table_info(\(quoted(layer.table)))")
            .map {
                Column(
                    name: $0["name"],
                    type: ($0["type"] as String? ?? "").uppercased(),
                    isKey: ($0["pk"] as Int? ?? 0) > 0
                )
            }
        var rows = LayerRows(columns: columns.map { ($0.name, kind(of: $0, geometry?.name)) }, limit: limit)
        let system = try geometry.flatMap { try self.system($0.system) }
        let bytes = try rows.read("SELECT * FROM \(quoted(layer.table))", db, system: system)
        // Our own exports have the further places in a column as well, and that one is read.
        let hasPlaces = layer.table == GeoPackageLayers.stories && columns.contains { $0.name == "places" }
        var remarks = remarks(layer, unread: layers.dropFirst().filter { !hasPlaces || !$0.holdsPlaces })
        if rows.binaries > 0 { remarks.append("binary values were not read (values: \(rows.binaries))") }
        return GeoPackageFile.Layer(geoJSON: bytes, remarks: remarks)
    }

    private func remarks(_ layer: Contents, unread: [Contents]) -> [String] {
        guard !unread.isEmpty else { return [] }
        let names = unread.prefix(5).map { String($0.table.prefix(40)) }.joined(separator: ", ")
        let more = unread.count > 5 ? " and \(unread.count - 5) more" : ""
        return ["only the layer \(layer.table.prefix(40)) was read, not \(names)\(more)"]
    }

    private func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

    /// Checks that a layer is a table or a view: a virtual table runs code that its file chooses.
    private func checkPlain(_ table: String) throws {
        let found = try Row.fetchOne(
            db,
            sql: "SELECT type, rootpage FROM sqlite_schema WHERE lower(name) = lower(?) AND type IN ('table', 'view')",
            arguments: [table]
        )
        // SQLite also takes a page number that is stored as bytes.
        let page = found.flatMap { Int.fromDatabaseValue($0["rootpage"]) } ?? 0
        let isPlain = page > 0 || found.map { $0["type"] == "view" } ?? false
        guard isPlain, !table.utf8.contains(0) else {
            throw Problem(reason: "the layer \(table.prefix(40)) of the GeoPackage is not a table")
        }
    }

    private func geometryColumn(of table: String) throws -> (name: String, system: Int)? {
        let sql = "SELECT column_name, srs_id FROM gpkg_geometry_columns WHERE lower(table_name) = lower(?)"
        guard let row = try Row.fetchOne(db, sql: sql, arguments: [table]),
            let name = String.fromDatabaseValue(row[0]), let system = Int.fromDatabaseValue(row[1])
        else { throw Problem(reason: "the GeoPackage does not say which column has the geometries") }
        return (name, system)
    }

    /// Returns the name of a reference system; `nil` for WGS 84, and for none.
    private func system(_ id: Int) throws -> String? {
        guard id > 0, id != 4326 else { return nil }
        let sql = "SELECT organization, organization_coordsys_id, definition FROM gpkg_spatial_ref_sys WHERE srs_id = ?"
        guard let row = try Row.fetchOne(db, sql: sql, arguments: [id]) else {
            throw Problem(reason: "the GeoPackage does not define its reference system \(id); give --crs")
        }
        let organization = (String.fromDatabaseValue(row[0]) ?? "").uppercased()
        if organization == "EPSG" || organization == "ESRI", let code = Int.fromDatabaseValue(row[1]) {
            return code == 4326 ? nil : "\(organization):\(code)"
        }
        return String.fromDatabaseValue(row[2])
    }

    private func kind(of column: Column, _ geometry: String?) -> LayerRows.Kind {
        if column.name.lowercased() == geometry?.lowercased() { return .geometry }
        // The key of the table numbers its rows and means nothing elsewhere.
        if column.isKey, column.type == "INTEGER" { return .ignored }
        return column.type == "BOOLEAN" ? .flag : .value
    }
}

/// Writes rows as features.
struct LayerRows {
    /// What a column is.
    enum Kind { case geometry, flag, value, ignored }

    private let columns: [(name: String, kind: Kind)]
    private let limit: Int
    /// The number of binary values that were not written.
    private(set) var binaries = 0

    init(columns: [(name: String, kind: Kind)], limit: Int) { (self.columns, self.limit) = (columns, limit) }

    /// Returns the rows of a statement as a FeatureCollection.
    mutating func read(_ sql: String, _ db: Database, system: String?) throws -> [UInt8] {
        var json = JSONWriter(capacity: 1 << 16)
        json.beginFeatureCollection(system: system)
        let statement = try db.makeStatement(sql: sql)
        let pointer = statement.sqliteStatement
        defer { sqlite3_reset(pointer) }
        guard sqlite3_column_count(pointer) == Int32(columns.count) else {
            throw GeoPackageFile.Problem(reason: "the layer of the GeoPackage has other columns than it says")
        }
        var row = 0
        while true {
            let code = sqlite3_step(pointer)
            guard code == SQLITE_ROW else {
                guard code == SQLITE_DONE else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
                break
            }
            row += 1
            try write(pointer, row: row, to: &json)
            guard json.bytes.count <= limit else {
                throw GeoPackageFile.Problem(reason: "the layer of the GeoPackage has too many rows; split it")
            }
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    private mutating func write(_ pointer: SQLiteStatement, row: Int, to json: inout JSONWriter) throws {
        json.beginObject()
        json.member("type", "Feature")
        json.key("geometry")
        let geometry = columns.firstIndex { $0.kind == .geometry }
        try writeGeometry(geometry.flatMap { blob(pointer, Int32($0)) }, row: row, to: &json)
        json.key("properties")
        json.beginObject()
        for (index, column) in columns.enumerated() where column.kind == .value || column.kind == .flag {
            try write(pointer, Int32(index), column, row: row, to: &json)
        }
        json.endObject()
        json.endObject()
    }

    private func writeGeometry(_ bytes: [UInt8]?, row: Int, to json: inout JSONWriter) throws {
        guard let bytes, let binary = GeoPackageGeometry.wellKnownBinary(bytes) else { return json.null() }
        do throws(WellKnownBinary.Failure) {
            try WellKnownBinary.write(binary, to: &json)
        } catch {
            if GeoPackageGeometry.isMarkedEmpty(bytes) { return json.null() }
            throw GeoPackageFile.Problem(reason: "row \(row) of the GeoPackage: \(error.reason)")
        }
    }

    private func blob(_ pointer: SQLiteStatement, _ column: Int32) -> [UInt8]? {
        guard sqlite3_column_type(pointer, column) == SQLITE_BLOB, let start = sqlite3_column_blob(pointer, column)
        else {
            return nil
        }
        let count = Int(sqlite3_column_bytes(pointer, column))
        return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    private mutating func write(
        _ pointer: SQLiteStatement,
        _ index: Int32,
        _ column: (name: String, kind: Kind),
        row: Int,
        to json: inout JSONWriter
    ) throws {
        switch sqlite3_column_type(pointer, index) {
        case SQLITE_INTEGER:
            let number = sqlite3_column_int64(pointer, index)
            json.key(column.name)
            if column.kind == .flag, number == 0 || number == 1 {
                json.value(number == 1)
            } else if number.magnitude > 1 << 53 {
                // Readers of JSON would round it.
                json.value(String(number))
            } else {
                json.value(Int(number))
            }
        case SQLITE_FLOAT:
            json.key(column.name)
            json.value(sqlite3_column_double(pointer, index))
        case SQLITE_TEXT:
            guard let start = sqlite3_column_text(pointer, index) else { return }
            let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(pointer, index)))
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw GeoPackageFile.Problem(
                    reason: "row \(row) of the GeoPackage has text in \(column.name.prefix(40)) that is not UTF-8"
                )
            }
            json.key(column.name)
            json.value(text)
        case SQLITE_BLOB: binaries += 1
        default: break
        }
    }
}
