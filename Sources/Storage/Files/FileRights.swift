import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Keeps a database, its log and its keys from being read by other users of the machine.
package enum FileRights: Sendable {
    /// Returns whether a file or folder with this mode is open to its group or to everybody.
    package static func isOpen(mode: UInt32) -> Bool { mode & 0o077 != 0 }

    /// Takes the access of others away from a database and its keys; returns the paths that were corrected.
    ///
    /// - Throws: ``StoreError`` if a file is open to others and belongs to another user.
    static func protect(database path: String) throws(StoreError) -> [String] {
        let folder = path + ".keys"
        let keys = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
        var corrected: [String] = []
        for file in [path, path + "-wal", path + "-shm", folder] + keys.map({ folder + "/" + $0 }) {
            var found = stat()
            guard stat(file, &found) == 0, isOpen(mode: UInt32(found.st_mode)) else { continue }
            let isFolder = found.st_mode & S_IFMT == S_IFDIR
            guard chmod(file, isFolder ? 0o700 : 0o600) == 0 else {
                throw StoreError(
                    .failed,
                    "\(file) can be read by other users and belongs to another one, so it cannot be closed to them. Make "
                        + "the user that runs waymark its owner (chown), or run 'chmod \(isFolder ? 700 : 600)' as its "
                        + "owner."
                )
            }
            corrected.append(file)
        }
        return corrected
    }

    /// Whether a database, its log or its keys can be read or written by other users at present.
    static func areOpen(database path: String) -> Bool {
        let folder = path + ".keys"
        let keys = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return ([path, path + "-wal", path + "-shm", folder] + keys.map { folder + "/" + $0 })
            .contains { file in
                var found = stat()
                return lstat(file, &found) == 0 && isOpen(mode: UInt32(found.st_mode))
            }
    }

    /// What other users can do in the folder of a database.
    package enum FolderAccess: Hashable, Sendable {
        /// Nothing.
        case none
        /// They see the names, sizes and times of its files.
        case listing
        /// They can replace and remove its files.
        case writing
    }

    /// Returns what other users can do in a folder with this mode.
    package static func access(mode: UInt32) -> FolderAccess {
        // With the sticky bit, only the owner of a file can replace it.
        if mode & 0o022 != 0, mode & 0o1000 == 0 { return .writing }
        return mode & 0o044 == 0 ? .none : .listing
    }

    /// Returns what other users can do in the folder of a database; it is never changed, because the operator made it.
    static func folderAccess(database path: String) -> FolderAccess {
        var found = stat()
        guard stat(URL(fileURLWithPath: path).deletingLastPathComponent().path, &found) == 0 else { return .none }
        return access(mode: UInt32(found.st_mode))
    }
}
