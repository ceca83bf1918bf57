import Foundation
import Logging
import Storage
import Stories
import TestSupport
import Testing

@Suite("Rotating keys")
struct KeyRotationTests {
    private struct Stopped: Error {}
    private static let now = Timestamp(milliseconds: 1_773_600_000_000)
    private static let day: Int64 = 86_400_000
    private static let rotatable: [StoreKeys.Name] = [.versions, .cursors, .tokens, .sealing, .channels, .vapid]

    private static func files(_ folder: TemporaryFolder) throws -> [String: Data] {
        let keys = folder.path("waymark.db.keys")
        return Dictionary(
            uniqueKeysWithValues: try FileManager.default.contentsOfDirectory(atPath: keys)
                .map { ($0, try Data(contentsOf: URL(filePath: "\(keys)/\($0)"))) }
        )
    }

    @Test("REL-09 A new key takes the place of the old one, which is accepted for a time and then forgotten")
    func rotates() throws {
        let fixture = try StoreFixture()
        try fixture.store.close()
        for name in KeyRotationTests.rotatable {
            let store = try StoreFixture.open(fixture.folder, .readWrite)
            let old = store.keys[name]
            let until = try store.rotateKey(name, days: name == .versions ? nil : 3, at: KeyRotationTests.now)
            try store.close()
            let again = try StoreFixture.open(fixture.folder, .readWrite)
            #expect(again.keys[name] != old && again.keys[name].count == 32)
            #expect(again.keys.madeAnew == [])
            guard name != .versions else {
                #expect(until == nil && again.keys.known(name) == [again.keys[name]])
                try again.close()
                continue
            }
            let end = KeyRotationTests.now.advanced(byMilliseconds: 3 * KeyRotationTests.day)
            #expect(until == end)
            let (before, after) = (end.advanced(byMilliseconds: -1), end)
            #expect(again.keys.known(name) == [again.keys[name], old])
            #expect(again.keys.accepted(name, at: before) == [again.keys[name], old])
            #expect(again.keys.accepted(name, at: after) == [again.keys[name]])
            #expect(try again.forgetFormerKeys(at: before) == [])
            #expect(try again.forgetFormerKeys(at: after) == [name])
            try again.close()
            let last = try StoreFixture.open(fixture.folder, .readWrite)
            #expect(last.keys.known(name) == [last.keys[name]])
            try last.close()
        }
        for name in try KeyRotationTests.files(fixture.folder).keys {
            #expect(try BackupTests.mode(fixture.folder.path("waymark.db.keys/\(name)")) == 0o600, "\(name)")
        }
    }

