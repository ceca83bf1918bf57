import CSpatiaLite
import Foundation
import Logging

/// The version of SQLite that this process runs on.
public struct SQLiteVersion: Hashable, Sendable {
    /// The version in words, such as `3.40.1`.
    public let text: String
    /// The version as a number, such as 3040001.
    public let number: Int

    /// Creates a value.
    package init(text: String, number: Int) {
        self.text = text
        self.number = number
    }

    /// The version in use.
    public static var current: SQLiteVersion {
        SQLiteVersion(text: String(cString: sqlite3_libversion()), number: Int(sqlite3_libversion_number()))
    }

    /// The first version without the defect in which two processes that move the log at the same instant damage the file.
    private static let mended = 3_051_003

    /// Whether the version has the defect, and what that means; `nil` for a version without it.
    public var defect: String? {
        guard number < SQLiteVersion.mended else { return nil }
        return "SQLite \(text) is older than 3.51.3 and can damage a database if two programs move its log at the same "
            + "instant. The service is the only one that does: it holds a lock, and its commands open the file to read. Do not "
            + "open the running database with other programs that write, and update SQLite when your system offers it."
    }
}

extension StoryStore {
    /// The free space of the disk in bytes, at most a second old; `nil` if unknown, or if the space is not watched.
    public var freeSpace: Int? { gauge.space.free }

    /// The limits by which the free space is watched.
    public var spaceLimits: SpaceLimits { gauge.space.limits }

    /// Watches the free space of the disk from now on, and refuses ordinary writes below a limit.
    ///
    /// `measuring` returns the number of free bytes, by default those of the database's disk; it is called at most once a
    /// second by `now`, a monotonic clock in milliseconds.
    public func watchSpace(
        _ limits: SpaceLimits,
        measuring: (@Sendable () -> Int?)? = nil,
        now: (@Sendable () -> Int64)? = nil
    ) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        gauge.space.watch(
            limits,
            measure: measuring ?? { SpaceWatch.free(in: folder) },
            now: now ?? SpaceWatch.monotonic
        )
    }

    /// Returns whether the file can be read but not written here; see ``FileSystem/isReadOnly(_:)``.
    public static func isReadOnly(_ path: String) -> Bool { FileSystem.isReadOnly(resolved(path)) }

    /// Refuses to write a database on a network file system, and warns about an unknown one.
    ///
    /// There is no way around the refusal: the lock that keeps a second writer out does not hold there, and nothing else
    /// would notice one before the file is damaged.
    static func checkFileSystem(of path: String, logger: Logger) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard let system = FileSystem(ofDatabase: folder) else { return }
        switch system.suitability {
        case .local: return
        case .network:
            throw StoreError(
                .refused,
                "\(path) is on a network file system (\(system.name)). SQLite loses or damages data there, because locks "
                    + "and shared memory do not work across machines. Put the database on a disk of this machine with "
                    + "--database, and keep backups on the network."
            )
        case .unknown:
            logger.warning(
                """
                the database is on a file system that this program does not know; acknowledged writes are safe only if it \
                is on a disk of this machine and supports locks and shared memory
                """,
                metadata: ["file system": "\(system.name)"]
            )
        }
    }

    /// Rejects an empty file, unless it remains from a creation that was interrupted.
    ///
    /// SQLite would take it for a new database, and a database that has lost its content would silently begin again. An
    /// interrupted creation leaves the lock, but no keys: they are made once the database exists.
    static func checkEmptyFile(_ path: String) throws {
        let files = FileManager.default
        if files.fileExists(atPath: path + ".keys") {
            throw StoreError(
                .notADatabase,
                "\(path) is empty (0 bytes), but the folder of keys beside it belongs to a database that was in use. Restore "
                    + "the database from a backup; keep \(path).keys and the other files beside it until then. Nothing was "
                    + "changed."
            )
        }
        guard files.fileExists(atPath: path + ".lock") else {
            throw StoreError(
                .notADatabase,
                "\(path) is empty (0 bytes) and is no database. If you want a new one, delete the file and start again; if "
                    + "it should hold data, restore it from a backup. Nothing was changed."
            )
        }
    }
}
