import Foundation
import GRDB
import Geometry
import Importing
import Library
import Storage
import Stories
import StoryMap
import Synchronization
import TestSupport
import Testing

@Suite("Loading an import")
struct ImportLoadTests {
    /// All rows of all tables, and the definitions of the schema, as texts.
    private struct Content: Equatable {
        var schema: [String] = []
        var rows: [String: [String]] = [:]

        init(of library: StoryLibrary) throws {
            (schema, rows) = try library.store.inspect { db in
                let schema = try ["sqlite_schema", "sqlite_temp_schema"]
                    .flatMap { try Row.fetchAll(db, sql: "SELECT type, name, tbl_name, sql FROM \($0) ORDER BY name") }
                let tables = try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
                // What the spatial indexes hold, not in which nodes.
                let indexed = ["idx_stories_geom", "idx_sensitive_areas_geom"]
                var rows: [String: [String]] = [:]
                for table in Set(tables.filter { !$0.hasPrefix("idx_") } + indexed) {
                    // The times of SpatiaLite are those of the system's clock.
                    var columns = table == "geometry_columns_time" ? "f_table_name, last_insert > '2' AS is_noted" : "*"
                    // The id of an import is random.
                    if table == "imports" { columns = "number, source, digest, state, created, changed, problems" }
                    let all = try Row.fetchAll(db, sql: "SELECT \(columns) FROM \"\(table)\"")
                    rows[table] = all.map { "\($0)" }.sorted()
                }
                return (schema.map { "\($0)" }, rows)
            }
        }
    }

    /// Two services on copies of one database.
    private struct Twins {
        let slow: ServiceFixture
        let fast: ServiceFixture

        init(_ prepare: (ServiceFixture) async throws -> Void) async throws {
            let first = try await ServiceFixture()
            try await first.makeFamilies()
            try await prepare(first)
            try first.library.store.close()
            let copies = try (0..<2)
                .map { _ in
                    let copy = try TemporaryFolder()
                    for name in try FileManager.default.contentsOfDirectory(atPath: first.folder.url.path) {
                        try FileManager.default.copyItem(atPath: first.folder.path(name), toPath: copy.path(name))
                    }
                    return copy
                }
            slow = try await ServiceFixture(in: copies[0])
            fast = try await ServiceFixture(in: copies[1])
        }

        func expectEqual(_ comment: Comment) throws {
            let (slow, fast) = (try Content(of: slow.library), try Content(of: fast.library))
            #expect(slow.schema == fast.schema, comment)
            #expect(slow.rows.keys.sorted() == fast.rows.keys.sorted(), comment)
            for (table, rows) in slow.rows.sorted(by: { $0.key < $1.key }) {
                #expect(rows == fast.rows[table], "\(table), \(comment)")
            }
            let found = try self.fast.library.store.inspect { db in
                try String.fetchAll(db, sql: "PRAGMA integrity_check")
                    + String.fetchAll(db, sql: "SELECT rtreecheck('idx_stories_geom')")
            }
            #expect(found == ["ok", "ok"], comment)
            let maps = [self.slow, self.fast].map { $0.library.map.snapshot().total(StoryQuery(viewer: .anonymous)) }
            #expect(maps[0] == maps[1], comment)
        }
    }

