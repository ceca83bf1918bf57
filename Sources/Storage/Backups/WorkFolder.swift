import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A folder for temporary files of a backup, which only its owner can read; it is emptied when it is taken, and removed
/// when it is released.
///
/// It has a fixed name and is locked, so there is one backup of a database at a time, and what a killed one left is
/// removed by the next.
final class WorkFolder {
    let path: String
    private let descriptor: Int32
    private var isKept = false

    /// Takes the folder.
    ///
    /// - Throws: ``StoreError`` with code `locked` if another process works in it.
    init(_ path: String) throws {
        self.path = path
        for _ in 0..<3 {
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
                throw StoreError(
                    .failed,
                    "Cannot create the folder \(path): \(String(cString: strerror(errno))). Check the permissions of its folder."
                )
            }
            let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                close(descriptor)
                throw StoreError(.locked, "Another backup or restore is working in \(path). Wait until it is finished.")
            }
            // The one who had the lock before may have removed the folder meanwhile.
            var (locked, named) = (stat(), stat())
            if fstat(descriptor, &locked) == 0, lstat(path, &named) == 0, locked.st_ino == named.st_ino,
                locked.st_dev == named.st_dev
            {
                self.descriptor = descriptor
                fchmod(descriptor, 0o700)
                removeContents()
                return
            }
            close(descriptor)
        }
        throw StoreError(.failed, "Cannot use the folder \(path). Is something else removing it?")
    }

    deinit {
        if !isKept {
            removeContents()
            rmdir(path)
        }
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// The path of a file in it.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Leaves the folder as it is when this is released.
    func keepContents() { isKept = true }

    private func removeContents() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
            try? FileManager.default.removeItem(atPath: file(name))
        }
    }
}

@available(*, unavailable)
extension WorkFolder: Sendable {}

/// The space on a disk.
enum FreeSpace: Sendable {
    /// Rejects work that needs `bytes` more than the disk of `folder` has.
    ///
    /// - Throws: ``StoreError`` with code `diskFull`.
    static func require(_ bytes: Int, in folder: String, for what: String) throws {
        var room = statvfs()
        guard statvfs(folder, &room) == 0 else { return }
        let (free, overflows) = UInt64(room.f_bavail).multipliedReportingOverflow(by: UInt64(room.f_frsize))
        // What is left afterwards keeps the service going.
        let needed = UInt64(max(0, bytes)) + (16 << 20)
        guard !overflows, free < needed else { return }
        throw StoreError(
            .diskFull,
            "\(what) needs \((needed >> 20) + 1) MB in \(folder), and \(free >> 20) MB are free. Free some space, or use "
                + "another disk. Nothing was written."
        )
    }

    /// Whether two folders are on one disk.
    static func isShared(_ one: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        return stat(one, &first) == 0 && stat(other, &second) == 0 && first.st_dev == second.st_dev
    }
}
