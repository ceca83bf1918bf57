import GRDB

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// All pages of a database file compared with their sums.
struct PageScan: Hashable, Sendable {
    /// The number of pages compared.
    var pages: Int64 = 0
    /// Pages that contain something and have no sum.
    var unknown: [Int64] = []
    /// Pages whose sum has a flipped bit.
    var sumFlipped: [Int64] = []
    /// Pages with one or two flipped bits.
    var flipped: [Int64] = []
    /// Pages with other content than was written, or that are missing at the end of the file.
    var different: [Int64] = []

    /// Whether every page is what was written.
    var isSound: Bool { unknown.isEmpty && sumFlipped.isEmpty && flipped.isEmpty && different.isEmpty }

    /// The number of readings of a page that differs, and the microseconds between them: the service may be writing it.
    private static let patience = (readings: 4, pause: UInt32(5_000))

    /// Creates a comparison of no pages.
    init() {}

    /// Compares the pages in a range; all if `nil`.
    ///
    /// - Throws: an error if the file cannot be read.
    /// - Complexity: O(size of the file); 4 µs a page.
    init(of db: Database, sums: PageSums, in range: ClosedRange<Int64>? = nil) throws {
        let size = sums.pageSize
        let count = try DatabaseFile.pageCount(of: db, pageSize: size)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { buffer.deallocate() }
        // SQLite locks bytes of this page and never uses it (sqlite.org/fileformat2.html §1.5).
        let lockPage = 0x4000_0000 / Int64(size) + 1
        for number in range ?? 1...max(1, count) where number != lockPage && number <= count {
            guard try DatabaseFile.rawPage(number, of: db, into: buffer) else { break }
            pages += 1
            let page = UnsafeRawBufferPointer(buffer)
            if PageSum.of(page, number: number) == sums.sum(of: number) { continue }
            add(number, try PageScan.settled(number, buffer, of: db, sums: sums), buffer)
        }
        defer { different = PageScan.withoutLogged(different, of: db, sums: sums) }
        // Nothing else can tell that whole pages are missing at the end.
        guard range == nil || range?.upperBound ?? 0 >= count else { return }
        var missing = try PageScan.missing(of: db, sums: sums)
        for _ in 0..<PageScan.patience.readings where !missing.isEmpty {
            usleep(PageScan.patience.pause)
            missing = try PageScan.missing(of: db, sums: sums)
        }
        different += missing
    }

    /// Returns pages without those that a checkpoint has yet to move from the log, such as one that a full disk stopped.
    private static func withoutLogged(_ pages: [Int64], of db: Database, sums: PageSums) -> [Int64] {
        guard !pages.isEmpty, (try? DatabaseFile.isLogAhead(of: db)) == true else { return pages }
        let wanted = Dictionary(pages.map { ($0, sums.sum(of: $0)) }) { first, _ in first }
        let logged = LogFrames.holding(wanted, pageSize: sums.pageSize, besideDatabase: sums.database)
        return pages.filter { !logged.contains($0) }
    }

    /// Returns the pages after the end of the file that have a sum.
    private static func missing(of db: Database, sums: PageSums) throws -> [Int64] {
        let (count, listed) = (try DatabaseFile.pageCount(of: db, pageSize: sums.pageSize), sums.count)
        return listed > count ? (count + 1...listed).filter { sums.sum(of: $0) != 0 } : []
    }

    private mutating func add(_ number: Int64, _ verdict: PageSum.Verdict, _ page: UnsafeMutableRawBufferPointer) {
        switch verdict {
        case .sound: break
        // SQLite leaves pages that it never used as zeros.
        case .unknown: if page.contains(where: { $0 != 0 }) { unknown.append(number) }
        case .sumFlipped: sumFlipped.append(number)
        case .flipped: flipped.append(number)
        case .different: different.append(number)
        }
    }

    /// Compares a page again after a while; a page that another program moved out of the log is sound.
    private static func settled(
        _ number: Int64,
        _ buffer: UnsafeMutableRawBufferPointer,
        of db: Database,
        sums: PageSums
    ) throws -> PageSum.Verdict {
        let page = UnsafeRawBufferPointer(buffer)
        var verdict = PageSum.verdict(on: page, number: number, sum: sums.sum(of: number))
        for _ in 0..<(sums.isKnown(number) ? 0 : patience.readings) {
            guard verdict != .sound, verdict != .unknown else { return verdict }
            usleep(patience.pause)
            guard try DatabaseFile.rawPage(number, of: db, into: buffer) else { return .different }
            verdict = PageSum.verdict(on: page, number: number, sum: sums.sum(of: number))
        }
        guard verdict != .sound, LogFrames.contain(page, number: number, besideDatabase: sums.database) else {
            return verdict
        }
        sums.store(PageSum.of(page, number: number), of: number)
        return .sound
    }
}
