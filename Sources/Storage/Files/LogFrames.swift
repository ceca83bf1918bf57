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
        guard let expected = page.baseAddress else { return false }
        var isContained = false
        visit(besideDatabase: path, pageSize: page.count) { frame, content in
            guard frame == number, let start = content()?.baseAddress else { return true }
            isContained = memcmp(start, expected, page.count) == 0
            return !isContained
        }
        return isContained
    }

    /// Returns those pages of which the log of a database contains the content that belongs to the page's sum.
    ///
    /// A checkpoint stores the sum of a page before the page. If it was interrupted, the page is still in the log, where
    /// readers find it, and the next checkpoint moves it again.
    ///
    /// - Complexity: O(number of frames in the log).
    static func holding(_ pages: [Int64: UInt64], pageSize: Int, besideDatabase path: String) -> Set<Int64> {
        var found: Set<Int64> = []
        visit(besideDatabase: path, pageSize: pageSize) { number, content in
            guard let sum = pages[number], !found.contains(number), let content = content() else { return true }
            if PageSum.matches(content, number: number, sum: sum) { found.insert(number) }
            return found.count < pages.count
        }
        return found
    }

    /// Calls `body` with the page number of each frame and a function that reads its content, until it returns `false`.
    ///
    /// The content is valid until the next frame.
    private static func visit(
        besideDatabase path: String,
        pageSize: Int,
        _ body: (_ number: Int64, _ content: () -> UnsafeRawBufferPointer?) -> Bool
    ) {
        let descriptor = open(path + "-wal", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var header = [UInt8](repeating: 0, count: headerBytes)
        guard pread(descriptor, &header, headerBytes, 0) == headerBytes, word(header, 0) & ~1 == 0x377F_0682,
            Int(word(header, 8)) == pageSize
        else { return }
        let content = UnsafeMutableRawBufferPointer.allocate(byteCount: pageSize, alignment: 16)
        defer { content.deallocate() }
        var frame = [UInt8](repeating: 0, count: frameHeaderBytes)
        var position = off_t(headerBytes)
        while pread(descriptor, &frame, frameHeaderBytes, position) == frameHeaderBytes {
            // The salts of frames from before the log was last restarted differ.
            guard frame[8..<16] == header[16..<24] else { return }
            let start = position + off_t(frameHeaderBytes)
            let goesOn = body(Int64(word(frame, 0))) {
                pread(descriptor, content.baseAddress, pageSize, start) == pageSize
                    ? UnsafeRawBufferPointer(content) : nil
            }
            guard goesOn else { return }
            position = start + off_t(pageSize)
        }
    }

    private static func word(_ bytes: [UInt8], _ index: Int) -> UInt32 {
        bytes[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