    @Test("REL-09 What cannot be rotated says why, and a wrong overlap, a backup under way or a reader change nothing")
    func refused() throws {
        let fixture = try StoreFixture()
        let before = try KeyRotationTests.files(fixture.folder)
        let cases: [(StoreKeys.Name, Int?, String)] = [
            (.storyIDs, nil, "cannot be rotated: ids of imported stories"),
            (.ledger, 3, "cannot be rotated: the ledger"),
            (.erasures, 0, "cannot be rotated: the list of erasures"),
            (.versions, 5, "has no overlap"),
            (.tokens, -1, "from 0 to 366 days"),
            (.tokens, 367, "from 0 to 366 days"),
            (.tokens, .max, "from 0 to 366 days"),
        ]
        for (name, days, words) in cases {
            let error = #expect(throws: StoreError.self) {
                try fixture.store.rotateKey(name, days: days, at: KeyRotationTests.now)
            }
            #expect(error?.code == .refused)
            #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
        }
        // A backup has rows under the old key and may not have read the keys yet.
        let backup = BackupTests.order(fixture.folder, to: fixture.folder.path("backup"))
        var busy: StoreError?
        do {
            _ = try Backup.make(backup) { _, _, _ in
                _ = try fixture.store.rotateKey(.channels, at: KeyRotationTests.now)
            }
        } catch let error as StoreError {
            busy = error
        }
        #expect(busy?.code == .locked)
        let reader = try StoreFixture.open(fixture.folder, .readOnly)
        #expect(throws: StoreError.self) { try reader.rotateKey(.tokens, at: KeyRotationTests.now) }
        try reader.close()
        #expect(try KeyRotationTests.files(fixture.folder) == before)
    }

    @Test("REL-09 Stopped after any write, the old key and the key in use are known, and a repetition completes it")
    func stopped() throws {
        for name in [StoreKeys.Name.tokens, .channels, .versions] {
            for step in 1...3 {
                let fixture = try StoreFixture()
                let old = fixture.store.keys[name]
                // Without an overlap there is no first step.
                let isSkipped = name == .versions && step == 1
                var isStopped = false
                do {
                    _ = try fixture.store.rotateKey(name, days: nil, at: KeyRotationTests.now) {
                        if $0 == step { throw Stopped() }
                    }
                } catch is Stopped {
                    isStopped = true
                }
                #expect(isStopped != isSkipped)
                try fixture.store.close()
                // What a kill in the middle of a write leaves.
                for ending in ["key.new", "former.new"] {
                    let file = fixture.folder.path("waymark.db.keys/\(name.rawValue).\(ending)")
                    try Data("half".utf8).write(to: URL(filePath: file))
                }
                let store = try StoreFixture.open(fixture.folder, .readWrite)
                #expect(store.keys.madeAnew == [])
                let isReplaced = step == 3 || isSkipped
                #expect((store.keys[name] == old) != isReplaced, "\(name.rawValue), step \(step)")
                if name != .versions { #expect(store.keys.known(name).contains(old)) }
                let used = store.keys[name]
                _ = try store.rotateKey(name, at: KeyRotationTests.now)
                try store.close()
                let again = try StoreFixture.open(fixture.folder, .readWrite)
                #expect(again.keys[name] != used && again.keys[name] != old)
                if name != .versions {
                    #expect(Set(again.keys.known(name)).isSuperset(of: [old, used]))
                    #expect(again.keys.formers(name).count == (isReplaced ? 2 : 1))
                }
                try again.close()
            }
        }
    }

    @Test("REL-09 A flipped bit in a former key is noticed at the start, and so is one too many")
    func damaged() throws {
        let fixture = try StoreFixture()
        _ = try fixture.store.rotateKey(.channels, at: KeyRotationTests.now)
        try fixture.store.close()
        let file = URL(filePath: fixture.folder.path("waymark.db.keys/channels.former"))
        let whole = try Data(contentsOf: file)
        for position in stride(from: 0, to: whole.count - 1, by: 9) {
            var flipped = whole
            flipped[flipped.startIndex + position] ^= 0x04
            try flipped.write(to: file)
            let error = #expect(throws: StoreError.self) { try StoreFixture.open(fixture.folder, .readOnly) }
            #expect(error?.description.contains("channels.former is damaged") == true, "byte \(position)")
        }
        try whole.write(to: file)
        for count in 1..<16 {
            let store = try StoreFixture.open(fixture.folder, .readWrite)
            #expect(store.keys.formers(.channels).count == count)
            _ = try store.rotateKey(.channels, at: KeyRotationTests.now)
            try store.close()
        }
        let full = try StoreFixture.open(fixture.folder, .readWrite)
        let before = try KeyRotationTests.files(fixture.folder)
        #expect(full.keys.formers(.channels).count == 16)
        #expect(throws: StoreError.self) { try full.rotateKey(.channels, at: KeyRotationTests.now) }
        #expect(try KeyRotationTests.files(fixture.folder) == before)
        try full.close()
    }

    /// Returns the keys of a database after a backup was restored there.
    private static func restored(_ backup: String, to folder: TemporaryFolder) throws -> (StoreKeys, notes: [String]) {
        let notes: [String]
        // The restoration holds the lock until it is released.
        do {
            let restoration = try Restoration(
                of: backup,
                passphrase: BackupTests.passphrase,
                to: folder.path("waymark.db"),
                now: now
            )
            try StoryStore(path: restoration.staged, mode: .readWrite, logger: Logger(label: "test")).close()
            notes = restoration.notes
            _ = try restoration.swap()
        }
        let store = try StoreFixture.open(folder, .readWrite)
        defer { try? store.close() }
        return (store.keys, notes)
    }

    @Test("REL-05 REL-09 Both keys are in a backup, and a restore keeps the newer in use and the older known")
    func backups() throws {
        let fixture = try StoreFixture()
        let names: [StoreKeys.Name] = [.tokens, .cursors, .sealing, .channels, .vapid]
        let old = fixture.store.keys
        let (before, after) = (fixture.folder.path("before"), fixture.folder.path("after"))
        _ = try Backup.make(BackupTests.order(fixture.folder, to: before, passphrase: BackupTests.passphrase))
        for name in names { _ = try fixture.store.rotateKey(name, at: KeyRotationTests.now) }
        try fixture.store.close()
        _ = try Backup.make(BackupTests.order(fixture.folder, to: after, passphrase: BackupTests.passphrase))
        let store = try StoreFixture.open(fixture.folder, .readWrite)
        let new = store.keys
        try store.close()
        // The backup of before, over the database of after.
        let (over, notes) = try KeyRotationTests.restored(before, to: fixture.folder)
        for name in names { #expect(over.known(name) == [new[name], old[name]], "\(name.rawValue)") }
        #expect(notes.count == names.count && notes.allSatisfy { $0.contains("stays known as a former key") })
        // On a new machine, both ways round.
        let machine = try TemporaryFolder()
        let first = try KeyRotationTests.restored(before, to: machine)
        for name in names { #expect(first.0.known(name) == [old[name]]) }
        let second = try KeyRotationTests.restored(after, to: machine)
        for name in names { #expect(second.0.known(name) == [new[name], old[name]], "\(name.rawValue)") }
        #expect(second.notes.count == names.count)
    }

    @Test("REL-09 What other users can do in a folder follows from its mode")
    func access() {
        let cases: [(UInt32, FileRights.FolderAccess)] = [
            (0o700, .none), (0o711, .none), (0o755, .listing), (0o750, .listing), (0o704, .listing), (0o770, .writing),
            (0o702, .writing), (0o1777, .listing), (0o777, .writing),
        ]
        for (mode, access) in cases { #expect(FileRights.access(mode: mode) == access, "\(String(mode, radix: 8))") }
    }

    @Test("REL-09 What is opened to others while in use is noticed; a start closes files and leaves the folder")
    func opened() throws {
        let fixture = try StoreFixture()
        #expect(!fixture.store.isOpenToOthers && fixture.store.folderAccess == .none)
        let file = fixture.folder.path("waymark.db.keys/tokens.key")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file)
        #expect(fixture.store.isOpenToOthers)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: fixture.folder.url.path)
        #expect(fixture.store.folderAccess == .listing)
        try fixture.store.close()
        // A start closes the files, and leaves the folder of the operator alone.
        let store = try StoreFixture.open(fixture.folder, .readWrite)
        #expect(!store.isOpenToOthers && store.folderAccess == .listing)
        #expect(try BackupTests.mode(fixture.folder.url.path) == 0o755)
        try store.close()
    }
}
