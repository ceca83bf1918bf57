import Basemap
import Foundation

/// A tile archive on the disk, read piece by piece.
///
/// Sendable: the descriptor is constant, and `pread` keeps no position.
package final class ArchiveFile: TileBytes, @unchecked Sendable {
    package let count: Int
    private let descriptor: Int32

    /// Opens a file, of which `length` bytes belong to the archive; `nil` for all.
    ///
    /// - Throws: `CocoaError` if it cannot be read.
    package init(_ path: String, length: Int? = nil) throws {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CocoaError(.fileReadNoSuchFile) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw CocoaError(.fileReadUnknown)
        }
        count = min(length ?? .max, Int(status.st_size))
    }

    deinit { close(descriptor) }

    package func read(_ range: Range<Int>) throws -> [UInt8] {
        let wanted = range.clamped(to: 0..<count)
        guard !wanted.isEmpty else { return [] }
        return try [UInt8](unsafeUninitializedCapacity: wanted.count) { buffer, filled in
            while filled < wanted.count {
                let part = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
                let size = pread(descriptor, part.baseAddress, part.count, off_t(wanted.lowerBound + filled))
                if size < 0, errno == EINTR { continue }
                // A file that was cut off while open is damaged, not short.
                guard size > 0 else { throw TileArchiveError.damaged }
                filled += size
            }
        }
    }
}
