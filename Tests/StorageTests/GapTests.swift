import Foundation
import GRDB
import Geometry
import Storage
import TestSupport
import Testing

/// Pages that were split keep in their gaps what moved out of them; nothing reads a gap, and no deletion overwrites it.
@Suite("Gaps of pages")
struct GapTests {
    private static let secret = Data("Quillfeather".utf8)

    /// Fills a table with rows of many lengths in no order, so that its pages are split and written anew again and again,
    /// and deletes every fifth row of it.
    private static func fill(_ store: StoryStore) throws {
        try store.inspect { db in
            try db.execute(sql: "CREATE TABLE filler (id INTEGER PRIMARY KEY, words TEXT NOT NULL)")
            var generator = SplitMix64(seed: 4)
            try db.inTransaction {
                for number in 0..<4_000 {
                    let length = [1, 9, 40, 100][Int(generator.next() % 4)]
                    let word = number.isMultiple(of: 5) ? "Quillfeather " : "somebody else "
                    let words = String(repeating: word, count: length)
                    try db.execute(
                        sql: "INSERT INTO filler VALUES (?, ?)",
                        arguments: [Int64(generator.next() >> 2), "\(words) \(number)"]
                    )
                }
                return .commit
            }
            try db.execute(sql: "DELETE FROM filler WHERE words LIKE 'Quill%'")
        }
    }

    private static func holds(_ fixture: StoreFixture, _ ending: String) throws -> Bool {
        let bytes = try Data(contentsOf: URL(filePath: fixture.folder.path("waymark.db" + ending)))
        return bytes.firstRange(of: secret) != nil
    }

    @Test("NTF-09 Content that moved within the file before its deletion remains in none of its pages")
    func file() throws {
        let fixture = try StoreFixture()
        try GapTests.fill(fixture.store)
        try fixture.store.inspect { _ = try $0.checkpoint(.truncate) }
        #expect(try !GapTests.holds(fixture, ""))
    }

    @Test("NTF-09 A page read before the sweep does not carry erased content into the log again")
    func log() async throws {
        let fixture = try StoreFixture()
        try GapTests.fill(fixture.store)
        try fixture.store.inspect { try $0.execute(sql: "INSERT INTO applied_erasures VALUES ('one', 1, 0)") }
        #expect(try await fixture.store.sweep())
        #expect(try !GapTests.holds(fixture, "") && !GapTests.holds(fixture, "-wal"))
        try fixture.store.inspect {
            try $0.execute(sql: "UPDATE filler SET words = upper(words) WHERE length(words) < 100")
        }
        #expect(try GapTests.size(fixture, "-wal") > 100_000)
        #expect(try !GapTests.holds(fixture, "-wal"))
    }

    private static func size(_ fixture: StoreFixture, _ ending: String) throws -> Int {
        try Data(contentsOf: URL(filePath: fixture.folder.path("waymark.db" + ending))).count
    }
}
