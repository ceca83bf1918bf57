import Archives
import Foundation
import GRDB
import Logging
import Storage
import Stories
import Synchronization
import TestSupport
import Testing

@Suite("Backups")
struct BackupTests {
    static let passphrase = Array("a passphrase of a test".utf8)

    static func order(
        _ folder: TemporaryFolder,
        to destination: String,
        passphrase: [UInt8]? = nil,
        at seconds: Int64 = 1_773_500_966
    ) -> Backup.Order {
        var order = Backup.Order(
            database: folder.path("waymark.db"),
            destination: destination,
            passphrase: passphrase,
            program: "0.1.0",
            now: Timestamp(milliseconds: seconds * 1_000)
        )
        order.cost = .least
        return order
    }

    static func fill(_ store: StoryStore, _ numbers: Range<UInt64>) async throws {
        try await store.write { transaction in
            for number in numbers { try transaction.insert(try makeStory(number)) }
        }
    }

    static func digest(_ store: StoryStore) throws -> LogicalDigest { try store.inspect { try LogicalDigest(of: $0) } }

    static func names(in path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    static func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test(
        "REL-05 A backup beside an open store has its rows, restores them, and leaves nothing else",
        arguments: [true, false]
    )
    func roundTrip(isSealed: Bool) async throws {
        let fixture = try StoreFixture()
        try await BackupTests.fill(fixture.store, 0..<300)
        let target = try TemporaryFolder()
        let passphrase = isSealed ? BackupTests.passphrase : nil
        let before = try BackupTests.names(in: fixture.folder.url.path)
        let expected = try BackupTests.digest(fixture.store)
        let receipt = try Backup.make(BackupTests.order(fixture.folder, to: target.url.path, passphrase: passphrase))

        #expect(receipt.file == target.path("waymark-20260314-150926.waymark-backup"))
        #expect(receipt.stories == 300)
        #expect(receipt.hasKeys == isSealed)
        #expect(try BackupTests.names(in: target.url.path) == ["waymark-20260314-150926.waymark-backup"])
        #expect(try BackupTests.names(in: fixture.folder.url.path) == (before + ["waymark.db.backup.json"]).sorted())
        #expect(try BackupTests.mode(receipt.file) == 0o600)
        let record = UpkeepRecord(.backup, besideDatabase: fixture.folder.path("waymark.db"))
        #expect(record?.outcome == "verified")
        #expect(record?.figures["stories"] == 300)
        #expect(record?.figures["bytes"] == receipt.bytes)

        // Later changes do not reach it.
        try await BackupTests.fill(fixture.store, 300..<310)
        let contents = try BackupCheck.verify(receipt.file, passphrase: passphrase)
        #expect(contents.rows(of: "stories") == 300)
        #expect(try BackupTests.names(in: target.url.path) == ["waymark-20260314-150926.waymark-backup"])

        let place = try TemporaryFolder()
        do {
            let restoration = try Restoration(
                of: receipt.file,
                passphrase: passphrase,
                to: place.path("new.db"),
                now: Timestamp(milliseconds: 1_773_600_000_000)
            )
            #expect(!restoration.replaces)
            #expect(try BackupTests.mode(place.path("new.db.restoring")) == 0o700)
            #expect(try BackupTests.mode(restoration.staged) == 0o600)
            #expect(try restoration.swap() == nil)
        }
        let names = ["new.db"] + (isSealed ? ["new.db.keys"] : []) + ["new.db.lock"]
        #expect(try BackupTests.names(in: place.url.path) == names)
        let restored = try StoryStore(path: place.path("new.db"), mode: .readWrite, logger: .init(label: "test"))
        #expect(try BackupTests.digest(restored) == expected)
        #expect(restored.keys.madeAnew.isEmpty == isSealed)
        #expect((restored.keys[.tokens] == fixture.store.keys[.tokens]) == isSealed)
    }

    @Test("REL-05 One that is ended at any point leaves nothing")
    func ended() async throws {
        struct Ended: Error {}
        let fixture = try StoreFixture()
        try await BackupTests.fill(fixture.store, 0..<100)
        let target = try TemporaryFolder()
        let before = try BackupTests.names(in: fixture.folder.url.path)
        let calls = Atomic(0)
        let order = BackupTests.order(fixture.folder, to: target.url.path, passphrase: BackupTests.passphrase)
        var (stop, isDone) = (1, false)
        while !isDone {
            calls.store(0, ordering: .relaxed)
            do {
                _ = try Backup.make(order) { [stop] _, _, _ in
                    if calls.add(1, ordering: .relaxed).newValue == stop { throw Ended() }
                }
                isDone = true
            } catch is Ended {
                #expect(try BackupTests.names(in: target.url.path) == [])
                #expect(try BackupTests.names(in: fixture.folder.url.path) == before)
            }
            stop += stop < 12 ? 1 : 7
        }
        #expect(stop > 12)
        #expect(try BackupTests.names(in: target.url.path).count == 1)
    }

    @Test("REL-05 What a killed one left is removed by the next, but not what another is writing")
    func leftovers() async throws {
        let fixture = try StoreFixture()
        let target = try TemporaryFolder()
        let work = fixture.folder.path("waymark.db.backup-work")
        try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: false)
        try Data([1]).write(to: URL(fileURLWithPath: work + "/database"))
        try Data([1]).write(to: target.url.appending(path: ".waymark-20250101-000000.waymark-backup.waymark-partial"))
        try Data([1]).write(to: target.url.appending(path: "letter.txt"))
        let held = target.path(".other.waymark-partial")
        try Data([1]).write(to: URL(fileURLWithPath: held))
        let handle = try #require(FileHandle(forReadingAtPath: held))
        #expect(flock(handle.fileDescriptor, LOCK_EX) == 0)
        _ = try Backup.make(BackupTests.order(fixture.folder, to: target.url.path))
        #expect(
            try BackupTests.names(in: target.url.path)
                == [".other.waymark-partial", "letter.txt", "waymark-20260314-150926.waymark-backup"]
        )
        #expect(!FileManager.default.fileExists(atPath: work))
        // Two at once: the second is refused, and the first is not disturbed.
        try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: false)
        let lock = open(work, O_RDONLY)
        #expect(flock(lock, LOCK_EX) == 0)
        let error = #expect(throws: StoreError.self) {
            try Backup.make(BackupTests.order(fixture.folder, to: target.path("second")))
        }
        #expect(error?.code == .locked)
        close(lock)
    }

    @Test("Wrong places are refused before anything is written")
    func places() throws {
        let fixture = try StoreFixture()
        let target = try TemporaryFolder()
        try Data([1]).write(to: target.url.appending(path: "there"))
        for destination in [target.path("there"), target.path("missing/file")] {
            let error = #expect(throws: StoreError.self) {
                try Backup.make(BackupTests.order(fixture.folder, to: destination))
            }
            #expect(error?.code == .refused)
        }
        let empty = try TemporaryFolder()
        #expect(throws: StoreError.self) { try Backup.make(BackupTests.order(empty, to: target.url.path)) }
        #expect(try BackupTests.names(in: empty.url.path) == [])
        try Data("no database at all, but longer than a header".utf8).write(to: empty.url.appending(path: "waymark.db"))
        #expect(throws: StoreError.self) { try Backup.make(BackupTests.order(empty, to: target.url.path)) }
        #expect(try BackupTests.names(in: target.url.path) == ["there"])
    }

    @Test("The digest depends on rows, and not on pages")
    func digest() async throws {
        let fixture = try StoreFixture()
        try await BackupTests.fill(fixture.store, 0..<50)
        let first = try BackupTests.digest(fixture.store)
        try fixture.store.inspect { try $0.execute(sql: "VACUUM") }
        #expect(try BackupTests.digest(fixture.store) == first)
        for change in [
            "UPDATE stories SET title = title || ' ' WHERE fid = 7", "UPDATE stories SET text = '' WHERE fid = 7",
            "UPDATE stories SET accuracy = 5 WHERE fid = 7", "DELETE FROM stories WHERE fid = 50",
            "UPDATE users SET name = CAST(name AS BLOB) WHERE id = 'archive'",
        ] {
            try fixture.store.inspect { db in
                try db.inTransaction {
                    try db.execute(sql: change)
                    #expect(try LogicalDigest(of: db).digest != first.digest, "\(change)")
                    return .rollback
                }
            }
        }
        #expect(try BackupTests.digest(fixture.store) == first)
    }

    @Test(
        "Names in a folder, and which of them are too many",
        arguments: [
            ([], 3, []),
            (["waymark-20260101-000000.waymark-backup"], 0, []),
            (
                [
                    "waymark-20260103-000000.waymark-backup", "waymark-20260101-000000.waymark-backup",
                    "a.waymark-backup",
                    "waymark-20260102-235959.waymark-backup", "waymark-2026.waymark-backup", "notes.txt",
                    ".waymark-20250101-000000.waymark-backup.waymark-partial",
                    "waymark-20250101-000000.waymark-backup.old", "waymark-20250101x000000.waymark-backup",
                ], 2, ["waymark-20260101-000000.waymark-backup"]
            ),
        ]
    )
    func excess(names: [String], keep: Int, expected: [String]) {
        #expect(BackupName.excess(of: names, keeping: keep) == expected)
    }
}
