import App
import Importing
import Library
import Storage
import Stories
import TestSupport
import Testing

@Suite("LOC-07 The words of places that nobody found, in exports")
struct PlaceWordsExportTests {
    private static let fields =
        "place_text,place_name,address,city,county,state,postcode,country,precision,cell,location_source"

    /// Three stories of ana with ids, each with its words; the last has none.
    private static func table(_ first: String, _ second: String) -> [UInt8] {
        let zeros = String(repeating: "0", count: 31)
        let times = "public,2020-01-01T00:00:00Z,2020-01-02T00:00:00Z"
        var text = "id,title,privacy,created_at,updated_at,\(fields)\n"
        text += "\(zeros)1,Ida,\(times),\(first),approximate,0.1,ai_extracted\n"
        text += "\(zeros)2,Ann,\(times),\(second),hidden,,\n"
        text += "\(zeros)3,Eve,\(times),,,,,,,,,,,\n"
        return Array(text.utf8)
    }

    private static let full = table(
        "\"near Macon, Ga.\",Old Mill,12 Mill Rd,Macon,Bibb,Georgia,31201,USA",
        ",,\"7 Elm St, Springfield\",,,IL,,"
    )

    private static func fixture(
        reading bytes: [UInt8],
        _ name: String = "a.csv"
    ) async throws -> ServiceFixture {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        fixture.clock.advance(seconds: 86_400)
        var options = StoryImporter.Options(owner: try #require(UserID("ana")))
        options.keepsIDs = true
        let importer = StoryImporter(options: options)
        let (result, outcome) = try await fixture.library.imports.add(reading: bytes, fileName: name, by: importer)
        #expect(!result.isRefused && outcome.created == 3, "\(result.problems)")
        return fixture
    }

    private static func exported(
        _ format: ExportFormat,
        of fixture: ServiceFixture,
        as name: String?
    ) async throws -> [UInt8] {
        guard let name else { return try await fixture.exported(format, as: .anonymous).bytes }
        let user = try #require(UserID(name))
        let viewer = try #require(try await fixture.library.viewer(of: user))
        return try await fixture.exported(format, as: viewer).bytes
    }

    @Test(
        "LOC-07 Exported and imported into an empty database, the words are the same, and so are all bytes",
        arguments: [ExportFormat.geojson, .ndjson, .csv, .kml, .geoPackage]
    )
    func roundTrip(format: ExportFormat) async throws {
        let first = try await Self.fixture(reading: Self.full)
        let bytes = try await Self.exported(format, of: first, as: "ana")
        let text = String(decoding: bytes, as: UTF8.self)
        let words = [
            "near Macon, Ga.", "Old Mill", "12 Mill Rd", "Macon", "Bibb", "Georgia", "31201", "USA", "Springfield",
        ]
        // The pages of a database can cut a word.
        for word in words where format != .geoPackage { #expect(text.contains(word), "\(word)") }
        let second = try await Self.fixture(reading: bytes, "export.\(format.rawValue)")
        let again = try await Self.exported(format, of: second, as: "ana")
        #expect(again == bytes, "\(String(decoding: again, as: UTF8.self))")
        let waiting = try await second.library.store.read {
            try $0.unlocatedStories(of: nil, source: nil, after: nil, limit: 10)
        }
        let found = waiting.sorted { $0.title < $1.title }.map(\.words)
        #expect(found.map(\.precision) == [.hidden, .approximate(.tenth)])
        #expect(found.map(\.isExtracted) == [false, true])
    }

    @Test("PRV-01 Nobody but the owner gets the words", arguments: ExportFormat.allCases.filter { !$0.isTiles })
    func others(format: ExportFormat) async throws {
        let full = try await Self.fixture(reading: Self.full)
        let without = try await Self.fixture(reading: Self.table(",,,,,,,", ",,,,,,,"))
        for name in ["cora", "ben", nil] {
            let bytes = try await Self.exported(format, of: full, as: name)
            #expect(try await Self.exported(format, of: without, as: name) == bytes, "\(name ?? "anybody")")
        }
        guard format != .gpx, format != .linkedPlaces, format != .navPlace else { return }
        let own = try await Self.exported(format, of: full, as: "ana")
        #expect(try await Self.exported(format, of: without, as: "ana") != own)
    }

    @Test("LOC-08 The words of a place that its owner removed are in no export")
    func removed() async throws {
        let fixture = try await Self.fixture(reading: Self.full)
        let found = try await fixture.library.store.read {
            try $0.unlocatedStories(of: nil, source: nil, after: nil, limit: 10)
        }
        let id = try #require(found.first { $0.title == "Ida" }?.id)
        try await fixture.library.store.write { transaction in
            guard var story = try transaction.story(id) else { return }
            story.absentLocation = AbsentLocation(precision: .hidden, isRemoved: true)
            try transaction.update(story)
        }
        let text = String(decoding: try await Self.exported(.ndjson, of: fixture, as: "ana"), as: UTF8.self)
        #expect(text.contains("Ida") && text.contains("Springfield") && !text.contains("Macon"), "\(text)")
    }
}
