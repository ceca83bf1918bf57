import Foundation
import GRDB
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Disk space reserved for operations that must succeed on a full disk: `PATH.reserve`.
///
/// Its space is released when none is left for opening the database or for a withdrawal, a deletion, a revocation or an
/// erasure. The file is restored to full size once there is plenty of space. A partial reserve still helps, even after
/// a restart.
final class DiskReserve: Sendable {
    /// Its full size in bytes: enough for several account erasures with their log.
    static let size = 4 << 20
    /// The free space in bytes required before the reserve is refilled, so that refilling does not fill the disk.
    private static let plenty = 3 * size
    /// The free space in bytes below which a failed opening is attributed to lack of space.
    private static let scarce = 1 << 18

    private let file: String
    let folder: String
    /// Its current size in bytes.
    private let held: Mutex<Int>

    /// Finds or creates the reserve of a database.
    init(database path: String) {
        file = path + ".reserve"
        folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        held = Mutex(DiskReserve.allocated(file))
        refill()
    }

    /// Whether it has its full size.
    var isWhole: Bool { held.withLock { $0 >= DiskReserve.size } }

    /// Releases the space; returns `false` if there was none to release.
    func release() -> Bool {
        held.withLock { held in
            let had = held > 0 && truncate(file, 0) == 0
            if had { held = 0 }
            return had
        }
    }

    /// Reclaims the rest of the released space before anything else takes it.
    func takeRest() {
        held.withLock { held in
            for part in [1, 2, 4, 8, 16, 32, 64] where DiskReserve.size / part > held {
                if grow(from: held, to: DiskReserve.size / part) { held = DiskReserve.size / part }
            }
        }
    }

    /// Refills the reserve if there is plenty of space; returns whether it has its full size.
    @discardableResult
    func refill() -> Bool {
        held.withLock { held in
            if held < DiskReserve.size, room >= DiskReserve.plenty, grow(from: held, to: DiskReserve.size) {
                held = DiskReserve.size
            }
            return held >= DiskReserve.size
        }
    }

    /// Runs `work`, which opens the database, and releases the reserve if there is no other space.
    ///
    /// - Throws: ``StoreError`` if even that is not enough, otherwise any error of `work`.
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

    /// Returns whether an operation failed because the disk is full, whatever the error says.
    ///
    /// SQLite reports an I/O error, or a file that cannot be opened, if there is no space for the shared-memory file
    /// next to the database.
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
            "The disk is full and the reserve beside \(database) is used up, so the database cannot be opened. "
                + "Free \(plenty >> 20) MB on that disk, or move the database with the files beside it to another one, "
                + "and start again. Nothing was changed."
        )
    }

    /// The number of free bytes on its disk; 0 if unknown.
    var room: Int {
        SpaceWatch.free(in: folder) ?? 0
    }

    /// Returns the disk space a file actually occupies: less than its size if the file has holes, as copies may have.
    private static func allocated(_ file: String) -> Int {
        var status = stat()
        guard stat(file, &status) == 0 else { return 0 }
        return max(0, min(Int(status.st_size), Int(status.st_blocks) * 512))
    }

    /// Enlarges the file, or leaves it unchanged if there is no space.
    private func grow(from held: Int, to size: Int) -> Bool {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        if DiskReserve.allocate(descriptor, size) { return true }
        _ = ftruncate(descriptor, off_t(held))
        return false
    }

    /// Allocates real disk space; a sparse file would reserve nothing.
    private static func allocate(_ descriptor: Int32, _ size: Int) -> Bool {
        #if canImport(Glibc)
        posix_fallocate(descriptor, 0, off_t(size)) == 0
        #else
        let zeros = [UInt8](repeating: 0, count: size)
        return pwrite(descriptor, zeros, size, 0) == size
        #endif
    }
}
