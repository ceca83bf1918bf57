import Foundation
import GRDB
import Synchronization

/// The objects that the migrations of this program create, to compare a stranger's file with.
///
/// A file can define triggers, views and virtual tables that run when somebody else's statements use a table. So a
/// restored file is compared before SpatiaLite, with its many functions, is loaded into a connection to it.
struct KnownSchema: Sendable {
    private struct Key: Hashable {
        let type: String
        let name: String
    }

    private let texts: [Key: String]
    /// The tables and views of SpatiaLite's own, whose definitions depend on its version.
    private let metadata: Set<String>

    /// What was found out before, by the last migration: making an empty database takes some tenths of a second.
    private static let found = Mutex<[String: KnownSchema]>([:])

    /// Finds out what the migrations up to the last of `migrations` create, in a database in memory.
    ///
    /// - Throws: ``StoreError`` if they are not a beginning of this program's migrations.
    init(migrations: [String]) throws {
        let migrator = Schema.migrator
        guard let last = migrations.last, Array(migrator.migrations.prefix(migrations.count)) == migrations else {
            throw StoreError(
                .newerSchema,
                "The backup's database was written by a later version of waymark, or by another program."
            )
        }
        if let found = KnownSchema.found.withLock({ $0[last] }) {
            self = found
            return
        }
        var configuration = Configuration()
        configuration.prepareDatabase { try SpatialConnection.load(into: $0) }
        let bare = try DatabaseQueue(configuration: configuration)
        metadata = try bare.writeWithoutTransaction { db in
            _ = try Int.fetchOne(db, sql: "SELECT InitSpatialMetaDataFull(1)")
            return try Set(
                String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
            )
        }
        try bare.close()
        let queue = try DatabaseQueue(configuration: configuration)
        try migrator.migrate(queue, upTo: last)
        texts = try queue.read { try KnownSchema.objects(of: $0) }
        try queue.close()
        KnownSchema.found.withLock { [self] in $0[last] = self }
    }

    /// Rejects a database whose objects are not those of the migrations.
    ///
    /// Further tables that only hold rows are accepted with their indexes: programs such as QGIS add some, and nothing
    /// reads them here.
    ///
    /// - Throws: ``StoreError`` that names the first object in question.
    func check(_ db: Database, file: String) throws {
        let found = try KnownSchema.objects(of: db)
        for (key, text) in found.sorted(by: { ($0.key.type, $0.key.name) < ($1.key.type, $1.key.name) })
        where texts[key] != text {
            let (table, sql) = try KnownSchema.definition(of: key, db)
            if metadata.contains(table), KnownSchema.isHarmless(key.type, sql) { continue }
            guard texts[key] == nil else {
                throw KnownSchema.refusal(file, "the \(key.type) \(key.name) is defined differently")
            }
            guard isInert(key, text, on: table) else {
                throw KnownSchema.refusal(file, "the \(key.type) \(key.name) is not one of Waymark's")
            }
        }
        for key in texts.keys.sorted(by: { ($0.type, $0.name) < ($1.type, $1.name) }) where found[key] == nil {
            // Another version of SpatiaLite may do without some of its triggers.
            let text = texts[key] ?? ""
            if key.type == "trigger", metadata.contains(where: { text.contains("on\($0.lowercased())") }) { continue }
            throw KnownSchema.refusal(file, "the \(key.type) \(key.name) is missing")
        }
    }

    /// Whether an object that is not ours only holds rows.
    private func isInert(_ key: Key, _ text: String, on table: String) -> Bool {
        switch key.type {
        case "table": text.hasPrefix("createtable") && !text.contains("generatedalways") && !text.contains("as(")
        case "index": texts[Key(type: "table", name: table)] == nil
        default: false
        }
    }

    /// Whether an object of SpatiaLite's metadata changes no rows and calls only functions of a known few: another
    /// version may define it in other words.
    private static func isHarmless(_ type: String, _ sql: String) -> Bool {
        let lower = sql.lowercased()
        if type == "table" { return lower.hasPrefix("create table") }
        let body = type == "trigger" ? lower.range(of: "begin").map { String(lower[$0.upperBound...]) } ?? lower : lower
        let words = body.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        let changes: Set<Substring> = ["insert", "update", "delete", "replace", "attach", "pragma"]
        guard changes.isDisjoint(with: words) else { return false }
        return body.matches(of: #/([a-z_][a-z0-9_]*)\s*\(/#).allSatisfy { calls.contains(String($0.output.1)) }
    }

    /// What may stand before a parenthesis.
    private static let calls: Set<String> = [
        "raise", "count", "lower", "upper", "strftime", "coalesce", "in", "and", "or", "not", "on", "as", "exists",
        "when", "select", "where",
    ]

    private static func definition(of key: Key, _ db: Database) throws -> (table: String, sql: String) {
        let row = try Row.fetchOne(
            db,
            sql: "SELECT tbl_name, coalesce(sql, '') AS sql FROM sqlite_master WHERE type = ? AND name = ?",
            arguments: [key.type, key.name]
        )
        return (row?["tbl_name"] ?? "", row?["sql"] ?? "")
    }

    private static func refusal(_ file: String, _ what: String) -> StoreError {
        StoreError(
            .refused,
            "\(file) does not contain a database as Waymark makes it: \(what). Nothing of it was run, and nothing was "
                + "restored."
        )
    }

    /// Returns all objects with their texts, without differences in white space, quotes and case.
    private static func objects(of db: Database) throws -> [Key: String] {
        var objects: [Key: String] = [:]
        let rows = try Row.fetchAll(
            db,
            sql:
                "SELECT type, name, coalesce(sql, '') AS sql FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        )
        for row in rows {
            let text = (row["sql"] as String).lowercased().filter { !$0.isWhitespace && $0 != "\"" && $0 != "`" }
            objects[Key(type: row["type"], name: row["name"])] = text
        }
        return objects
    }
}
