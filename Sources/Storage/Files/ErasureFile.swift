import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The file of a list of erasures: what is done to it, and in which order it reaches the disk.
enum ErasureFile: Sendable {
    /// Why the system did not do it.
    struct Failure: Error, CustomStringConvertible {
        /// The system's number for it.
        let code = errno
        var description: String { String(cString: strerror(code)) }
        /// Whether there is no room on the disk.
        var isFull: Bool { code == ENOSPC || code == EDQUOT }
    }

    /// Its bytes, none where there is no file.
    ///
    /// - Throws: ``StoreError`` when it cannot be read.
    static func read(_ file: String) throws -> [UInt8] {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            // Only what is not there is empty: a folder that may not be looked into is not.
            if errno == ENOENT { return [] }
            throw unreadable(file, errno)
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard let data = try? handle.readToEnd() ?? Data() else { throw unreadable(file, EIO) }
        return [UInt8](data)
    }

    private static func unreadable(_ file: String, _ code: Int32) -> StoreError {
        let hint =
            code == EACCES || code == EPERM
            ? "Let the user that runs waymark read it and its folder" : "Restore it from a backup of the folder of keys"
        return StoreError(
            .failed,
            "\(file) cannot be read: \(String(cString: strerror(code))). \(hint). Do not delete it: it says what was erased."
        )
    }

    /// Writes bytes at the end, which is at `size`; what is not written whole is not written.
    static func append(_ bytes: [UInt8], to file: String, at size: Int) throws {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure() }
        defer { close(descriptor) }
        let count = pwrite(descriptor, bytes, bytes.count, off_t(size))
        guard count == bytes.count else {
            // A disk that fills up takes a part and reports no error.
            if count >= 0 { errno = ENOSPC }
            let failure = Failure()
            _ = ftruncate(descriptor, off_t(size))
            throw failure
        }
    }

    /// Overwrites one byte and returns when it is on the disk; it needs no room there.
    static func put(_ byte: UInt8, in file: String, at position: Int) throws {
        let descriptor = open(file, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure() }
        defer { close(descriptor) }
        guard pwrite(descriptor, [byte], 1, off_t(position)) == 1, fsync(descriptor) == 0 else { throw Failure() }
    }

    /// Returns when the file and its name are on the disk.
    static func sync(_ file: String) throws {
        let descriptor = open(file, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure() }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Failure() }
        syncFolder(of: file)
    }

    /// Cuts it to so many bytes, on the disk too.
    static func cut(_ file: String, to size: Int) throws {
        guard truncate(file, off_t(size)) == 0 else { throw Failure() }
        try sync(file)
    }

    /// Puts other bytes in its place: after a power cut it holds the old ones or the new ones.
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
