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
final class StoreLock: Sendable {
    private let descriptor: Mutex<Int32>

    /// Takes the lock.
    ///
    /// - Throws: ``StoreError`` with code `locked` if another process holds it.
    init(database path: String) throws(StoreError) {
        let descriptor = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw StoreError(.failed, "Cannot create \(path).lock: \(String(cString: strerror(errno))).")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw StoreError(
                .locked,
                "\(path) is in use by another waymark process (a running service?). Stop it first, or use its HTTP interface."
            )
        }
        self.descriptor = Mutex(descriptor)
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
        descriptor.withLock { descriptor in
            guard descriptor >= 0 else { return }
            // A child process that is being started shares the lock until it executes its program; merely closing the
            // file would leave the lock with the child.
            flock(descriptor, LOCK_UN)
            close(descriptor)
            descriptor = -1
        }
    }
}
