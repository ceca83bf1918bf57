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
        #expect(!StoreSurvey(path).isUnreadable && StoreSurvey(path).keyProblems.isEmpty)
        for length in [100, whole.count / 2] {
            try whole.prefix(length).write(to: URL(filePath: path))
            #expect(StoreSurvey(path).isUnreadable, "\(length) bytes")
        }
        try whole.write(to: URL(filePath: path))
        #expect(!StoreSurvey(path).isUnreadable)
        try Data([1, 2, 3]).write(to: URL(filePath: path + ".keys/tokens.key"))
        let found = StoreSurvey(path).keyProblems
        #expect(found.count == 1 && found[0].contains("tokens.key is damaged: it holds 3 bytes instead of 32"))
    }

    @Test("REL-03 A key that is missing, and one that another took the place of, are named with what to do")
    func keys() throws {
        try open().close()
        let folder = path + ".keys"
        #expect(StoreSurvey(path).keyProblems.isEmpty)
        let file = URL(filePath: folder + "/channels.key")
        let own = try Data(contentsOf: file)
        try Data((0..<32).map { UInt8($0) }).write(to: file)
        var found = StoreSurvey(path).keyProblems
        #expect(found.count == 1 && found[0].contains("channels.key is damaged: it is not the key that it was"))
        try FileManager.default.removeItem(at: file)
        found = StoreSurvey(path).keyProblems
        #expect(found.count == 1 && found[0].contains("channels.key is missing"))
        #expect(found.first?.contains("Put the file back from a backup") == true)
        #expect(!FileManager.default.fileExists(atPath: file.path), "it makes none")
        // A purpose that is not known to have had a key gets its first one.
        let checks = URL(filePath: folder + "/keys.check")
        let lines = try String(contentsOf: checks, encoding: .utf8).split(separator: "\n")
        try lines.filter { !$0.hasPrefix("channels ") }.map { "\($0)\n" }.joined()
            .write(to: checks, atomically: false, encoding: .utf8)
        #expect(StoreSurvey(path).keyProblems.isEmpty)
        try own.write(to: file)
        #expect(StoreSurvey(path).keyProblems.isEmpty)
    }

    @Test("REL-03 A folder of keys that cannot be read, and a file in its place, are named")
    func keyFolder() throws {
        try open().close()
        let folder = path + ".keys"
        try FileManager.default.setAttributes([.posixPermissions: 0o000], ofItemAtPath: folder)
        // The superuser reads everything.
        if access(folder, R_OK) != 0 {
            #expect(StoreSurvey(path).keyProblems.first?.contains("cannot be read by this user") == true)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder)
        try FileManager.default.removeItem(atPath: folder)
        try Data("no folder".utf8).write(to: URL(filePath: folder))
        #expect(StoreSurvey(path).keyProblems.first?.contains("is a file and no folder") == true)
    }

    @Test("REL-03 A database that may only be read, and a folder in which nothing may be made, are noticed")
    func protection() throws {
        try open().close()
        func setMode(_ mode: Int, _ path: String) throws {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        let free = StoreSurvey(path)
        #expect(!free.isFileProtected && !free.isFolderProtected)
        try setMode(0o400, path)
        let file = StoreSurvey(path)
        #expect(file.isFileProtected && !file.isFolderProtected && file.age == .current)
        try setMode(0o600, path)
        try setMode(0o500, folder.url.path)
        let closed = StoreSurvey(path)
        #expect(!closed.isFileProtected && closed.isFolderProtected)
        try setMode(0o700, folder.url.path)
        #expect(!StoreSurvey(path).isFolderProtected)
    }

    @Test("REL-04 What is said of a database cut off sends nobody to a repair that cannot help")
    func unreadable() throws {
        try open().close()
        let whole = try Data(contentsOf: URL(filePath: path))
        try whole.prefix(whole.count / 2).write(to: URL(filePath: path))
        #expect(throws: StoreError.self) {
            try StoryStore(path: path, mode: .readOnly, logger: Logger(label: "test")).close()
        }
        let finding = try #require(CheckReport.unreadable(database: path).findings.first)
        #expect(finding.detail.contains("was cut off: \(whole.count / 2) of its \(whole.count) bytes"))
        guard case .byHand(let words) = finding.remedy else {
            Issue.record("a repair cannot help")
            return
        }
        #expect(words.contains("waymark restore") && words.contains("--repair' cannot help"))
        try Data(repeating: 7, count: 20).write(to: URL(filePath: path))
        #expect(CheckReport.unreadable(database: path).findings.first?.detail.contains("damaged so badly") == true)
    }

    @Test("A pipe and a device in the place of the database are named; nothing waits, nobody is to delete them")
    func pipe() throws {
        #expect(mkfifo(path, 0o600) == 0)
        for path in [path, "/dev/null"] {
            let obstacle = try #require(StoreSurvey(path).obstacle)
            #expect(obstacle.code == .notADatabase)
            #expect(obstacle.description.contains("is a device or a pipe"), "\(path)")
            #expect(!obstacle.description.contains("delete"))
            #expect(throws: obstacle) {
                try StoryStore(path: path, mode: .readOnly, logger: Logger(label: "test")).close()
            }
        }
    }
}
