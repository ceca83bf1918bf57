import Foundation
import GRDB

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A database as its files show it, also beside a running service: nothing is opened for writing, made or changed.
package struct StoreSurvey: Sendable {
    /// How the database relates to this version of the program.
    package enum Age: Hashable, Sendable {
        /// It is of this version.
        case current
        /// It is of an earlier version; the next start brings it up to date.
        case older
        /// It is of a later version.
        case newer
        /// It was not looked at: a service holds it, its log is not empty, or SQLite cannot read it.
        case unknown
    }

    /// The path, with links resolved.
    package let path: String
    /// Whether there is a file.
    package let exists: Bool
    /// Why it cannot be opened, or cannot be made; `nil` if nothing is in the way.
    package let obstacle: StoreError?
    /// Whether a process, such as a running service, holds it.
    package let isHeld: Bool
    /// Whether the user who asks may write it, or make it in its folder.
    package let isWritable: Bool
    /// Whether its rights alone keep this user, or its owner, from writing the file.
    package let isFileProtected: Bool
    /// Whether the rights of its folder alone keep this user, or its owner, from making files in it.
    package let isFolderProtected: Bool
    /// The user to whom the file belongs, if that is somebody else; `nil` also without a file.
    package let otherOwner: UInt32?
    /// The size of the file in bytes.
    package let size: Int
    /// The size of its log in bytes.
    package let logSize: Int
    /// The file system of its folder; `nil` if the system does not say.
    package let fileSystem: FileSystem?
    /// The free bytes of its disk; `nil` if unknown.
    package let free: Int?
    /// Whether other users can read or write it, its log or its keys.
    package let isOpenToOthers: Bool
    /// What other users can do in its folder.
    package let folderAccess: FileRights.FolderAccess
    /// Whether there is a folder of keys beside it.
    package let hasKeys: Bool
    /// The keys that the note in that folder calls lost.
    package let lostKeys: [StoreKeys.Name]
    /// What is wrong with that folder or with keys in it: a text for each thing, with what to do.
    package let keyProblems: [String]
    /// How it relates to this version of the program.
    package let age: Age
    /// Whether SQLite cannot read it, although nothing is in the way.
    package let isUnreadable: Bool

    /// Looks at the database at a path.
    package init(_ path: String) {
        let path = StoryStore.resolved(path)
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let (exists, isHeld) = (FileManager.default.fileExists(atPath: path), StoreLock.isHeld(database: path))
        let (obstacle, logSize) = (StoreSurvey.obstacle(of: path), StoryStore.fileSize(of: path + "-wal"))
        let isQuiet = exists && obstacle == nil && !isHeld && logSize == 0
        self.path = path
        self.exists = exists
        self.obstacle = obstacle
        self.isHeld = isHeld
        isWritable = exists ? !FileSystem.isReadOnly(path) : access(folder, W_OK) == 0
        isFileProtected = exists && StoreSurvey.isProtected(path, against: W_OK, bits: 0o200)
        isFolderProtected = exists && StoreSurvey.isProtected(folder, against: W_OK | X_OK, bits: 0o300)
        otherOwner = StoreSurvey.otherOwner(of: path)
        size = StoryStore.fileSize(of: path)
        self.logSize = logSize
        fileSystem = FileSystem(ofDatabase: folder)
        free = SpaceWatch.free(in: folder)
        isOpenToOthers = FileRights.areOpen(database: path)
        folderAccess = FileRights.folderAccess(database: path)
        hasKeys = FileManager.default.fileExists(atPath: path + ".keys")
        lostKeys = LostKeys.named(beside: path)
        keyProblems = KeySurvey.problems(besideDatabase: path)
        age = isQuiet ? StoreSurvey.age(of: path) : .unknown
        isUnreadable = isQuiet && age == .unknown
    }

    /// Returns whether rights alone stand against an access, and no disk that is mounted read-only.
    ///
    /// The superuser may write everything, so of a file of their own its mode is asked: it says what was meant.
    private static func isProtected(_ path: String, against right: Int32, bits: mode_t) -> Bool {
        if access(path, right) != 0 { return errno == EACCES }
        var found = stat()
        return stat(path, &found) == 0 && found.st_uid == geteuid() && found.st_mode & bits != bits
    }

    private static func obstacle(of path: String) -> StoreError? {
        do {
            try RestoreSwap.finishInterrupted(path, isWriting: false)
            try StoryStore.checkHeader(of: path)
            return nil
        } catch let error as StoreError {
            return error
        } catch {
            return StoreError(.failed, "\(path) cannot be read. Check the disk.")
        }
    }

    private static func otherOwner(of path: String) -> UInt32? {
        var found = stat()
        guard stat(path, &found) == 0, found.st_uid != geteuid() else { return nil }
        return UInt32(found.st_uid)
    }

    /// Reads which migrations the file has, as a file that nothing changes: so SQLite makes no shared memory beside it.
    private static func age(of path: String) -> Age {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA trusted_schema = OFF") }
        guard let name = StoryStore.immutableName(of: path),
            let queue = try? DatabaseQueue(path: name, configuration: configuration)
        else { return .unknown }
        defer { try? queue.close() }
        let found = try? queue.read { db -> Age in
            if try Schema.migrator.hasBeenSuperseded(db) { return .newer }
            return try Schema.migrator.hasCompletedMigrations(db) ? .current : .older
        }
        return found ?? .unknown
    }
}
