import GRDB
import GRDBSQLite

/// Overwrites the gaps of b-tree pages on their way into the database file.
///
/// `secure_delete` overwrites cells and pages that are freed, but a page that was split keeps what moved out of it in
/// the gap between the array of its cells and the cells (sqlite.org/fileformat2.html §1.6). Nothing ever reads a gap, so
/// a page is written to the file with zeros there: what was erased is gone from the file with the next checkpoint,
/// without writing the file anew. Pages in the log are left alone, whose checksums cover them; the log is emptied.
enum GapWiper: Sendable {
    /// From this size on, in bytes, a page of another kind could begin as a b-tree page does: 2^24 pages.
    private static let pageLimit: Int64 = 1 << 24

    /// Wipes what a connection writes into its main file from here on; call it once for a connection.
    ///
    /// - Throws: ``StoreError`` when SQLite does not hand out its file.
    static func install(on db: Database) throws {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        guard code == SQLITE_OK, let file, let original = file.pointee.pMethods else {
            throw StoreError(.failed, "SQLite (code \(code)) does not say how it writes its file.")
        }
        // Two tables, never freed: the one in use, and behind it the one it calls.
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 2)
        methods.initialize(repeating: original.pointee, count: 2)
        methods[0].xWrite = { file, bytes, count, offset in
            guard let file, let write = file.pointee.pMethods[1].xWrite else { return SQLITE_IOERR }
            guard let bytes, let gap = GapWiper.gap(of: bytes, count: Int(count), at: offset) else {
                return write(file, bytes, count, offset)
            }
            let page = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(count), alignment: 16)
            defer { page.deallocate() }
            page.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: Int(count)))
            UnsafeMutableRawBufferPointer(rebasing: page[gap]).initializeMemory(as: UInt8.self, repeating: 0)
            return write(file, page.baseAddress, count, offset)
        }
        file.pointee.pMethods = UnsafePointer(methods)
    }

    /// The gap of a page if it holds anything; `nil` for what is no b-tree page.
    ///
    /// Layout: page 1 begins with the file's header of 100 bytes; then type, two bytes each at 3 and 5 for the number of
    /// cells and where they begin, and the array of cells after 8 bytes, in an inner page 12.
    private static func gap(of page: UnsafeRawPointer, count: Int, at offset: Int64) -> Range<Int>? {
        guard count >= 512, count & (count - 1) == 0, offset >= 0, offset % Int64(count) == 0,
            offset / Int64(count) < pageLimit
        else { return nil }
        let bytes = UnsafeRawBufferPointer(start: page, count: count)
        let header = offset == 0 ? 100 : 0
        func number(at index: Int) -> Int { Int(bytes[header + index]) << 8 | Int(bytes[header + index + 1]) }
        let head: Int
        switch bytes[header] {
        case 2, 5: head = 12
        case 10, 13: head = 8
        default: return nil
        }
        let begin = header + head + 2 * number(at: 3)
        // Of the largest pages, 65,536 is written as 0.
        let end = number(at: 5) == 0 ? 65_536 : number(at: 5)
        guard begin < end, end <= count, bytes[begin..<end].contains(where: { $0 != 0 }) else { return nil }
        return begin..<end
    }
}
