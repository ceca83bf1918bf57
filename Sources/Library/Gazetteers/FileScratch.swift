import Foundation
import GazetteerCompiler

/// Temporary data in an unlinked file, which the system removes when it is closed, at the latest when the program ends.
final class FileScratch: Scratch {
    private let descriptor: Int32
    private(set) var count = 0

    /// Creates an empty file in a folder.
    ///
    /// - Throws: ``GazetteerLoader/Failure`` if no file can be created there.
    init(folder: String) throws {
        var template = Array((folder + "/.waymark-XXXXXX").utf8CString)
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else {
            throw GazetteerLoader.Failure(description: "Cannot create a temporary file in \(folder): \(Self.reason).")
        }
        unlink(template)
    }

    deinit { close(descriptor) }

    private static var reason: String { String(cString: strerror(errno)) }

    func append(_ bytes: [UInt8]) throws {
        var done = 0
        while done < bytes.count {
            let written = bytes.withUnsafeBytes { memory -> Int in
                guard let base = memory.baseAddress else { return 0 }
                return pwrite(descriptor, base + done, bytes.count - done, off_t(count + done))
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else {
                throw GazetteerLoader.Failure(
                    description: "Cannot write the temporary data of the compilation: \(Self.reason)."
                )
            }
            done += written
        }
        count += done
    }

    func read(from offset: Int, count: Int) throws -> [UInt8] {
        let wanted = max(0, min(count, self.count - offset))
        guard offset >= 0, wanted > 0 else { return [] }
        var done = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, initialized in
            while done < wanted, let base = buffer.baseAddress {
                let got = pread(descriptor, base + done, wanted - done, off_t(offset + done))
                if got < 0, errno == EINTR { continue }
                if got <= 0 { break }
                done += got
            }
            initialized = done
        }
        guard done == wanted else {
            throw GazetteerLoader.Failure(
                description: "Cannot read the temporary data of the compilation: \(Self.reason)."
            )
        }
        return bytes
    }
}

@available(*, unavailable)
extension FileScratch: Sendable {}
