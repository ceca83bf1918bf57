import Foundation
import GRDB
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Room on the disk that is kept for what must work on a full one: `PATH.reserve`.
///
/// The file is given up when opening the database, a withdrawal, a deletion, a revocation or an erasure finds no room,
/// and made whole again once there is plenty. Whatever it holds is of use, also after a restart.
final class DiskReserve: Sendable {
    /// Its size in bytes when it is whole: some erasures of accounts with their log.
    static let size = 4 << 20
    /// It is made whole when this much is free, so that making it does not fill the disk.
    private static let plenty = 3 * size
    /// With less than this free, an opening that fails is taken to fail for want of room.
    private static let scarce = 1 << 18

    private let file: String
    private let folder: String
    /// How many bytes it has now.
    private let held: Mutex<Int>

    /// Finds or makes the reserve of a database.
    init(database path: String) {
        file = path + ".reserve"
        folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        held = Mutex(DiskReserve.allocated(file))
        refill()
    }

    /// Whether it has its full size.
    var isWhole: Bool { held.withLock { $0 >= DiskReserve.size } }

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
            for part in [1, 2, 4, 8, 16, 32, 64] where DiskReserve.size / part > held {
                if grow(from: held, to: DiskReserve.size / part) { held = DiskReserve.size / part }
            }
        }
    }

    /// Makes it whole again if there is plenty of room; returns whether it is whole.
    @discardableResult
    func refill() -> Bool {
        held.withLock { held in
            if held < DiskReserve.size, room >= DiskReserve.plenty, grow(from: held, to: DiskReserve.size) {
                held = DiskReserve.size
            }
            return held >= DiskReserve.size
        }
    }

    /// Runs what opens the database, with the room of the reserve if there is no other.
    ///
    /// - Throws: ``StoreError`` in words when that is not enough either, otherwise what `work` throws.
    func lending<Value>(to database: String, _ work: () throws -> Value) throws -> Value {
        do {
            return try work()
        } catch let error where isForWantOfRoom(error) {
            guard release() else { throw DiskReserve.noRoom(for: database) }
        }
        defer { takeRest() }
        do {
            return try work()
        } catch let error where isForWantOfRoom(error) {
            throw DiskReserve.noRoom(for: database)
        }
    }

    /// Whether something failed because the disk is full, whatever it says of itself: SQLite calls it an I/O error, or
    /// a file that cannot be opened, when there is no room for the file of shared memory beside the database.
    private func isForWantOfRoom(_ error: any Error) -> Bool {
        switch error {
        case let error as DatabaseError:
            error.resultCode.primaryResultCode == .SQLITE_FULL
                || [.SQLITE_IOERR, .SQLITE_CANTOPEN].contains(error.resultCode.primaryResultCode)
                    && room < DiskReserve.scarce
        case let error as StoreError: error.code == .diskFull || error.code == .failed && room < DiskReserve.scarce
        default: false
        }
    }

    private static func noRoom(for database: String) -> StoreError {
        StoreError(
            .diskFull,
            "The disk is full, and the reserve beside \(database) is used up: it cannot be opened. Nothing was changed. "
                + "Free \(plenty >> 20) MB on that disk, or move the database with the files beside it to another one, "
                + "and start again."
        )
    }

    /// How many bytes are free beside it on its disk; 0 where nobody can tell.
    var room: Int {
        var room = statvfs()
        guard statvfs(folder, &room) == 0 else { return 0 }
        let bytes = UInt64(room.f_bavail).multipliedReportingOverflow(by: UInt64(room.f_frsize))
        return bytes.overflow ? .max : Int(clamping: bytes.partialValue)
    }

    /// How much room a file has for real; of one with holes, as a copy can be, less than its size.
    private static func allocated(_ file: String) -> Int {
        var status = stat()
        guard stat(file, &status) == 0 else { return 0 }
        return max(0, min(Int(status.st_size), Int(status.st_blocks) * 512))
    }

    /// Makes the file larger, or leaves it as it is when there is no room for it.
    private func grow(from held: Int, to size: Int) -> Bool {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        if DiskReserve.allocate(descriptor, size) { return true }
        _ = ftruncate(descriptor, off_t(held))
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
