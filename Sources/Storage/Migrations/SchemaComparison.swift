package import GRDB

/// The schema of a file, compared object by object with the one that this version's migrations make.
///
/// Tables, indexes and triggers that SpatiaLite makes for itself differ between its versions. Of those, only the absence
/// of a table or a trigger is reported.
package struct SchemaComparison: Hashable, Sendable {
    /// Objects that should exist and do not, as "table stories", sorted.
    package let missing: [String]
    /// Objects whose definition differs from ours, sorted.
    package let changed: [String]
    /// Tables, indexes, views and triggers that neither we nor SpatiaLite make, sorted; other programs, such as QGIS, add
    /// tables of their own.
    package let added: [String]

    /// Whether everything that this version needs is there as it should be.
    package var isSound: Bool { missing.isEmpty && changed.isEmpty }

    /// The names among ``added`` that run code when rows of ours change: triggers and views.
    package var addedCode: [String] { added.filter { $0.hasPrefix("trigger ") || $0.hasPrefix("view ") } }

    /// Compares the schema of an open database that has all migrations of this version.
    ///
    /// - Throws: `DatabaseError` if the schema cannot be read; ``StoreError`` if SpatiaLite fails.
    /// - Complexity: it makes an empty database in memory first, which takes some tenths of a second.
    package init(of db: Database) throws {
        let expected = try SchemaComparison.expected()
        let found = try SchemaComparison.objects(db)
        var (missing, changed) = ([String](), [String]())
        for (name, object) in expected {
            guard let other = found[name] else {
                missing.append(name)
                continue
            }
            if !object.isSpatiaLites, SchemaComparison.normal(object.sql) != SchemaComparison.normal(other.sql) {
                changed.append(name)
            }
        }
        self.missing = missing.sorted()
        self.changed = changed.sorted()
        let tables = expected.keys.filter { $0.hasPrefix("table ") }.map { $0.dropFirst("table ".count) }
        added =
            found.filter { name, object in
                // SpatiaLite names what it makes after the table that it belongs to, or of its own metadata.
                expected[name] == nil && !object.isInternal
                    && !(object.isSpatiaLites && tables.contains { $0 == object.table[...] })
            }
            .keys.sorted()
    }

    private struct Object {
        let table: String
        let sql: String
        let isSpatiaLites: Bool
        let isInternal: Bool
    }

    private static func objects(_ db: Database) throws -> [String: Object] {
        var objects: [String: Object] = [:]
        let rows = try Row.fetchCursor(db, sql: "SELECT type, name, tbl_name, sql FROM sqlite_master")
        while let row = try rows.next() {
            let (type, name, table): (String, String, String) = (row["type"], row["name"], row["tbl_name"])
            objects["\(type) \(name)"] = Object(
                table: table,
                sql: row["sql"] ?? "",
                isSpatiaLites: isSpatiaLites(type: type, name: name, table: table),
                isInternal: name.hasPrefix("sqlite_")
            )
        }
        return objects
    }

    /// Whether SpatiaLite makes an object, so that its definition depends on SpatiaLite's version.
    package static func isSpatiaLites(type: String, name: String, table: String) -> Bool {
        if metadata.contains(table) || table.hasPrefix("idx_") { return true }
        guard type == "trigger" else { return false }
        return ["ggi_", "ggu_", "gii_", "giu_", "gid_", "tmi_", "tmu_", "tmd_"].contains { name.hasPrefix($0) }
    }

    /// The tables and views of SpatiaLite 5.
    private static let metadata: Set<String> = [
        "spatial_ref_sys", "spatial_ref_sys_aux", "spatial_ref_sys_all", "spatialite_history", "geometry_columns",
        "views_geometry_columns", "virts_geometry_columns", "geometry_columns_statistics",
        "views_geometry_columns_statistics", "virts_geometry_columns_statistics", "geometry_columns_field_infos",
        "views_geometry_columns_field_infos", "virts_geometry_columns_field_infos", "geometry_columns_time",
        "geometry_columns_auth", "views_geometry_columns_auth", "virts_geometry_columns_auth", "sql_statements_log",
        "vector_layers", "vector_layers_auth", "vector_layers_statistics", "vector_layers_field_infos",
        "geom_cols_ref_sys", "SpatialIndex", "ElementaryGeometries", "KNN", "KNN2", "data_licenses",
    ]

    /// Returns a definition without differences of white space, which programs that rewrite definitions may introduce.
    private static func normal(_ sql: String) -> String {
        sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Makes an empty database in memory and returns its objects.
    private static func expected() throws -> [String: Object] {
        var configuration = Configuration()
        configuration.prepareDatabase { try SpatialConnection.load(into: $0) }
        let queue = try DatabaseQueue(configuration: configuration)
        try Schema.migrator.migrate(queue)
        return try queue.read(objects)
    }
}
