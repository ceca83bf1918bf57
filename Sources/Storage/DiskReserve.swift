import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Room on the disk that is kept for what must work on a full one: `PATH.reserve`.
///
/// The file is given up when a withdrawal, a deletion, a revocation or an erasure finds no room, and made again once
/// there is plenty.
final class DiskReserve: Sendable {
    /// Its size in bytes: some erasures of accounts with their log.
    static let size = 4 << 20
    /// It is made again when this much is free, so that making it does not fill the disk.
    private static let plenty = UInt64(3 * size)

    private let file: String
    /// How many bytes it has now.
    private let held: Mutex<Int>

    /// Finds or makes the reserve of a database.
    init(database path: String) {
        file = path + ".reserve"
        held = Mutex(0)
        refill()
    }

    /// Gives it up; returns `false` when there was nothing to give.
    func release() -> Bool {
        held.withLock { held in
            let had = held > 0 && truncate(file, 0) == 0
            if had { held = 0 }
            return had
        }
    }

    /// Takes back what is left of the room that was given up, before others do.
    func takeRest() {
        held.withLock { held in
            for part in [1, 2, 4, 8] where held == 0 && take(DiskReserve.size / part) { held = DiskReserve.size / part }
        }
    }

    /// Makes it whole again if there is plenty of room; returns whether it is whole.
    @discardableResult
    func refill() -> Bool {
        held.withLock { held in
            if held < DiskReserve.size, isPlenty, take(DiskReserve.size) { held = DiskReserve.size }
            return held == DiskReserve.size
        }
    }

    /// How many bytes are free beside it on its disk; 0 where nobody can tell.
    var room: Int {
        var room = statvfs()
        guard statvfs(file, &room) == 0 else { return 0 }
        return Int(clamping: UInt64(room.f_bavail).multipliedReportingOverflow(by: UInt64(room.f_frsize)).partialValue)
    }

    private var isPlenty: Bool {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var (status, room) = (stat(), statvfs())
        if fstat(descriptor, &status) == 0, status.st_size >= off_t(DiskReserve.size) { return true }
        return fstatvfs(descriptor, &room) == 0 && UInt64(room.f_bavail) * UInt64(room.f_frsize) >= DiskReserve.plenty
    }

    /// Makes the file so large, or empty when there is no room for it.
    private func take(_ size: Int) -> Bool {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        if DiskReserve.allocate(descriptor, size) { return true }
        _ = ftruncate(descriptor, 0)
        return false
    }

    /// Takes the room for real: a file with holes would hold none.
    private static func allocate(_ descriptor: Int32, _ size: Int) -> Bool {
        #if canImport(Glibc)
        posix_fallocate(descriptor, 0, off_t(size)) == 0
        #else
        let zeros = [UInt8](repeating: 0, count: size)
        return pwrite(descriptor, zeros, size, 0) == size
        #endif
    }
}
