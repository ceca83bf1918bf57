import Foundation
import Storage
import TestSupport
import Testing

@Suite("Keys and permissions next to a database")
struct KeyCheckTests {
    @Test(
        "REL-09 A flipped bit in any key is noticed at the start, with its name and the remedy",
        arguments: StoreKeys.Name.allCases.filter { $0 != .storyIDs && $0 != .ledger }
    )
    func flipped(name: StoreKeys.Name) throws {
        let fixture = try StoreFixture()
        try fixture.store.close()
        let file = URL(filePath: fixture.folder.path("waymark.db.keys/\(name.rawValue).key"))
        let key = try Data(contentsOf: file)
        var flipped = key
        flipped[flipped.startIndex + 17] ^= 0x10
        try flipped.write(to: file)
        let error = #expect(throws: StoreError.self) { try StoreFixture.open(fixture.folder, .readWrite) }
        #expect(error?.description.contains("\(name.rawValue).key is damaged") == true)
        #expect(error?.description.contains("Restore it from a backup") == true)
        // Neither the wrong key nor the right one is given up for it.
        try key.write(to: file)
        try StoreFixture.open(fixture.folder, .readWrite).close()
    }

    @Test("REL-09 A key that is created again, and a damaged or missing file of checks, are no fault")
    func renewed() throws {
        let fixture = try StoreFixture()
        try fixture.store.close()
        let checks = fixture.folder.path("waymark.db.keys/keys.check")
        try FileManager.default.removeItem(atPath: fixture.folder.path("waymark.db.keys/cursors.key"))
        try StoreFixture.open(fixture.folder, .readWrite).close()
        try StoreFixture.open(fixture.folder, .readWrite).close()
        var bytes = try Data(contentsOf: URL(filePath: checks))
        bytes[bytes.startIndex + 30] ^= 1
        try bytes.write(to: URL(filePath: checks))
        try StoreFixture.open(fixture.folder, .readWrite).close()
        try FileManager.default.removeItem(atPath: checks)
        try StoreFixture.open(fixture.folder, .readWrite).close()
        #expect(FileManager.default.fileExists(atPath: checks))
    }

    @Test("REL-09 Files that others could read are closed to them, and the log says so")
    func rights() throws {
        let fixture = try StoreFixture()
        try fixture.store.close()
        let files = ["waymark.db", "waymark.db.keys/tokens.key", "waymark.db.keys"].map(fixture.folder.path)
        for (file, mode) in zip(files, [0o644, 0o640, 0o755]) {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        }
        try StoreFixture.open(fixture.folder, .readWrite).close()
        for (file, mode) in zip(files, [0o600, 0o600, 0o700]) {
            let found = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(found == mode, "\(file)")
        }
        for (mode, isOpen) in [(UInt32(0o600), false), (0o700, false), (0o640, true), (0o604, true), (0o710, true)] {
            #expect(FileRights.isOpen(mode: mode) == isOpen)
        }
    }
}
