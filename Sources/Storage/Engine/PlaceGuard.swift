#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The files of a database as they lie on the disk at one moment.
package struct PlaceFacts: Equatable, Sendable {
    /// A file, whatever its name.
    package struct File: Equatable, Sendable {
        let device: UInt64
        let inode: UInt64
        /// The number of names it has.
        let names: Int

        /// Creates a description of a file.
        package init(device: UInt64, inode: UInt64, names: Int) {
            (self.device, self.inode, self.names) = (device, inode, names)
        }

        /// Returns whether both are one file.
        func isSame(as other: File) -> Bool { device == other.device && inode == other.inode }
    }

    /// The file at the path of the database; `nil` if there is none.
    package var database: File?
    /// The file at the path of its log.
    package var log: File?
    /// The file at the path of its lock.
    package var lock: File?

    /// Creates facts from their parts.
    package init(database: File?, log: File?, lock: File?) {
        (self.database, self.log, self.lock) = (database, log, lock)
    }
}

/// What is wrong with the files of an open database.
package enum PlaceFault: Error, CaseIterable, CustomStringConvertible {
    case databaseMissing
    case databaseReplaced
    case databaseHasTwoNames
    case logMissing
    case logReplaced
    case lockMissing
    case lockReplaced

    /// Compares the files as they were opened with those found now; returns the first fault, or `nil`.
    ///
    /// A file that was not there when the database was opened is not missed.
    package static func found(opened: PlaceFacts, now: PlaceFacts) -> PlaceFault? {
        if let file = opened.database {
            guard let found = now.database else { return .databaseMissing }
            guard found.isSame(as: file) else { return .databaseReplaced }
            guard found.names <= 1 else { return .databaseHasTwoNames }
        }
        if let file = opened.log {
            guard let found = now.log else { return .logMissing }
            guard found.isSame(as: file) else { return .logReplaced }
        }
        if let file = opened.lock {
            guard let found = now.lock else { return .lockMissing }
            guard found.isSame(as: file) else { return .lockReplaced }
        }
        return nil
    }

    package var description: String {
        switch self {
        case .databaseMissing: "the database file was removed or renamed while it was open"
        case .databaseReplaced: "another file was put in the place of the database while it was open"
        case .databaseHasTwoNames:
            "the database file has a second name (a hard link), under which another program could open it"
        case .logMissing: "the log of the database (-wal) was removed while it was open"
        case .logReplaced: "another file was put in the place of the database's log (-wal) while it was open"
        case .lockMissing: "the lock of the database was removed, so that a second process could have opened it"
        case .lockReplaced: "the lock of the database was replaced, so that a second process could have opened it"
        }
    }
}

/// Notices that the files at the paths of an open database are no longer the ones that were opened.
///
/// SQLite goes on writing to a file that was removed or replaced, and everything acknowledged from then on would be lost.
/// So each group of writes looks before it begins and again before it is acknowledged: three calls of `stat`, some
/// microseconds.
struct PlaceGuard: Sendable {
    private let path: String
    private let logPath: String
    private let lockPath: String
    private let opened: PlaceFacts

    /// Remembers the files of a database that has just been opened for writing, and was the file `before` if it existed.
    ///
    /// - Throws: ``StoreError`` if the file was replaced while it was being opened.
    init(database path: String, before: PlaceFacts.File?) throws(StoreError) {
        self.path = path
        logPath = path + "-wal"
        lockPath = path + ".lock"
        opened = PlaceGuard.facts(path, logPath, lockPath)
        if let before, opened.database?.isSame(as: before) != true {
            throw StoreError(.failed, "\(path) was replaced while it was being opened. Start again.")
        }
    }

    /// Rejects a database whose file has a second name: a process that opened it there would use another log and
    /// another lock.
    static func checkNames(of path: String) throws(StoreError) {
        guard let file = file(at: path), file.names > 1 else { return }
        throw StoreError(
            .failed,
            "\(path) has \(file.names) names (hard links). A program that opens it under another name uses another log, "
                + "and acknowledged writes could be lost. Remove the other names: 'find DIRECTORY -samefile \(path)' "
                + "lists them. For a copy, use a backup instead of a link."
        )
    }

    /// Returns what is wrong now, or `nil`.
    func fault() -> PlaceFault? {
        PlaceFault.found(opened: opened, now: PlaceGuard.facts(path, logPath, lockPath))
    }

    private static func facts(_ path: String, _ logPath: String, _ lockPath: String) -> PlaceFacts {
        PlaceFacts(database: file(at: path), log: file(at: logPath), lock: file(at: lockPath))
    }

    /// Returns the file at a path; `nil` if there is none or it cannot be reached.
    static func file(at path: String) -> PlaceFacts.File? {
        var found = stat()
        return stat(path, &found) == 0 ? file(found) : nil
    }

    private static func file(_ found: stat) -> PlaceFacts.File {
        PlaceFacts.File(
            device: UInt64(truncatingIfNeeded: found.st_dev),
            inode: UInt64(truncatingIfNeeded: found.st_ino),
            names: Int(found.st_nlink)
        )
    }
}
