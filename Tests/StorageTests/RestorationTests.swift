import Foundation
import GRDB
import Logging
import Storage
import Stories
import TestSupport
import Testing

@Suite("Restoring backups")
struct RestorationTests {
    private static let now = Timestamp(milliseconds: 1_773_600_000_000)

    private static func restoration(of file: String, to path: String, passphrase: [UInt8]? = nil) throws -> Restoration
    {
        try Restoration(of: file, passphrase: passphrase, to: path, now: now)
    }

    /// Returns the folder of a database with 20 stories, whose store is closed, with a backup of it that has 10.
    private static func present(sealed: Bool = true) async throws -> (folder: TemporaryFolder, backup: String) {
        let fixture = try StoreFixture()
        try await BackupTests.fill(fixture.store, 0..<10)
        let backup = fixture.folder.path("backup")
        _ = try Backup.make(
            BackupTests.order(fixture.folder, to: backup, passphrase: sealed ? BackupTests.passphrase : nil)
        )
        try await BackupTests.fill(fixture.store, 10..<20)
        try fixture.store.close()
        return (fixture.folder, backup)
    }

    private static func count(_ path: String) async throws -> Int {
        let store = try StoryStore(path: path, mode: .readWrite, logger: .init(label: "test"))
        defer { try? store.close() }
        return try await store.read { try $0.storyCount() }
    }

