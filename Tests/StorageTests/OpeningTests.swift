import Foundation
import GRDB
import Logging
import Storage
import Stories
import Testing
import TestSupport

@Suite("Opening a store")
struct OpeningTests {
    @Test("REL-02 Log content left by a crash is moved into the file before anything is acknowledged")
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

    @Test("A database in a folder that does not exist is refused with what to do, for writing and for reading")
    func noFolder() throws {
        let folder = try TemporaryFolder()
        try Data("x".utf8).write(to: URL(filePath: folder.path("file")))
        for mode in [StoryStore.Mode.readWrite, .readOnly] {
            for (path, words) in [
                ("no/such/waymark.db", "mkdir -p '\(folder.path("no/such"))'"), ("file/a.db", "is a file"),
            ] {
                let error = #expect(throws: StoreError.self) {
                    try StoryStore(path: folder.path(path), mode: mode, logger: Logger(label: "test"))
                }
                #expect(
                    error?.code == .missing && error?.description.contains(words) == true,
                    "\(error?.description ?? "")"
                )
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")) == ["file"])
    }

    @Test("A second writer is rejected with a message that suggests an alternative")
    func locked() throws {
        let fixture = try StoreFixture()
        let error = #expect(throws: StoreError.self) { try StoreFixture.open(fixture.folder, .readWrite) }
        #expect(error?.code == .locked)
        #expect(error?.description.contains("in use") == true)
    }

    @Test("A reader works next to the writer and cannot write")
    func reader() async throws {
        let fixture = try StoreFixture()
        let story = try makeStory(1)
        try await fixture.store.write { try $0.insert(story) }
        let reader = try StoreFixture.open(fixture.folder, .readOnly)
        #expect(try await reader.read { try $0.story(story.id) } == story)
        await #expect(throws: StoreError.self) { try await reader.write { try $0.deleteStory(story.id) } }
    }

    @Test("Reopening finds all data, with the same keys")
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

    @Test("NTF-09 Statement journals stay in memory, so temporary files contain no erased text")
    func temporaries() throws {
        let fixture = try StoreFixture()
        #expect(try fixture.store.inspect { try Int.fetchOne($0, sql: "PRAGMA temp_store") } == 2)
    }

    @Test("REL-09 Only their owner can access the database, lock and keys")
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

    @Test("A reader of a missing file explains how to create one, and creates nothing")
    func missing() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: StoreError.self) { try StoreFixture.open(folder, .readOnly) }
        #expect(error?.code == .missing)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    @Test("A database whose lock cannot be written says so, and what to do")
    func lockOutOfReach() throws {
        let folder = try TemporaryFolder()
        // A folder in its place cannot be written, by root neither.
        try FileManager.default.createDirectory(
            atPath: folder.path("waymark.db.lock"),
            withIntermediateDirectories: false
        )
        let error = #expect(throws: StoreError.self) { try StoreFixture.open(folder, .readWrite) }
        let words = error?.description ?? ""
        #expect(words.contains("waymark.db.lock cannot be written ("), "\(words)")
        #expect(words.hasSuffix("Check the database's folder."), "\(words)")
        #expect(words.contains("nothing was stored"))
    }

    @Test(
        "REL-03 A file that is not a database is rejected and left unchanged",
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

    @Test("Another program's database is rejected before it, or any file next to it, is changed")
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

    @Test("A link to the file is the same database and does not allow a second writer")
    func link() throws {
        let fixture = try StoreFixture()
        let link = fixture.folder.path("link.db")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: fixture.folder.path("waymark.db"))
        let error = #expect(throws: StoreError.self) {
            try StoryStore(path: link, mode: .readWrite, logger: Logger(label: "test"))
        }
        #expect(error?.code == .locked)
    }

    @Test("NTF-05 A file moved alone keeps its ledger and import keys; token keys are created again")
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

    @Test("A database from a later version is rejected")
    func later() throws {
        let folder = try TemporaryFolder()
        let store = try StoreFixture.open(folder, .readWrite)
        try store.inspect { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('99 the future')") }
        try store.close()
        let error = #expect(throws: StoreError.self) { try StoreFixture.open(folder, .readWrite) }
        #expect(error?.code == .newerSchema)
    }

    @Test("Opening and closing many connections frees SpatiaLite's memory")
    func manyConnections() throws {
        let folder = try TemporaryFolder()
        for _ in 0..<50 { try StoreFixture.open(folder, .readWrite).close() }
    }

    @Test(
        "REL-01 GDAL reads the file directly",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ogrinfo") || isContinuousIntegration)
    )
    func gdal() async throws {
        let fixture = try StoreFixture()
        try await fixture.store.write { transaction in
            for number in 1...3 { try transaction.insert(try makeStory(UInt64(number))) }
        }
        let run = try ProgramRun("/usr/bin/ogrinfo", ["-ro", "-so", fixture.folder.path("waymark.db"), "stories"])
        let text = String(decoding: run.output, as: UTF8.self)
        #expect(text.contains("Geometry: Point"))
        #expect(text.contains("Feature Count: 3"))
        #expect(text.contains("WGS 84"))
    }
}

private let isContinuousIntegration = ProcessInfo.processInfo.environment["CI"] == "true"
