import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Codes that a command made beside a running service: one file each in `PATH.keys/sign-in-codes` (0700).
///
/// A database has one writing process, so a command cannot store a code while a service runs. It leaves the code's
/// digest here, and the service takes it over when a code is presented. The folder is among the keys: whoever can write
/// there can sign tokens anyway. A file holds the digest of a code, never the code.
public struct SignInCodeFiles: Sendable {
    /// The maximum number of files that are read.
    private static let mostFiles = 10_000
    /// The maximum size of a file, in bytes.
    private static let mostBytes = 4_096

    private let folder: String

    /// Creates a value for the folder of keys beside a database, whose path contains no symbolic link.
    public init(besideDatabase path: String) {
        folder = path + ".keys/sign-in-codes"
    }

    /// Writes a file; after a power cut it is either complete or absent.
    ///
    /// - Throws: ``StoreError`` if it cannot be written.
    public func write(_ bytes: [UInt8], name: String) throws {
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw failure() }
        let (file, unfinished) = ("\(folder)/\(name).json", "\(folder)/\(name).new")
        let descriptor = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure() }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: Data(bytes))
            try handle.synchronize()
        } catch {
            unlink(unfinished)
            throw StoreError(.failed, "Cannot write \(unfinished). Is the disk full?")
        }
        guard rename(unfinished, file) == 0 else { throw failure() }
    }

    /// Returns the names and contents of the files, sorted by name; none if there is no folder.
    public func read() -> [(name: String, bytes: [UInt8])] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return [] }
        return names.filter { $0.hasSuffix(".json") }.sorted().prefix(SignInCodeFiles.mostFiles)
            .compactMap { name in
                guard let file = FileHandle(forReadingAtPath: "\(folder)/\(name)") else { return nil }
                defer { try? file.close() }
                guard let data = try? file.read(upToCount: SignInCodeFiles.mostBytes) else { return nil }
                return (String(name.dropLast(5)), [UInt8](data))
            }
    }

    /// Removes a file, if it is there.
    public func remove(_ name: String) {
        unlink("\(folder)/\(name).json")
    }

    private func failure() -> StoreError {
        StoreError(.failed, "Cannot write in \(folder): \(String(cString: strerror(errno))). Check its permissions.")
    }
}
