import Foundation
import GRDB
import Storage
import Stories
import TestSupport
import Testing

@Suite("Types of stored values")
struct StoredTypesTests {
    /// Changes a closed file as a person with SQLite's shell would.
    private func edited(_ sql: String...) async throws -> TemporaryFolder {
        let fixture = try StoreFixture()
        try await fixture.store.write { try $0.insert(try makeStory(1)) }
        try fixture.store.close()
        let queue = try DatabaseQueue(path: fixture.folder.path("waymark.db"))
        try await queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA foreign_keys = OFF")
            for statement in sql { try db.execute(sql: statement) }
        }
        try queue.close()
        return fixture.folder
    }

    @Test("REL-02 Every table of ours is looked at, once")
    func tables() throws {
        let fixture = try StoreFixture()
        let names = try fixture.store.inspect { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
                        AND name NOT LIKE 'sqlite!_%' ESCAPE '!' AND name <> 'grdb_migrations'
                    """
            )
        }
        let others = ["ISO_", "SE_", "networks", "raster_", "rl2map_", "stored_", "topologies", "vector_", "wms_"]
        let ours = names.filter { name in
            !SchemaComparison.isSpatiaLites(type: "table", name: name, table: name)
                && !others.contains(where: name.hasPrefix)
        }
        #expect(ours.sorted() == (StoredTypes.small + StoredTypes.large).sorted())
    }

    @Test(
        "REL-02 A value of another type refuses to serve, names its column, and is found by a check",
        arguments: [
            ("clock", "time_ms", "'x'", "an integer"), ("families", "name", "x'00ff'", "text"),
            ("families", "created_ms", "1.5", "an integer"), ("users", "email", "x'00'", "text"),
            ("secrets", "key", "'abc'", "bytes"),
        ]
    )
    func wrong(table: String, column: String, value: String, type: String) async throws {
        let rows = [
            "INSERT INTO users (id, name, created_ms) VALUES ('zoe', 'Zoe', 1)",
            "INSERT INTO families (id, name, created_ms) VALUES ('f', 'F', 1)",
            "INSERT OR IGNORE INTO clock VALUES (1, NULL, 1, 1, 1, 1)",
        ]
        let folder = try await edited(rows[0], rows[1], rows[2], "UPDATE \(table) SET \(column) = \(value)")
        let error = #expect(throws: StoreError.self) { try StoreFixture.open(folder, .readWrite) }
        #expect(error?.code == .damagedRow)
        #expect(error?.description.contains("the table \(table) has ") == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("in the column \(column) other than \(type). Correct it") == true)
        guard table != "secrets" else { return }
        let store = try StoreFixture.open(folder, .readOnly)
        let found = try await store.checkTypes().findings
        #expect(found.map(\.code) == ["types"])
        #expect(found[0].detail.hasPrefix("The table \(table) has "), "\(found[0].detail)")
        try store.close()
    }

    @Test("REL-02 A large table with such a value is served, and a check counts its rows")
    func large() async throws {
        let folder = try await edited("UPDATE stories SET created_ms = 'soon', collection = 'Fields'")
        let store = try StoreFixture.open(folder, .readWrite)
        #expect(
            try await store.checkTypes().findings.map(\.detail) == [
                "The table stories has a value in the column created_ms other than an integer."
            ]
        )
        try store.close()
    }

    @Test("What the service writes has the right types")
    func sound() async throws {
        let fixture = try StoreFixture()
        try await fixture.store.write { try $0.insert(try makeStory(1)) }
        #expect(try await fixture.store.checkTypes().findings.isEmpty)
    }
}
