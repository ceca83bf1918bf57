import Foundation
import GRDB
import Logging
import Storage
import Testing
import TestSupport

@Suite("A database looked at from outside")
struct StoreSurveyTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path("waymark.db") }

    init() throws { folder = try TemporaryFolder() }

    private func open() throws -> StoryStore {
        try StoryStore(path: path, mode: .readWrite, logger: Logger(label: "test"))
    }

    /// The names in the folder with the size and the time of each file.
    private func contents() throws -> [String: String] {
        var contents: [String: String] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.url.path) {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name))
            let date = (attributes[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
            contents[name] = "\(attributes[.size] ?? 0) \(date)"
        }
        return contents
    }

    @Test("It says whether a service holds the database and what version it has, and leaves every file alone")
    func life() throws {
        let none = StoreSurvey(path)
        #expect(!none.exists && none.obstacle == nil && none.isWritable && !none.isHeld && none.age == .unknown)
        #expect(try contents().isEmpty)
        let store = try open()
        let running = StoreSurvey(path)
        #expect(running.exists && running.isHeld && running.obstacle == nil && running.age == .unknown)
        #expect(running.hasKeys && !running.isOpenToOthers && running.folderAccess == .none)
        #expect(running.otherOwner == nil)
        try store.close()
        let before = try contents()
        let rested = StoreSurvey(path)
        #expect(!rested.isHeld && rested.age == .current && rested.size > 0 && rested.logSize == 0)
        #expect(rested.lostKeys.isEmpty && rested.free ?? 0 > 0)
        #expect(try contents() == before)
        // Nothing of it stands in the way of the next start.
        try open().close()
    }

    @Test("An earlier version and a later one are told apart", arguments: [true, false])
    func versions(isLater: Bool) throws {
        let store = try open()
        let sql =
            isLater
            ? "INSERT INTO grdb_migrations VALUES ('99 the future')"
            : "DELETE FROM grdb_migrations WHERE identifier = 'passkeys'"
        try store.inspect { try $0.execute(sql: sql) }
        try store.close()
        #expect(StoreSurvey(path).age == (isLater ? .newer : .older))
    }

    @Test("What others may read is noticed, and so is a missing folder of keys")
    func rights() throws {
        try open().close()
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.url.path)
        let open = StoreSurvey(path)
        #expect(open.isOpenToOthers && open.folderAccess == .listing && open.hasKeys)
        try FileManager.default.removeItem(atPath: path + ".keys")
        #expect(!StoreSurvey(path).hasKeys)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o644, "it corrects nothing")
    }

    @Test("A file that is no database, a folder in its place and a missing folder are named, as a start would")
    func obstacles() throws {
        try Data("something else, long enough to be no header of SQLite".utf8).write(to: URL(filePath: path))
        #expect(StoreSurvey(path).obstacle?.code == .notADatabase)
        #expect(StoreSurvey(folder.url.path).obstacle?.description.contains("is a folder") == true)
        #expect(StoreSurvey(folder.path("nowhere/waymark.db")).obstacle?.code == .missing)
    }

    @Test("REL-03 A database cut off, and a key cut off, are noticed")
    func damage() throws {
        try open().close()
        let whole = try Data(contentsOf: URL(filePath: path))
        #expect(!StoreSurvey(path).isUnreadable && StoreSurvey(path).damagedKeys.isEmpty)
        for length in [100, whole.count / 2] {
            try whole.prefix(length).write(to: URL(filePath: path))
            #expect(StoreSurvey(path).isUnreadable, "\(length) bytes")
        }
        try whole.write(to: URL(filePath: path))
        #expect(!StoreSurvey(path).isUnreadable)
        try Data([1, 2, 3]).write(to: URL(filePath: path + ".keys/tokens.key"))
        #expect(StoreSurvey(path).damagedKeys == ["tokens.key"])
    }

    @Test("A pipe in the place of the database is named, and nothing waits for it")
    func pipe() throws {
        #expect(mkfifo(path, 0o600) == 0)
        #expect(StoreSurvey(path).obstacle?.code == .notADatabase)
    }
}
