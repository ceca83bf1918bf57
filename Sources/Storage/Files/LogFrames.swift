#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The pages in a database's log (`PATH-wal`; sqlite.org/fileformat2.html §4).
enum LogFrames: Sendable {
    private static let headerBytes = 32
    private static let frameHeaderBytes = 24

    /// Returns whether the log of a database contains exactly this content for a page.
    ///
    /// Then another program moved the page from the log into the file: what the log has, a commit has stored.
    ///
    /// - Complexity: O(number of frames in the log).
    static func contain(_ page: UnsafeRawBufferPointer, number: Int64, besideDatabase path: String) -> Bool {
        let descriptor = open(path + "-wal", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        guard let expected = page.baseAddress else { return false }
        var header = [UInt8](repeating: 0, count: headerBytes)
        guard pread(descriptor, &header, headerBytes, 0) == headerBytes, word(header, 0) & ~1 == 0x377F_0682,
            Int(word(header, 8)) == page.count
        else { return false }
        var content = [UInt8](repeating: 0, count: page.count)
        var frame = [UInt8](repeating: 0, count: frameHeaderBytes)
        var position = off_t(headerBytes)
        while pread(descriptor, &frame, frameHeaderBytes, position) == frameHeaderBytes {
            // The salts of frames from before the log was last restarted differ.
            guard frame[8..<16] == header[16..<24] else { return false }
            if Int64(word(frame, 0)) == number,
                pread(descriptor, &content, page.count, position + off_t(frameHeaderBytes)) == page.count,
                memcmp(content, expected, page.count) == 0
            {
                return true
            }
            position += off_t(frameHeaderBytes + page.count)
        }
        return false
    }

    private static func word(_ bytes: [UInt8], _ index: Int) -> UInt32 {
        bytes[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