    /// A table of random stories, with and without ids, places, dates and lists; some wait for their owner's word.
    private static func table(_ count: Int, from first: Int = 0, using random: inout SplitMix64) -> String {
        var lines = [
            "id,title,text,lat,lon,kind,date,tags,people,collection,privacy,precision,location_source,city,media_url"
        ]
        func cell(_ chance: Double, _ text: String, _ random: inout SplitMix64) -> String {
            Double.random(in: 0..<1, using: &random) < chance ? text : ""
        }
        func one(_ words: [String], _ random: inout SplitMix64) -> String {
            words.randomElement(using: &random) ?? ""
        }
        for number in first..<first + count {
            let isPlaced = Double.random(in: 0..<1, using: &random) < 0.85
            let (latitude, longitude) = (
                Double.random(in: -80...80, using: &random), Double.random(in: -180...180, using: &random)
            )
            lines.append(
                [
                    cell(0.8, "s\(number)", &random),
                    "Story \(number) of Ännchen",
                    cell(0.5, "Told at home in \(number)", &random),
                    isPlaced ? "\(latitude)" : "",
                    isPlaced ? "\(longitude)" : "",
                    one(["photo", "interview", "document", ""], &random),
                    cell(0.7, "19\(10 + number % 90)-0\(1 + number % 9)", &random),
                    cell(0.4, "war; church", &random),
                    cell(0.3, "Ann \(number % 7)", &random),
                    cell(0.3, "Album \(number % 3)", &random),
                    one(["public", "family_only", "private", ""], &random),
                    isPlaced ? one(["exact", "approximate", "hidden", ""], &random) : "",
                    isPlaced ? one(["", "", "ai_extracted", "gps"], &random) : "",
                    cell(0.3, "Mobile", &random),
                    cell(0.3, "https://example.org/\(number)", &random),
                ]
                .joined(separator: ",")
            )
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A sensitive area over the northern half of the Atlantic and America.
    private static let area = """
        {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"Half","precision":"approximate",
        "cell":0.1},"geometry":{"type":"Polygon","coordinates":[[[-120,0],[0,0],[0,60],[-120,60],[-120,0]]]}}]}
        """

    private static func importer(skipping: Bool = false) throws -> StoryImporter {
        var options = StoryImporter.Options(owner: try #require(UserID("ana")))
        options.privacyIsGiven = true
        options.skipsBadRows = skipping
        return StoryImporter(options: options)
    }

    private func add(
        _ text: String,
        _ name: String,
        to fixture: ServiceFixture,
        least: Int,
        skipping: Bool = false
    )
        async throws -> (result: ImportResult, outcome: ImportOutcome)
    {
        try await fixture.library.imports.add(
            reading: Array(text.utf8),
            fileName: name,
            by: ImportLoadTests.importer(skipping: skipping),
            loadingFrom: least
        )
    }

    @Test("REL-06 A load leaves the same rows in every table as single stories", arguments: [1, 2, 3, 4] as [UInt64])
    func equalTables(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        // Few stories before: the indexes are built anew. Many: they stay.
        let before = ImportLoadTests.table(seed.isMultiple(of: 2) ? 500 : 20, using: &random)
        let twins = try await Twins { fixture in
            _ = try await add(before, "before.csv", to: fixture, least: .max)
            if seed > 2 {
                let area = try #require(
                    SensitiveAreaReader().read(Array(ImportLoadTests.area.utf8), fileName: "areas.geojson").areas.first
                )
                _ = try await fixture.library.moderation.areas.replace([area])
            }
        }
        var table = ImportLoadTests.table(300, using: &random)
        // Refused and repeated rows.
        table += "s7,Again,,1,1,,,,,,,,,,\ns301,,,2,2,,,,,,,,,,\ns302,North,,95,2,,,,,,,,,,\n"
        for (fixture, least) in [(twins.slow, Int.max), (twins.fast, 1)] {
            let (result, outcome) = try await add(table, "a.csv", to: fixture, least: least, skipping: true)
            #expect(result.badRows == 2)
            #expect(outcome == ImportOutcome(created: 301))
        }
        try twins.expectEqual("loaded, seed \(seed)")
        // The same file changed: rows are updated, stay, and come anew, one after the other on both sides.
        let changed = table.replacing("Told at home", with: "Told far away") + "s900,New,,3,3,,,,,,,,,,\n"
        for (fixture, least) in [(twins.slow, Int.max), (twins.fast, 1)] {
            let outcome = try await add(changed, "a.csv", to: fixture, least: least, skipping: true).outcome
            #expect(outcome.created >= 1 && outcome.updated > 50 && outcome.unchanged > 50)
        }
        try twins.expectEqual("changed, seed \(seed)")
    }

    @Test("REL-06 A file with an error changes nothing, also where rows were loaded before the error was found")
    func refused() async throws {
        var random = SplitMix64(seed: 9)
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let before = try Content(of: fixture.library)
        // More rows than are read before the first of them are stored.
        let table = ImportLoadTests.table(12_000, using: &random) + "x,,,1,1,,,,,,,,,,\n"
        let (result, outcome) = try await add(table, "a.csv", to: fixture, least: 1)
        #expect(result.isRefused && result.errorCount == 1 && outcome == ImportOutcome())
        var after = try Content(of: fixture.library)
        // That an import ran is recorded meanwhile, with the time and what clients that sync need to know of any write.
        for table in ["clock", "commit_spans"] { after.rows[table] = before.rows[table] }
        for (table, rows) in before.rows { #expect(after.rows[table] == rows, "\(table)") }
        #expect(after == before)
        // Edits are told apart as before: ours are not noted, those of others are.
        let good = "id,title,lat,lon\n1,One,1,1\n2,Two,2,2\n"
        #expect(try await add(good, "b.csv", to: fixture, least: 1).outcome == ImportOutcome(created: 2))
        #expect(try await add(good, "b.csv", to: fixture, least: 1).outcome == ImportOutcome(unchanged: 2))
        let noted = try fixture.library.store.inspect { db in
            let own = try Int.fetchOne(db, sql: "SELECT count(*) FROM outside_edits")
            try db.execute(sql: "UPDATE stories SET title = 'Uno' WHERE title = 'One'")
            return [own, try Int.fetchOne(db, sql: "SELECT count(*) FROM outside_edits")]
        }
        #expect(noted == [0, 0])
    }

    @Test("REL-06 A story that its owner deleted does not come back with a load")
    func deleted() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let good = "id,title,lat,lon\n1,One,1,1\n"
        _ = try await add(good, "b.csv", to: fixture, least: 1)
        let all = fixture.library.map.snapshot().stories(StoryQuery(viewer: .anonymous), limit: 1)
        let id = try #require(all.ids.first)
        try await fixture.library.store.write { try $0.deleteStory(id) }
        let again = try await add(good + "2,Two,2,2\n", "b.csv", to: fixture, least: 1)
        #expect(again.outcome == ImportOutcome(created: 1, unchanged: 1))
    }
}
