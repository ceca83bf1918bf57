import GRDB

extension Schema {
    /// Declares times in milliseconds and stamps as BIGINT.
    ///
    /// Programs that go by the declared type (GDAL, QGIS, DuckDB) read an INTEGER in 32 bits and clip larger values.
    /// Both types have the same affinity, so no row changes. Rebuilding a table instead would also remove its foreign
    /// keys and the spatial index. The text of the schema is edited as SQLite describes for changes that do not affect
    /// stored data (sqlite.org/lang_altertable.html, section 7), inside the migration's transaction, and read back.
    static func widenTimes(_ db: Database) throws {
        // A primary key of that type is the rowid and must remain exactly INTEGER.
        let column = #/\b(?<name>(?:[a-z_]+_)?(?:ms|stamp)) INTEGER\b(?! PRIMARY KEY)/#
        let tables = try Row.fetchAll(db, sql: "SELECT name, sql FROM sqlite_schema WHERE type = 'table'")
            .compactMap { row -> (name: String, sql: String)? in
                guard let name: String = row["name"], let sql: String = row["sql"] else { return nil }
                let wide = sql.replacing(column) { "\($0.output.name) BIGINT" }
                return wide == sql ? nil : (name, wide)
            }
        guard !tables.isEmpty else { return }
        let before = try tables.map { try columns(of: $0.name, db) }
        let version = try Int.fetchOne(db, sql: "PRAGMA schema_version") ?? 0
        try db.execute(sql: "PRAGMA writable_schema = ON")
        defer { try? db.execute(sql: "PRAGMA writable_schema = OFF") }
        for table in tables {
            try db.execute(
                sql: "UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?",
                arguments: [table.sql, table.name]
            )
        }
        // Other connections reload the schema when its version changes; this connection does so only on request.
        try db.execute(sql: "PRAGMA schema_version = \(version + 1)")
        try db.execute(sql: "PRAGMA writable_schema = RESET")
        db.clearSchemaCache()
        let after = try tables.map { try columns(of: $0.name, db) }
        guard before == after else {
            throw StoreError(.failed, "The column types could not be changed; the database is unchanged.")
        }
    }

    /// Returns the properties of a table's columns that must not change: names, order, constraints and keys.
    private static func columns(of table: String, _ db: Database) throws -> [String] {
        try Row.fetchAll(db, sql: "SELECT * FROM pragma_table_info(?)", arguments: [table])
            .map {
                "\($0["name"] as String) \($0["notnull"] as Int) \($0["dflt_value"] as String? ?? "") \($0["pk"] as Int)"
            }
    }
}
