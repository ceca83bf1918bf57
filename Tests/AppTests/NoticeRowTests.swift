import App
import Library
import Formats
import GRDB
import Geometry
import HTTPTypes
import Importing
import Storage
import Stories
import TestSupport
import Testing

@Suite("Stored notices follow their stories")
struct NoticeRowTests {
    /// A file of one story at the start of the street, or so far down.
    private func file(
        at metres: Double = 0,
        named name: String,
        _ more: [String: String] = [:]
    ) throws -> [ImportedStory] {
        let point = FenceStreet.point(metres)
        var options = StoryImporter.Options(owner: try #require(UserID("archive")))
        options.source = "file"
        let names = more.keys.sorted()
        let header = (["id", "title", "lat", "lon", "place_name"] + names).joined(separator: ",")
        let values = ["1", "A", "\(point.latitude)", "\(point.longitude)", name] + names.map { more[$0] ?? "" }
        let text = header + "\n" + values.joined(separator: ",") + "\n"
        return StoryImporter(options: options).read(Array(text.utf8), fileName: "file.csv").stories
    }

    /// That one notice is stored, with the first place's name and point or with neither.
    private func expectOldPlace(_ isThere: Bool, in fixture: ServiceFixture) throws {
        let rows = try rows(in: fixture)
        #expect(rows.count == 1)
        let start = FenceStreet.start.longitude
        #expect(rows.allSatisfy { $0.words.contains("Old Mill") } == isThere, "\(rows)")
        #expect(rows.allSatisfy { abs($0.longitude - start) < 0.000_01 } == isThere, "\(rows)")
    }

    /// Everything that the rows of notices say, and where.
    private func rows(in fixture: ServiceFixture) throws -> [(words: String, longitude: Double)] {
        try fixture.library.store.inspect { db in
            try Row.fetchAll(db, sql: "SELECT * FROM notices")
                .map { row in (row.map { "\($0.1)" }.joined(separator: "|"), row["place_lon"] as Double) }
        }
    }

    @Test("LOC-08 Others' notifications follow a story that an import moves or shows less exactly")
    func importing() async throws {
        let changes: [(Double, [String: String])] = [(900, [:]), (0, ["precision": "approximate", "cell": "0.01"])]
        for (metres, more) in changes {
            let changed = try file(at: metres, named: "New Mill", more)
            let first = try file(named: "Old Mill")
            try await FenceStreet.run { street async throws in
                let fixture = street.fixture
                #expect(try await fixture.library.imports.add(first) == ImportOutcome(created: 1))
                #expect(try await street.enter(try #require(try await street.fences()[0])) == 1)
                try expectOldPlace(true, in: fixture)
                fixture.clock.advance(seconds: 60)
                #expect(try await fixture.library.imports.add(changed, dryRun: true) == ImportOutcome(updated: 1))
                try expectOldPlace(true, in: fixture)
                #expect(try await fixture.library.imports.add(changed) == ImportOutcome(updated: 1))
                try expectOldPlace(false, in: fixture)
                #expect(try rows(in: fixture).contains { $0.words.contains("New Mill") } == more.isEmpty)
            }
        }
    }

    @Test("PRV-05 Others' notifications follow a story that moved while temporarily private")
    func autoPrivate() async throws {
        try await FenceStreet.run { street async throws in
            let fixture = street.fixture
            let id = try await street.story("ana", at: 0, named: "Old Mill")
            #expect(try await street.enter(try #require(try await street.fences()[0])) == 1)
            try expectOldPlace(true, in: fixture)
            let story = try #require(StoryID(id))
            fixture.clock.advance(seconds: 60)
            _ = try await fixture.library.moderation.autoPrivate.set(true, stories: [story])
            let point = FenceStreet.point(900)
            let body = "{\"lat\":\(point.latitude),\"lon\":\(point.longitude),\"name\":\"New Mill\"}"
            let reply = try await street.client.send(.put, "/v1/stories/\(id)/location", as: "ana", body)
            #expect(reply.status == 200)
            fixture.clock.advance(seconds: 60)
            _ = try await fixture.library.moderation.autoPrivate.set(false, stories: [story])
            try expectOldPlace(false, in: fixture)
            #expect(try await street.words() == ["New Mill: 1 story nearby"])
        }
    }
}
