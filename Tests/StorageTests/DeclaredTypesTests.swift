import Foundation
import GRDB
import Storage
import Stories
import Testing
import TestSupport

@Suite("The file as read by other programs")
struct DeclaredTypesTests {
    /// The declared types of the columns of all tables that hold times or stamps, without keys that are row numbers.
    private func types(_ db: Database) throws -> [String: String] {
        var types: [String: String] = [:]
        // Virtual tables need their module, which this connection does not load.
        let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
        for table in try String.fetchAll(db, sql: tables) {
            for row in try Row.fetchAll(db, sql: "SELECT * FROM pragma_table_info(?)", arguments: [table]) {
                let (name, type): (String, String) = (row["name"], row["type"])
                guard name.hasSuffix("_ms") || name.hasSuffix("stamp"), type == "INTEGER" || type == "BIGINT" else {
                    continue
                }
                let isRowNumber = type == "INTEGER" && table == "commit_spans" && name == "from_stamp"
                if !isRowNumber { types["\(table).\(name)"] = type }
            }
        }
        return types
    }

    @Test("Times and stamps are declared as 64 bits, in new and upgraded databases")
    func wideTimes() async throws {
        let fixture = try StoreFixture()
        let story = try makeStory(1)
        try await fixture.store.write { try $0.insert(story) }
        try fixture.store.close()
        let queue = try DatabaseQueue(path: fixture.folder.path("waymark.db"))
        let new = try await queue.read { try types($0) }
        #expect(new.count > 40)
        #expect(new.filter { $0.value != "BIGINT" }.isEmpty)
        // As it was before: the same text with INTEGER.
        try await queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA writable_schema = ON")
            try db.execute(
                sql: "UPDATE sqlite_schema SET sql = replace(sql, ' BIGINT', ' INTEGER') WHERE sql LIKE '% BIGINT%'"
            )
            let version = try Int.fetchOne(db, sql: "PRAGMA schema_version") ?? 0
            try db.execute(sql: "PRAGMA schema_version = \(version + 1)")
            try db.execute(sql: "PRAGMA writable_schema = RESET")
            try db.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = '28 wide times'")
            let old = try types(db)
            #expect(old.filter { $0.value != "INTEGER" }.isEmpty)
        }
        try queue.close()
        let store = try StoreFixture.open(fixture.folder, .readWrite)
        let second = try makeStory(2)
        try await store.write { try $0.insert(second) }
        #expect(try await store.read { try $0.story(story.id) } == story)
        try store.close()
        let again = try DatabaseQueue(path: fixture.folder.path("waymark.db"))
        let (widened, integrity, broken) = try await again.read { db in
            (
                try types(db), try String.fetchAll(db, sql: "PRAGMA integrity_check"),
                try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").count
            )
        }
        #expect(widened == new)
        #expect(integrity == ["ok"])
        #expect(broken == 0)
        try again.close()
    }

    @Test("Layer statistics exist and reveal no position more precisely than a degree")
    func layerStatistics() async throws {
        let fixture = try StoreFixture()
        let stories = [try makeStory(1), try makeStory(2, latitude: -12.25, longitude: 17.5)]
        try await fixture.store.write { transaction in
            for story in stories { try transaction.insert(story) }
        }
        try fixture.store.close()
        let queue = try DatabaseQueue(path: fixture.folder.path("waymark.db"))
        let values = try await queue.read { db in
            try Row.fetchOne(
                db,
                sql: """
                    SELECT row_count, extent_min_x, extent_min_y, extent_max_x, extent_max_y
                    FROM geometry_columns_statistics WHERE f_table_name = 'stories'
                    """
            )?
            .databaseValues.compactMap { Double.fromDatabaseValue($0) }
        }
        #expect(values == [2, -85, -13, 18, 34])
        try queue.close()
    }

    /// When the statistics of the stories were written and when a story was last changed, as GDAL compares them, and
    /// whether that change was an edit.
    private func times(_ folder: TemporaryFolder) async throws -> (verified: String, changed: String, isEdit: Bool) {
        let queue = try DatabaseQueue(path: folder.path("waymark.db"))
        defer { try? queue.close() }
        return try await queue.read { db -> (String, String, Bool) in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT last_verified, max(last_insert, last_update, last_delete) AS changed,
                        last_update > last_insert AS is_edit
                    FROM geometry_columns_statistics JOIN geometry_columns_time USING (f_table_name, f_geometry_column)
                    WHERE f_table_name = 'stories'
                    """
            )
            let found = try #require(row)
            return (found["last_verified"], found["changed"], found["is_edit"])
        }
    }

    @Test("Layer statistics are newer than every change, also one that leaves number and extent as they were")
    func newestStatistics() async throws {
        let fixture = try StoreFixture()
        let story = try makeStory(1)
        try await fixture.store.write { try $0.insert(story) }
        try fixture.store.close()
        var edited = story
        edited.title = "Another title"
        let changed = edited
        let store = try StoreFixture.open(fixture.folder, .readWrite)
        try await store.write { try $0.update(changed) }
        try store.close()
        let after = try await times(fixture.folder)
        #expect(after.isEdit)
        #expect(after.verified > after.changed)
        // Without a change they are not written again.
        try StoreFixture.open(fixture.folder, .readWrite).close()
        let again = try await times(fixture.folder)
        #expect(again.verified == after.verified)
    }
}
