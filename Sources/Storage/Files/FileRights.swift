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
}
