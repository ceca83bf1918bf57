import Crypto
import Foundation
import Synchronization

/// A file on its way from a client, kept on the disk until it is imported, and removed with the last reference.
///
/// Its pieces are written by ``LongWork``, so no thread for requests waits for the disk.
package final class ImportUpload: Sendable {
    private struct State {
        var hash = SHA256()
        var count = 0
    }

    private let path: String
    private let handle: FileHandle
    private let state = Mutex(State())

    /// Creates the file in the folder `PATH.imports` of a database, for this user of the machine alone.
    package init(besideDatabase path: String, name: String) throws {
        let folder = path + ".imports"
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        self.path = folder + "/" + name
        guard
            FileManager.default.createFile(
                atPath: self.path,
                contents: nil,
                attributes: [.posixPermissions: 0o600]
            ), let handle = FileHandle(forUpdatingAtPath: self.path)
        else { throw CocoaError(.fileWriteUnknown) }
        self.handle = handle
    }

    deinit {
        try? handle.close()
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Adds a piece; call it on a thread that may wait for the disk, one call after the other.
    package func append(_ bytes: [UInt8]) throws {
        try handle.write(contentsOf: Data(bytes))
        state.withLock { state in
            state.hash.update(data: bytes)
            state.count += bytes.count
        }
    }

    /// The number of bytes so far.
    package var count: Int { state.withLock(\.count) }

    /// The SHA-256 of what was added.
    var digest: [UInt8] { state.withLock { Array($0.hash.finalize()) } }

    /// Returns the whole file; call it on a thread that may wait for the disk.
    func contents() throws -> [UInt8] {
        try handle.seek(toOffset: 0)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while let piece = try handle.read(upToCount: 1 << 20), !piece.isEmpty { bytes += piece }
        return bytes
    }

    /// Removes files that a service left behind when it was killed; call it before the first upload.
    package static func removeLeftovers(besideDatabase path: String) {
        try? FileManager.default.removeItem(atPath: path + ".imports")
    }
}
