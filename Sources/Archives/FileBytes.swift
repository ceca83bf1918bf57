package import Crypto

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// An open file, closed when it is released; its calls throw instead of stopping halfway.
package final class FileBytes {
    /// Its path, for messages.
    package let path: String
    private let descriptor: Int32

    /// Opens a file for reading.
    ///
    /// - Throws: ``ArchiveError`` if there is none or it cannot be read.
    package init(reading path: String) throws(ArchiveError) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { throw ArchiveError(.failed, "There is no file \(path).") }
            throw ArchiveError.system(path, "read", errno)
        }
    }

    /// Creates a file that only its owner can read, and locks it; the lock ends with the process.
    ///
    /// - Throws: ``ArchiveError`` if it exists or cannot be created.
    package init(creating path: String) throws(ArchiveError) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw ArchiveError.system(path, "created", errno) }
        _ = flock(descriptor, LOCK_EX | LOCK_NB)
    }

    deinit { close(descriptor) }

    /// The size in bytes.
    ///
    /// - Throws: ``ArchiveError`` if it is not a regular file.
    package func size() throws(ArchiveError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw ArchiveError.system(path, "read", errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw ArchiveError(.failed, "\(path) is not a file.") }
        return Int(status.st_size)
    }

    /// Reads up to `count` bytes; fewer only at the end of the file.
    package func read(_ count: Int) throws(ArchiveError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            done = 0
            while done < count, let base = buffer.baseAddress {
                let got = readBytes(descriptor, base + done, count - done)
                if got < 0, errno == EINTR { continue }
                if got < 0 { failure = errno }
                if got <= 0 { break }
                done += got
            }
        }
        guard failure == 0 else { throw ArchiveError.system(path, "read", failure) }
        return bytes
    }

    /// Writes all bytes.
    package func write(_ bytes: [UInt8]) throws(ArchiveError) {
        var done = 0
        while done < bytes.count {
            let written = bytes.withUnsafeBytes { memory -> Int in
                guard let base = memory.baseAddress else { return 0 }
                return writeBytes(descriptor, base + done, bytes.count - done)
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw ArchiveError.system(path, "written", written < 0 ? errno : ENOSPC) }
            done += written
        }
    }

    /// Returns once everything is on the disk.
    package func sync() throws(ArchiveError) {
        guard fsync(descriptor) == 0 else { throw ArchiveError.system(path, "written", errno) }
    }

    /// Returns the size and the SHA-256 of a whole file; `step` gets the number of bytes read since its last call.
    package static func digest(of path: String, step: (Int) throws -> Void) throws -> (bytes: Int, digest: String) {
        let file = try FileBytes(reading: path)
        var (hash, count) = (SHA256(), 0)
        while true {
            let bytes = try file.read(256 << 10)
            guard !bytes.isEmpty else { break }
            hash.update(data: bytes)
            count += bytes.count
            try step(bytes.count)
        }
        return (count, hash.finalize().hexadecimal)
    }

    /// Returns once the names in a folder are on the disk, as far as the system can.
    package static func syncFolder(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}

@available(*, unavailable)
extension FileBytes: Sendable {}

extension SHA256.Digest {
    /// The digest in hexadecimal.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

/// Calls the system's `read` under a name that no method shadows.
private func readBytes(_ descriptor: Int32, _ buffer: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}

/// Calls the system's `write` under a name that no method shadows.
private func writeBytes(_ descriptor: Int32, _ buffer: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, buffer, count)
}
