/// Finds the gaps of b-tree pages, which ``DatabaseFile`` overwrites as pages are written to the database file.
///
/// `secure_delete` overwrites cells and pages that are freed. But when a page is split, the cells that moved out remain
/// in the gap between the cell pointer array and the cell content (sqlite.org/fileformat2.html §1.6). Nothing ever
/// reads a gap, so each page is written to the file with zeros there. The next checkpoint thus removes erased content
/// from the file, without rewriting the whole file. Pages in the log are left alone because checksums cover them; the
/// log is emptied instead.
enum GapWiper: Sendable {
    /// The page index from which nothing is wiped: in so large a file, a page of another type, whose first bytes are a
    /// page number, could look like a b-tree page.
    private static let pageLimit: Int64 = 1 << 24

    /// Returns the range of a page's gap; `nil` if the gap contains only zeros or the page is not a b-tree page.
    ///
    /// Layout: page 1 starts with the 100-byte file header. Then come the page type and, as two bytes each, the number
    /// of cells at offset 3 and the start of the cell content at offset 5. The cell pointer array starts at offset 8,
    /// or 12 in an interior page.
    static func gap(of page: UnsafeRawPointer, count: Int, at offset: Int64) -> Range<Int>? {
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
        // With the largest page size, 65,536 is stored as 0.
        let end = number(at: 5) == 0 ? 65_536 : number(at: 5)
        guard begin < end, end <= count, bytes[begin..<end].contains(where: { $0 != 0 }) else { return nil }
        return begin..<end
    }
}
