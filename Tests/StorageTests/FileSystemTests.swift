import Foundation
import Logging
import Storage
import Stories
import Testing
import TestSupport

@Suite("The file of a database before it is opened")
struct FileSystemTests {
    private static let mounts = """
        22 27 0:21 / /proc rw,relatime - proc proc rw
        27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
        30 27 0:40 / /srv rw,relatime shared:7 master:2 - nfs4 host:/srv rw,vers=4.2
        31 30 0:41 / /srv/local rw - xfs /dev/sdb rw
        32 27 0:42 / /mnt/a\\040b rw - fuse.sshfs user@host:/ rw
        33 27 0:43 / /twice rw - cifs //host/a rw
        34 33 0:44 / /twice rw - tmpfs tmpfs rw
        35 27 0:45 / /odd rw - fuse.neverheardof x rw
        broken line
        """

    @Test(
        "The file system of a path is that of the deepest mount point, and of several at one point the last",
        arguments: [
            ("/home/a/waymark", "ext4", .local), ("/srv", "nfs4", .network), ("/srv/x", "nfs4", .network),
            ("/srv/local/x", "xfs", .local), ("/srv/locality", "nfs4", .network), ("/srvx", "ext4", .local),
            ("/mnt/a b/c", "fuse.sshfs", .network), ("/twice/x", "tmpfs", .local),
            ("/odd", "fuse.neverheardof", .unknown), ("/", "ext4", .local),
        ] as [(String, String, FileSystem.Suitability)]
    )
    func mounted(path: String, name: String, suitability: FileSystem.Suitability) throws {
        let system = try #require(FileSystem(of: path, mounts: FileSystemTests.mounts))
        #expect(system.name == name && system.suitability == suitability)
    }

    @Test("A path below no mount point has no file system, and tests run on one that is known")
    func nothing() throws {
        #expect(FileSystem(of: "/a", mounts: "22 27 0:21 / /proc rw - proc proc rw") == nil)
        #expect(FileSystem(of: "/a", mounts: "") == nil)
        #expect(FileSystem(of: "/", mounts: "1 2 3 / / rw -") == nil)
    }

    private func open(_ folder: TemporaryFolder, _ mode: StoryStore.Mode = .readWrite) throws -> StoryStore {
        try StoryStore(path: folder.path("waymark.db"), mode: mode, logger: Logger(label: "test"))
    }

    private func empty(_ folder: TemporaryFolder, _ names: [String]) {
        let files = FileManager.default
        for name in names { _ = files.createFile(atPath: folder.path("waymark.db" + name), contents: nil) }
    }

    @Test("REL-03 An empty file is no new database", arguments: [StoryStore.Mode.readWrite, .readOnly])
    func emptyFile(mode: StoryStore.Mode) throws {
        let folder = try TemporaryFolder()
        empty(folder, [""])
        let error = #expect(throws: StoreError.self) { try open(folder, mode) }
        #expect(error?.code == .notADatabase && error?.description.contains("delete the file") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["waymark.db"])
    }

    @Test("REL-03 A database that lost its content does not begin again, whatever lies beside it")
    func emptied() throws {
        let folder = try TemporaryFolder()
        try open(folder).close()
        try FileManager.default.removeItem(atPath: folder.path("waymark.db"))
        empty(folder, [""])
        let error = #expect(throws: StoreError.self) { try open(folder) }
        #expect(error?.code == .notADatabase && error?.description.contains("from a backup") == true)
        // A file that is not there is created, as ever.
        try FileManager.default.removeItem(atPath: folder.path("waymark.db"))
        try open(folder).close()
    }

    @Test("REL-03 A creation that was interrupted is resumed")
    func interrupted() throws {
        let folder = try TemporaryFolder()
        empty(folder, ["", ".lock"])
        try open(folder).close()
    }

    @Test(
        "The version of SQLite says whether it has the defect of the log",
        arguments: [(3_040_001, true), (3_051_002, true), (3_051_003, false), (3_053_000, false)]
    )
    func version(number: Int, isDefective: Bool) {
        #expect((SQLiteVersion(text: "x", number: number).defect != nil) == isDefective)
        #expect(SQLiteVersion.current.number > 3_030_000 && SQLiteVersion.current.text.hasPrefix("3."))
    }
}
