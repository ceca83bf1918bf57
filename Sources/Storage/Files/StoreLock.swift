import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The exclusive lock next to a database, `PATH.lock`, held by the writing process.
///
/// It is an advisory `flock`, which ends with the process, so nothing needs cleaning up after a crash. SQLite before
/// 3.51.3 can corrupt a file that two processes checkpoint at the same instant, so there is never a second writer.
///
/// The file of the database is locked in the same way: a process that opens it under another name, or after the lock
/// was removed, finds it locked. SQLite's own locks are of another kind (`fcntl`) and are not affected, as long as the
/// descriptor stays open until SQLite has closed the file.
///
/// The lock file stays when the lock is released, for the next process. A lock taken with `isRemovedIfUnused` leaves none
/// where no database came to be.
final class StoreLock: Sendable {
    private let path: String
    private let isRemovedIfUnused: Bool
    private let descriptor: Mutex<Int32>
    /// The descriptor of the database file; negative until it is locked.
    private let file = Mutex<Int32>(-1)

    /// Takes the lock.
    ///
    /// - Throws: ``StoreError`` with code `locked` if another process holds it.
    init(database path: String, isRemovedIfUnused: Bool = false) throws(StoreError) {
        self.path = path
        self.isRemovedIfUnused = isRemovedIfUnused
        descriptor = Mutex(try StoreLock.taken(path))
        try takeFile()
    }

    /// Returns the descriptor of the lock file once it is locked.
    private static func taken(_ path: String) throws(StoreError) -> Int32 {
        for _ in 0..<3 {
            let descriptor = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                throw StoreError(.failed, refusal(path, errno))
            }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                close(descriptor)
                throw StoreError(
                    .locked,
                    "\(path) is in use by another waymark process (a running service?). Stop it, or wait for its end."
                )
            }
            // The one who had the lock before may have removed the file meanwhile; then the next process would make another.
            if isNamed(path + ".lock", descriptor) { return descriptor }
            close(descriptor)
        }
        throw StoreError(.failed, "Cannot lock \(path).lock. Is something else removing it?")
    }

    /// Returns why the lock file cannot be written, and what to do.
    private static func refusal(_ path: String, _ code: Int32) -> String {
        let reason = String(cString: strerror(code))
        let advice =
            switch code {
            case EACCES, EPERM, EROFS:
                "Let the user that runs waymark write to the database's folder and to the files in it, or give a --database "
                    + "in a folder that can be written."
            case ENOSPC, EDQUOT: "Free some space and try again."
            default: "Check the database's folder."
            }
        return "\(path).lock cannot be written (\(reason)), so nothing was stored. \(advice)"
    }

    /// Returns whether the open file is the one at the path.
    private static func isNamed(_ path: String, _ descriptor: Int32) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && stat(path, &named) == 0 && opened.st_ino == named.st_ino
            && opened.st_dev == named.st_dev
    }

    /// Locks the file of the database if it exists and is not locked yet; call it again once the file is created.
    ///
    /// - Throws: ``StoreError`` with code `locked` if another process holds the file.
    func takeFile() throws(StoreError) {
        // Elsewhere the two kinds of locks exclude each other.
        #if os(Linux)
        let held = file.withLock { $0 }
        guard held < 0 else { return }
        let opened = open(path, O_RDONLY | O_CLOEXEC)
        guard opened >= 0 else { return }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            close(opened)
            throw StoreError(
                .locked,
                "\(path) is in use by another waymark process, which opened it under another name or before its lock "
                    + "\(path).lock was removed. Stop that process first."
            )
        }
        file.withLock { $0 = opened }
        #endif
    }

    /// Returns whether another process or store holds the lock.
    static func isHeld(database path: String) -> Bool {
        let descriptor = open(path + ".lock", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0
    }

    deinit {
        release()
    }

    /// Releases the lock; calling it again has no effect.
    func release() {
        StoreLock.release(file)
        if isRemovedIfUnused { removeIfUnused() }
        StoreLock.release(descriptor)
    }

    /// Removes the lock file while it is still locked, so that nobody holds it: who opens it meanwhile looks whether it is
    /// still there.
    private func removeIfUnused() {
        descriptor.withLock { descriptor in
            guard descriptor >= 0, access(path, F_OK) != 0, StoreLock.isNamed(path + ".lock", descriptor) else {
                return
            }
            unlink(path + ".lock")
        }
    }

    private static func release(_ held: borrowing Mutex<Int32>) {
        held.withLock { descriptor in
            guard descriptor >= 0 else { return }
            // A child process that is being started shares the lock until it executes its program; merely closing the
            // file would leave the lock with the child.
            flock(descriptor, LOCK_UN)
            close(descriptor)
            descriptor = -1
        }
    }
}
