import Foundation
import GRDB
import Logging
import Storage
import Stories
import Testing
import TestSupport

@Suite("Opening a store")
struct OpeningTests {
    @Test("REL-02 What a crash left in the log is in the file itself before anything is acknowledged behind it")
    func logOfCrash() async throws {
        let fixture = try StoreFixture()
        var made = try makeStory(1)
        made.title = "Quillfeather"
        let story = made
        // What made the tables goes into the file behind the first write, what follows stays in the log.
        try await fixture.store.write { try $0.insert(try makeStory(2)) }
        try await fixture.store.write { try $0.insert(story) }
        // The files as they are while the process runs are what is left of it after a crash.
        let crashed = try TemporaryFolder()
        for name in ["waymark.db", "waymark.db-wal", "waymark.db.keys"] {
            try FileManager.default.copyItem(atPath: fixture.folder.path(name), toPath: crashed.path(name))
        }
        func isInFile() throws -> Bool {
            let bytes = try Data(contentsOf: URL(filePath: crashed.path("waymark.db")))
            return bytes.firstRange(of: Data("Quillfeather".utf8)) != nil
        }
        #expect(try !isInFile())
        let store = try StoreFixture.open(crashed, .readWrite)
        #expect(try isInFile())
        #expect(try await store.read { try $0.story(story.id) } == story)
    }

    @Test("A second writer is refused in a sentence that names the way out")
    func locked() throws {
        let fixture = try StoreFixture()
        let error = #expect(throws: StoreError.self) { try StoreFixture.open(fixture.folder, .readWrite) }
        #expect(error?.code == .locked)
        #expect(error?.description.contains("in use") == true)
    }

    @Test("A reader works beside the writer and cannot write")
    func reader() async throws {
        let fixture = try StoreFixture()
        let story = try makeStory(1)
        try await fixture.store.write { try $0.insert(story) }
        let reader = try StoreFixture.open(fixture.folder, .readOnly)
        #expect(try await reader.read { try $0.story(story.id) } == story)
        await #expect(throws: StoreError.self) { try await reader.write { try $0.deleteStory(story.id) } }
    }

    @Test("Opening again finds everything, with the same keys")
    func reopening() async throws {
        let folder = try TemporaryFolder()
        let story = try makeStory(1)
        let store = try StoreFixture.open(folder, .readWrite)
        let key = store.keys[.tokens]
        try await store.write { try $0.insert(story) }
        try store.close()
        let again = try StoreFixture.open(folder, .readWrite)
        #expect(try await again.read { try $0.story(story.id) } == story)
        #expect(again.keys[.tokens] == key)
        #expect(again.keys.arePermanent)
        #expect(key.count == 32)
    }

    @Test("NTF-09 What undoes a statement stays in memory, so that no erased text lies in temporary files")
    func temporaries() throws {
        let fixture = try StoreFixture()
        #expect(try fixture.store.inspect { try Int.fetchOne($0, sql: "PRAGMA temp_store") } == 2)
    }

    @Test("REL-09 Database, lock and keys are for their owner alone")
    func permissions() throws {
        let fixture = try StoreFixture()
        let expected = [
            "waymark.db": 0o600, "waymark.db.lock": 0o600, "waymark.db.keys": 0o700,
            "waymark.db.keys/tokens.key": 0o600,
        ]
        for (name, mode) in expected {
            let attributes = try FileManager.default.attributesOfItem(atPath: fixture.folder.path(name))
            #expect((attributes[.posixPermissions] as? Int) == mode, "\(name)")
        }
    }

    @Test("A reader of a missing file says how to make one, and makes nothing")
    func missing() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: StoreError.self) { try StoreFixture.open(folder, .readOnly) }
        #expect(error?.code == .missing)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    @Test(
        "REL-03 A file that is no database is refused and stays as it is",
        arguments: ["plain text, no database", "SQLite format 3\0"]
    )
    func notADatabase(content: String) throws {
        let folder = try TemporaryFolder()
        let bytes = Data(String(repeating: content, count: 100).utf8)
        try bytes.write(to: URL(filePath: folder.path("waymark.db")))
        let error = #expect(throws: StoreError.self) { try StoreFixture.open(folder, .readWrite) }
        #expect(error?.code == .notADatabase)
        #expect(try Data(contentsOf: URL(filePath: folder.path("waymark.db"))) == bytes)
    }

    @Test("A database of another program is refused before a byte of it, or beside it, is changed")
    func foreign() throws {
        let folder = try TemporaryFolder()
        let other = try DatabaseQueue(path: folder.path("waymark.db"))
        try other.write { try $0.execute(sql: "CREATE TABLE theirs (x)") }
        try other.close()
        let before = try Data(contentsOf: URL(filePath: folder.path("waymark.db")))
        let error = #expect(throws: StoreError.self) { try StoreFixture.open(folder, .readWrite) }
        #expect(error?.code == .notADatabase)
        #expect(try Data(contentsOf: URL(filePath: folder.path("waymark.db"))) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["waymark.db"])
    }

    @Test("A link to the file is the same database: it gives no second writer")
    func link() throws {
        let fixture = try StoreFixture()
        let link = fixture.folder.path("link.db")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: fixture.folder.path("waymark.db"))
        let error = #expect(throws: StoreError.self) {
            try StoryStore(path: link, mode: .readWrite, logger: Logger(label: "test"))
        }
        #expect(error?.code == .locked)
    }

    @Test("NTF-05 The file moved alone keeps the keys of its ledger and of its imports; tokens are made anew")
    func movedAlone() throws {
        let folder = try TemporaryFolder()
        let store = try StoreFixture.open(folder, .readWrite)
        try store.close()
        let target = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: folder.path("waymark.db"), toPath: target.path("waymark.db"))
        let reader = try StoreFixture.open(target, .readOnly)
        #expect(reader.keys[.ledger] == store.keys[.ledger] && reader.keys[.storyIDs] == store.keys[.storyIDs])
        #expect(reader.keys[.tokens] != store.keys[.tokens] && !reader.keys.arePermanent)
        #expect(store.keys[.ledger].count == 32)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: target.url.path).contains("waymark.db.keys") == false
        )
    }

    @Test("A database of a later version is refused")
    func later() throws {
        let folder = try TemporaryFolder()
        let store = try StoreFixture.open(folder, .readWrite)
        try store.inspect { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('99 the future')") }
        try store.close()
        let error = #expect(throws: StoreError.self) { try StoreFixture.open(folder, .readWrite) }
        #expect(error?.code == .newerSchema)
    }

    @Test("Connections can be opened and closed many times: SpatiaLite's memory is given back")
    func manyConnections() throws {
        let folder = try TemporaryFolder()
        for _ in 0..<50 { try StoreFixture.open(folder, .readWrite).close() }
    }

    @Test(
        "REL-01 GDAL reads the file as it is",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ogrinfo") || isContinuousIntegration)
    )
    func gdal() async throws {
        let fixture = try StoreFixture()
        try await fixture.store.write { transaction in
            for number in 1...3 { try transaction.insert(try makeStory(UInt64(number))) }
        }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/ogrinfo")
        process.arguments = ["-ro", "-so", fixture.folder.path("waymark.db"), "stories"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(text.contains("Geometry: Point"))
        #expect(text.contains("Feature Count: 3"))
        #expect(text.contains("WGS 84"))
    }
}

private let isContinuousIntegration = ProcessInfo.processInfo.environment["CI"] == "true"
