package import Archives
import CSpatiaLite
import Crypto
package import GRDB

/// A digest of all rows of a database in a defined order, independent of the layout of its pages.
///
/// Tables of R*Trees and of other indexes are left out: they follow from the rest.
package struct LogicalDigest: Hashable, Sendable {
    /// The tables by name, with the number of rows and their digest.
    package let tables: [ArchiveManifest.Table]

    /// A digest of all tables, in hexadecimal.
    package var digest: String {
        var hash = SHA256()
        for table in tables { hash.update(data: Array("\(table.name) \(table.rows) \(table.digest)\n".utf8)) }
        return hash.finalize().hexadecimal
    }

    /// Computes the digest in one pass over every table; `rows` gets the number of rows since its last call.
    ///
    /// - Complexity: O(bytes) time, O(row) memory.
    package init(of db: Database, rows: (Int) throws -> Void = { _ in }) throws {
        let found = try Row.fetchAll(db, sql: "PRAGMA main.table_list")
        var tables: [ArchiveManifest.Table] = []
        let plain = found.filter { $0["schema"] == "main" && $0["type"] == "table" }
            .map { (name: $0["name"] as String, isWithoutRowid: $0["wr"] as Bool) }
            .filter { !$0.name.hasPrefix("sqlite_") }
        for table in plain.sorted(by: { $0.name < $1.name }) {
            tables.append(try LogicalDigest.digest(table.name, table.isWithoutRowid, in: db, rows: rows))
        }
        self.tables = tables
    }

    private static func digest(
        _ table: String,
        _ isWithoutRowid: Bool,
        in db: Database,
        rows: (Int) throws -> Void
    ) throws -> ArchiveManifest.Table {
        let name = quoted(table)
        let columns = try Row.fetchAll(db, sql: "PRAGMA main.table_info(\(name))")
        let key = columns.filter { ($0["pk"] as Int) > 0 }.sorted { ($0["pk"] as Int) < ($1["pk"] as Int) }
        let order = isWithoutRowid ? key.map { quoted($0["name"]) }.joined(separator: ", ") : "rowid"
        let statement = try db.makeStatement(sql: "SELECT * FROM main.\(name) ORDER BY \(order)")
        var (hash, buffer, count, reported) = (SHA256(), RowBuffer(), 0, 0)
        for column in columns { buffer.add(Array((column["name"] as String).utf8), kind: 0) }
        let pointer = statement.sqliteStatement
        let width = sqlite3_column_count(pointer)
        defer { sqlite3_reset(pointer) }
        while true {
            let code = sqlite3_step(pointer)
            guard code == SQLITE_ROW else {
                guard code == SQLITE_DONE else {
                    throw DatabaseError(resultCode: ResultCode(rawValue: code), message: "while reading \(table)")
                }
                break
            }
            for column in 0..<width { buffer.add(pointer, column) }
            count += 1
            if buffer.bytes.count >= 1 << 18 {
                hash.update(data: buffer.bytes)
                buffer.bytes.removeAll(keepingCapacity: true)
                try rows(count - reported)
                reported = count
            }
        }
        try rows(count - reported)
        hash.update(data: buffer.bytes)
        return .init(name: table, rows: count, digest: hash.finalize().hexadecimal)
    }

    private static func quoted(_ name: String) -> String {
        "\"\(name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
    }
}

/// An unambiguous encoding of values as bytes: a kind, then eight bytes, or a length and the bytes.
private struct RowBuffer {
    var bytes: [UInt8] = []

    mutating func add(_ statement: OpaquePointer?, _ column: Int32) {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: add(UInt64(bitPattern: sqlite3_column_int64(statement, column)), kind: 1)
        case SQLITE_FLOAT: add(sqlite3_column_double(statement, column).bitPattern, kind: 2)
        case SQLITE_TEXT:
            let text = sqlite3_column_text(statement, column)
            let count = Int(sqlite3_column_bytes(statement, column))
            add(UnsafeBufferPointer(start: text, count: text == nil ? 0 : count), kind: 3)
        case SQLITE_BLOB:
            let blob = sqlite3_column_blob(statement, column)
            let count = Int(sqlite3_column_bytes(statement, column))
            add(UnsafeRawBufferPointer(start: blob, count: blob == nil ? 0 : count), kind: 4)
        default: bytes.append(5)
        }
    }

    mutating func add(_ value: some Collection<UInt8>, kind: UInt8) {
        add(UInt64(value.count), kind: kind)
        bytes.append(contentsOf: value)
    }

    private mutating func add(_ number: UInt64, kind: UInt8) {
        bytes.append(kind)
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