    @Test("REL-05 The database before it is kept with all that belongs to it")
    func keeps() async throws {
        let (folder, backup) = try await RestorationTests.present()
        let path = folder.path("waymark.db")
        try UpkeepRecord(.check, at: RestorationTests.now, outcome: "healthy").write(besideDatabase: path)
        let keys = try BackupTests.names(in: path + ".keys")
        var kept: String?
        do {
            let restoration = try RestorationTests.restoration(of: backup, to: path, passphrase: BackupTests.passphrase)
            #expect(restoration.replaces)
            #expect(restoration.notes == [])
            kept = try restoration.swap()
        }
        #expect(kept == path + ".before-restore-20260315-184000")
        let names = try BackupTests.names(in: try #require(kept))
            .filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
        #expect(names == ["waymark.db", "waymark.db.check.json", "waymark.db.keys", "waymark.db.sums"])
        #expect(try BackupTests.mode(try #require(kept)) == 0o700)
        #expect(try BackupTests.mode(path + ".keys") == 0o700)
        #expect(try BackupTests.mode(path + ".keys/tokens.key") == 0o600)
        #expect(try BackupTests.names(in: path + ".keys") == keys)
        #expect(!FileManager.default.fileExists(atPath: path + ".restoring"))
        #expect(!FileManager.default.fileExists(atPath: path + ".restore-journal"))
        #expect(try await RestorationTests.count(path) == 10)
        #expect(try await RestorationTests.count(try #require(kept) + "/waymark.db") == 20)
    }

    @Test("REL-05 Stopped after any step, the next start has the old one or the new one, whole")
    func stopped() async throws {
        struct Stopped: Error {}
        var (step, isWhole) = (0, false)
        while !isWhole {
            let (folder, backup) = try await RestorationTests.present()
            let path = folder.path("waymark.db")
            let key = try Data(contentsOf: URL(fileURLWithPath: path + ".keys/tokens.key"))
            do {
                let restoration = try RestorationTests.restoration(
                    of: backup,
                    to: path,
                    passphrase: BackupTests.passphrase
                )
                if step > 0 {
                    _ = try restoration.swap { if $0 == step { throw Stopped() } }
                    isWhole = true
                }
            } catch is Stopped {
                // A reader must not take the half for the whole.
                if FileManager.default.fileExists(atPath: path + ".restore-journal") {
                    #expect(throws: StoreError.self) {
                        try StoryStore(path: path, mode: .readOnly, logger: .init(label: "test"))
                    }
                }
            }
            #expect(try await RestorationTests.count(path) == (step == 0 ? 20 : 10), "step \(step)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: path + ".keys/tokens.key")) == key)
            let kept = path + ".before-restore-20260315-184000/waymark.db"
            #expect(FileManager.default.fileExists(atPath: kept) == (step > 0))
            #expect(!FileManager.default.fileExists(atPath: path + ".restore-journal"))
            if step > 0 { #expect(try await RestorationTests.count(kept) == 20, "step \(step)") }
            step += 1
        }
        #expect(step > 6)
    }

    @Test("REL-05 A restore that fails or is given up leaves nothing behind where nothing was")
    func leavesNothing() async throws {
        let (folder, backup) = try await RestorationTests.present()
        let target = folder.path("elsewhere")
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
        let path = target + "/new.db"
        func restoration(of file: String) throws -> Restoration {
            try RestorationTests.restoration(of: file, to: path, passphrase: BackupTests.passphrase)
        }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: backup))
        var damaged = bytes
        damaged[bytes.count / 2] ^= 4
        for (name, content) in [("damaged", damaged), ("short", bytes.prefix(bytes.count / 2)), ("empty", Data())] {
            let file = folder.path(name)
            try content.write(to: URL(fileURLWithPath: file))
            #expect(throws: StoreError.self, "\(name)") { try restoration(of: file) }
            #expect(try BackupTests.names(in: target) == [], "\(name)")
        }
        #expect(throws: StoreError.self) { try restoration(of: folder.path("missing")) }
        #expect(try BackupTests.names(in: target) == [])
        do {
            let first = try restoration(of: backup)
            // A second one fails and leaves the lock to the first.
            let error = #expect(throws: StoreError.self) { try restoration(of: backup) }
            #expect(error?.code == .locked)
            #expect(try BackupTests.names(in: target).contains("new.db.lock"))
            #expect(!first.replaces)
        }
        #expect(try BackupTests.names(in: target) == [])
        do {
            let second = try restoration(of: backup)
            #expect(try second.swap() == nil)
        }
        #expect(try BackupTests.names(in: target).contains("new.db.lock"))
        #expect(try await RestorationTests.count(path) == 10)
    }

    @Test("REL-05 Nothing is replaced by a backup that is damaged, sealed otherwise, or in use")
    func refused() async throws {
        let (folder, backup) = try await RestorationTests.present()
        let path = folder.path("waymark.db")
        let before = try BackupTests.names(in: folder.url.path)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: backup))
        let damaged = folder.path("damaged")
        for change in 0..<4 {
            var changed = bytes
            switch change {
            case 0: changed[bytes.count / 2] ^= 4
            case 1: changed = changed.prefix(bytes.count - 100)
            case 2: changed = changed.prefix(90)
            default: changed[3] = 0
            }
            try changed.write(to: URL(fileURLWithPath: damaged))
            #expect(throws: StoreError.self) {
                try RestorationTests.restoration(of: damaged, to: path, passphrase: BackupTests.passphrase)
            }
            #expect(throws: StoreError.self) { try BackupCheck.verify(damaged, passphrase: BackupTests.passphrase) }
            try FileManager.default.removeItem(atPath: damaged)
        }
        #expect(throws: StoreError.self) { try RestorationTests.restoration(of: backup, to: path) }
        #expect(throws: StoreError.self) {
            try RestorationTests.restoration(of: backup, to: path, passphrase: Array("another passphrase".utf8))
        }
        #expect(try BackupTests.names(in: folder.url.path) == before)
        let store = try StoryStore(path: path, mode: .readWrite, logger: .init(label: "test"))
        let error = #expect(throws: StoreError.self) {
            try RestorationTests.restoration(of: backup, to: path, passphrase: BackupTests.passphrase)
        }
        #expect(error?.code == .locked)
        try store.close()
        #expect(try await RestorationTests.count(path) == 20)
    }

    @Test(
        "A backup whose database would run something is refused before it runs",
        arguments: [
            ("CREATE TRIGGER evil AFTER UPDATE ON users BEGIN DELETE FROM stories; END", "evil"),
            ("CREATE VIEW evil AS SELECT * FROM users", "evil"),
            ("CREATE INDEX evil ON users (upper(name))", "evil"),
            ("CREATE VIRTUAL TABLE evil USING rtree (id, a, b)", "evil"),
            ("DROP TRIGGER stories_added", "stories_added"),
            (
                "DROP TRIGGER stories_added; CREATE TRIGGER stories_added BEFORE INSERT ON stories BEGIN "
                    + "DELETE FROM stories; END", "stories_added"
            ),
            ("DROP TABLE hides", "hides"),
        ]
    )
    func hostile(sql: String, name: String) async throws {
        let fixture = try StoreFixture()
        try fixture.store.close()
        do {
            let queue = try DatabaseQueue(path: fixture.folder.path("waymark.db"))
            try await queue.write { try $0.execute(sql: sql) }
            try queue.close()
        }
        let backup = fixture.folder.path("backup")
        _ = try Backup.make(BackupTests.order(fixture.folder, to: backup))
        let place = try TemporaryFolder()
        let error = #expect(throws: StoreError.self) {
            try RestorationTests.restoration(of: backup, to: place.path("waymark.db"))
        }
        #expect(error?.description.contains(name) == true, "\(String(describing: error))")
        #expect(try BackupTests.names(in: place.url.path) == [])
    }

    @Test("Tables that other programs add do not prevent a restore")
    func foreignTables() async throws {
        let fixture = try StoreFixture()
        try fixture.store.inspect { db in
            try db.execute(sql: "CREATE TABLE layer_styles (id INTEGER PRIMARY KEY, style TEXT)")
            try db.execute(sql: "CREATE INDEX styles ON layer_styles (style)")
            try db.execute(sql: "INSERT INTO layer_styles (style) VALUES ('red')")
        }
        let backup = fixture.folder.path("backup")
        _ = try Backup.make(BackupTests.order(fixture.folder, to: backup))
        let place = try TemporaryFolder()
        let restoration = try RestorationTests.restoration(of: backup, to: place.path("waymark.db"))
        #expect(restoration.contents.rows(of: "layer_styles") == 1)
    }

    @Test("Which keys and which list of erasures a restored database gets")
    func keys() {
        func folder(_ lines: Int, _ files: [String: String]) -> KeyMerge.Folder {
            .init(files: files.mapValues { Array($0.utf8) }, lines: lines)
        }
        func merged(_ present: KeyMerge.Folder, _ backup: KeyMerge.Folder) -> [String: String] {
            KeyMerge(present: present, backup: backup).files.mapValues { String(decoding: $0, as: UTF8.self) }
        }
        let backup = folder(
            2,
            ["erasures.key": "E", "erasures.log": "a\nb\n", "tokens.key": "T", "channels.key": "C", "sealing.key": "S"]
        )
        // A new machine; one that was started once; a backup without keys.
        #expect(merged(folder(0, [:]), backup)["erasures.log"] == "a\nb\n")
        let started = folder(0, ["erasures.key": "N", "tokens.key": "N", "channels.key": "N", "vapid.key": "N"])
        #expect(
            merged(started, backup) == [
                "erasures.key": "E", "erasures.log": "a\nb\n", "tokens.key": "T", "channels.key": "C",
                "sealing.key": "S",
                "vapid.key": "N",
            ]
        )
        let later = folder(3, ["erasures.key": "E", "erasures.log": "b\nc\n", "tokens.key": "T", "channels.key": "C"])
        #expect(merged(later, folder(0, [:])) == later.files.mapValues { String(decoding: $0, as: UTF8.self) })
        // The same machine later: its list wins, and what a new key of tokens ended stays ended.
        #expect(merged(later, backup)["erasures.log"] == "b\nc\n")
        #expect(KeyMerge(present: later, backup: backup).notes == [])
        let rotated = folder(
            3,
            ["erasures.key": "E", "erasures.log": "b\nc\n", "tokens.key": "new", "channels.key": "new"]
        )
        #expect(merged(rotated, backup)["tokens.key"] == "new")
        #expect(merged(rotated, backup)["channels.key"] == "C")
        #expect(KeyMerge(present: rotated, backup: backup).notes.count == 2)
        // A list that lost lines is joined with that of the backup, the older lines first.
        let short = folder(1, ["erasures.key": "E", "erasures.log": "b\nd\n"])
        #expect(merged(short, backup)["erasures.log"] == "a\nb\nd\n")
        // Another installation, which has erased somebody: that stays erased.
        let other = folder(1, ["erasures.key": "O", "erasures.log": "o\n", "tokens.key": "O", "channels.key": "O"])
        #expect(merged(other, backup)["erasures.key"] == "O")
        #expect(merged(other, backup)["erasures.log"] == "o\n")
        #expect(merged(other, backup)["tokens.key"] == "T")
        #expect(KeyMerge(present: other, backup: backup).notes.count == 2)
    }

    @Test("NTF-04 What was announced since the backup stays announced, whichever list of erasures is taken")
    func announced() {
        func folder(_ key: String, _ lines: Int, removed: UInt8, records: Int) -> KeyMerge.Folder {
            let header = Array("WAYMANN1".utf8) + [0, 0, 0, 0, 0, 0, 0, removed]
            let file = header + [UInt8](repeating: UInt8(lines), count: 40 * records)
            return .init(files: ["erasures.key": Array(key.utf8), "announced.log": file], lines: lines)
        }
        func merged(_ present: KeyMerge.Folder, _ backup: KeyMerge.Folder) -> [UInt8]? {
            KeyMerge(present: present, backup: backup).files["announced.log"]
        }
        let backup = folder("E", 0, removed: 0, records: 2)
        for lines in [0, 3] {
            let later = folder("E", lines, removed: 0, records: 5)
            #expect(merged(later, backup) == later.files["announced.log"])
            // Records of an erased user do not come back, although the file is shorter than the backup's.
            let erased = folder("E", lines, removed: 2, records: 1)
            #expect(merged(erased, backup) == erased.files["announced.log"])
            let lost = folder("E", lines, removed: 0, records: 1)
            #expect(merged(lost, backup) == backup.files["announced.log"])
        }
        // Under another key the file names nobody: it goes with its key.
        #expect(merged(folder("O", 0, removed: 0, records: 5), backup) == backup.files["announced.log"])
        let other = folder("O", 1, removed: 0, records: 5)
        #expect(merged(other, backup) == other.files["announced.log"])
    }
}
