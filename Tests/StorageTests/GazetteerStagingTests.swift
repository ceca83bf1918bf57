import Foundation
import GRDB
import Storage
import Testing

@Suite("Gazetteer staging")
struct GazetteerStagingTests {
    private static func path() -> String {
        FileManager.default.temporaryDirectory.appending(path: "staging-\(UUID().uuidString)").path
    }

    private static func address(_ key: String, _ value: Int64, city: String = "A") -> GazetteerStaging.Address {
        GazetteerStaging.Address(
            key: key,
            street: key,
            number: "\(value)",
            value: value,
            city: city,
            region: "R",
            country: "us",
            postcode: "",
            latitude: 1,
            longitude: 2
        )
    }

    private func keys(_ staging: GazetteerStaging) throws -> [String] {
        var keys: [String] = []
        try staging.forEachAddress { keys.append("\($0.key) \($0.city) \($0.value)") }
        return keys
    }

    @Test("SQLite errors become a sentence: another command is running, no folder, not a database")
    func errors() throws {
        let path = Self.path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let staging = try GazetteerStaging(path: path)
        let other = try DatabaseQueue(path: path)
        try other.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN IMMEDIATE")
            let error = #expect(throws: StoreError.self) { try staging.begin("a.csv", mark: "1") }
            #expect(error?.code == .locked)
            #expect(error?.description.hasPrefix("Another command is adding to ") == true)
            try db.execute(sql: "ROLLBACK")
        }
        let nowhere = #expect(throws: StoreError.self) { try GazetteerStaging(path: path + ".none/x") }
        #expect(nowhere?.description.contains("cannot be opened") == true)
        let text = Self.path()
        defer { try? FileManager.default.removeItem(atPath: text) }
        try Data(repeating: 0x41, count: 9_000).write(to: URL(filePath: text))
        let damaged = #expect(throws: StoreError.self) { try GazetteerStaging(path: text) }
        #expect(damaged?.description.contains("is damaged or not a staging file") == true)
    }

    @Test("Addresses are returned ordered by the bytes of street, city and number")
    func order() throws {
        let path = Self.path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let staging = try GazetteerStaging(path: path)
        let source = try staging.begin("a.csv", mark: "1")
        var batch = GazetteerStaging.Batch()
        batch.addresses = [
            Self.address("main st", 12), Self.address("é st", 1), Self.address("main st", 2), Self.address("Z st", 1),
            Self.address("main st", 1, city: "B"), Self.address("main", 3),
        ]
        try staging.append(batch, source: source, position: 6, isDone: true)
        #expect(
            try keys(staging) == ["Z st A 1", "main A 3", "main st A 2", "main st A 12", "main st B 1", "é st A 1"]
        )
        try staging.close()
    }

    @Test("A file resumes where it stopped, is not read twice, and is read again if it has changed")
    func goingOn() throws {
        let path = Self.path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        var batch = GazetteerStaging.Batch()
        batch.addresses = [Self.address("main st", 1), Self.address("main st", 2)]
        batch.places = [.init(id: "own:1", content: Data("x".utf8))]
        batch.names = [.init(place: "own:1", text: "Other", language: "en", isHistoric: true, isPreferred: false)]
        do {
            let staging = try GazetteerStaging(path: path)
            let other = try staging.begin("other.csv", mark: "1")
            var kept = GazetteerStaging.Batch()
            kept.addresses = [Self.address("elm st", 1)]
            try staging.append(kept, source: other, position: 1, isDone: true)
            let source = try staging.begin("a.csv", mark: "1")
            #expect(source.position == 0)
            try staging.append(batch, source: source, position: 2, isDone: false)
            try staging.close()
        }
        let staging = try GazetteerStaging(path: path)
        let again = try staging.begin("a.csv", mark: "1")
        #expect((again.position, again.isDone) == (2, false))
        try staging.append(GazetteerStaging.Batch(), source: again, position: 3, isDone: true)
        #expect(try staging.begin("a.csv", mark: "1").isDone)
        #expect(try staging.addressCount() == 3)
        var names: [String] = []
        try staging.forEachPlace { names += [$0.id] + $1.map { "\($0.text) \($0.isHistoric)" } }
        #expect(names == ["own:1", "Other true"])
        let changed = try staging.begin("a.csv", mark: "2")
        #expect((changed.position, changed.isDone) == (0, false))
        // What was read of the older file counts until all of the new one has been.
        #expect(try staging.addressCount() == 3)
        #expect(try staging.placeCount() == 1)
        var part = GazetteerStaging.Batch()
        part.addresses = [Self.address("oak st", 9)]
        try staging.append(part, source: changed, position: 1, isDone: false)
        #expect(try staging.addressCount() == 3)
        let resumed = try staging.begin("a.csv", mark: "2")
        #expect((resumed.position, resumed.isDone) == (1, false))
        try staging.append(GazetteerStaging.Batch(), source: resumed, position: 1, isDone: true)
        #expect(try keys(staging) == ["elm st A 1", "oak st A 9"])
        #expect(try staging.placeCount() == 0)
        #expect(try staging.sources().map(\.name) == ["other.csv", "a.csv"])
        // A third one that turns out to be damaged takes nothing away.
        let damaged = try staging.begin("a.csv", mark: "3")
        try staging.append(batch, source: damaged, position: 2, isDone: false)
        try staging.discard(damaged)
        #expect(try keys(staging) == ["elm st A 1", "oak st A 9"])
        #expect(try staging.remove("a.csv"))
        #expect(try !staging.remove("a.csv"))
        #expect(try keys(staging) == ["elm st A 1"])
        try staging.close()
    }
}
