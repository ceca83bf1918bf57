import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The exclusive lock beside a database, `PATH.lock`, held by whoever may write.
///
/// An advisory `flock`: it dies with the process, so nothing has to be cleaned up after a crash. SQLite before 3.51.3
/// can corrupt a file that two processes checkpoint at the same instant, so there is never a second writer.
final class StoreLock: Sendable {
    private let descriptor: Mutex<Int32>

    /// Takes the lock.
    ///
    /// - Throws: ``StoreError`` with code `locked` when another process has it.
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

    /// Whether another process or store has the lock.
    static func isHeld(database path: String) -> Bool {
        let descriptor = open(path + ".lock", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0
    }

    deinit {
        release()
    }

    /// Lets others take the lock; once is enough.
    func release() {
        descriptor.withLock { descriptor in
            guard descriptor >= 0 else { return }
            // A child process that is just being started shares the lock until it is another program: closing alone would
            // leave it to that.
            flock(descriptor, LOCK_UN)
            close(descriptor)
            descriptor = -1
        }
    }
}
