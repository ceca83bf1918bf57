import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Operations on the file of a list of erasures, and the order in which they reach the disk.
enum ErasureFile: Sendable {
    /// A failed system call.
    struct Failure: Error, CustomStringConvertible {
        /// The value of `errno`.
        let code = errno
        var description: String { String(cString: strerror(code)) }
        /// Whether the disk is full.
        var isFull: Bool { code == ENOSPC || code == EDQUOT }
    }

    /// Returns the bytes of a file; none if it does not exist.
    ///
    /// `advice` says what to do with a file that is there and cannot be read.
    ///
    /// - Throws: ``StoreError`` if it cannot be read.
    static func read(_ file: String, advice: String = listAdvice) throws -> [UInt8] {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            // Only a missing file counts as empty, not one in a folder without access.
            if errno == ENOENT { return [] }
            throw unreadable(file, errno, advice)
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard let data = try? handle.readToEnd() ?? Data() else { throw unreadable(file, EIO, advice) }
        return [UInt8](data)
    }

    static let listAdvice = "Restore it from a backup of the folder of keys. Do not delete it: it lists erasures"

    private static func unreadable(_ file: String, _ code: Int32, _ advice: String) -> StoreError {
        let hint =
            code == EACCES || code == EPERM
            ? "Let the user that runs waymark read it and its folder. Do not delete it: its content is intact" : advice
        return StoreError(.failed, "\(file) cannot be read: \(String(cString: strerror(code))). \(hint).")
    }

    /// Appends bytes at the end, which is at `size`; a partial write is undone.
    static func append(_ bytes: [UInt8], to file: String, at size: Int) throws {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure() }
        defer { close(descriptor) }
        let count = pwrite(descriptor, bytes, bytes.count, off_t(size))
        guard count == bytes.count else {
            // A disk that fills up accepts part of the bytes and reports no error.
            if count >= 0 { errno = ENOSPC }
            let failure = Failure()
            _ = ftruncate(descriptor, off_t(size))
            throw failure
        }
    }

    /// Overwrites one byte and returns once it is on the disk; this needs no free space.
    static func put(_ byte: UInt8, in file: String, at position: Int) throws {
        let descriptor = open(file, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure() }
        defer { close(descriptor) }
        guard pwrite(descriptor, [byte], 1, off_t(position)) == 1, fsync(descriptor) == 0 else { throw Failure() }
    }

    /// Returns once the file and its name are on the disk.
    static func sync(_ file: String) throws {
        let descriptor = open(file, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure() }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Failure() }
        syncFolder(of: file)
    }

    /// Truncates the file to `size` bytes, on the disk too.
    static func cut(_ file: String, to size: Int) throws {
        guard truncate(file, off_t(size)) == 0 else { throw Failure() }
        try sync(file)
    }

    /// Replaces the content of a file; after a power cut it holds either the old bytes or the new ones.
    static func replace(_ file: String, by bytes: [UInt8]) throws {
        let unfinished = file + ".new"
        try? FileManager.default.removeItem(atPath: unfinished)
        do {
            try append(bytes, to: unfinished, at: 0)
            try sync(unfinished)
            guard rename(unfinished, file) == 0 else { throw Failure() }
        } catch {
            try? FileManager.default.removeItem(atPath: unfinished)
            throw error
        }
        syncFolder(of: file)
    }

    private static func syncFolder(of file: String) {
        let folder = open((file as NSString).deletingLastPathComponent, O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }
}
