import GRDB
import Logging

/// Decides what pages are that differ from their sums in a file that somebody else has written: damaged, or edited by
/// another program.
///
/// - One or two flipped bits in a page are damage, and are corrected, if no page differs in another way: an edit changes
///   more, since the table `outside_edits` records it.
/// - Otherwise the file is taken as it is if SQLite finds its structure sound and there are signs of an edit: stories
///   recorded in `outside_edits`, a changed first page, or at least ``signs`` changed pages. An old copy of the file put in
///   its place is such a case. It is said in the log.
/// - Otherwise the pages are damaged: requests that read them fail, and everything else is served. If they were
///   edited after all, `waymark check --accept` takes the file as it is.
enum PageJudgement: Sendable {
    /// The number of pages from which a change that leaves the structure sound counts as an edit.
    private static let signs = 3

    /// Compares all pages and decides; also makes the sums of a file that had none.
    ///
    /// Run it on a connection outside a transaction, after the log was moved into the file.
    static func judge(_ db: Database, sums: PageSums, logger: Logger) throws {
        if sums.opened?.isComplete != true, sums.checking == .off {
            return try makeSums(db, sums: sums, logger: logger)
        }
        let scan = try PageScan(of: db, sums: sums)
        for page in scan.sumFlipped { try adopt(page, of: db, sums: sums) }
        if scan.different.isEmpty, scan.unknown.isEmpty {
            for page in scan.flipped { sums.note(.init(page: page, isCorrected: true)) }
            return sums.finish()
        }
        if try isEdit(scan, db) {
            let pages = scan.different + scan.unknown + scan.flipped
            for page in pages { try adopt(page, of: db, sums: sums) }
            sums.truncate(pages: try DatabaseFile.pageCount(of: db, pageSize: sums.pageSize))
            logger.notice(
                "another program has changed the database file; its structure is sound, so it is used as it is",
                metadata: ["pages": "\(pages.count)"]
            )
        } else {
            for page in scan.flipped { sums.note(.init(page: page, isCorrected: true)) }
            for page in scan.different + scan.unknown { sums.note(.init(page: page, isCorrected: false)) }
        }
        sums.finish()
    }

    private static func makeSums(_ db: Database, sums: PageSums, logger: Logger) throws {
        let problems = try structureProblems(db)
        if !problems.isEmpty {
            logger.error(
                "the database is damaged, and had no checksums by which to repair it; see 'waymark check'",
                metadata: ["problems": "\(problems.count)"]
            )
        }
        sums.use(pageSize: try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 4_096)
        let count = try DatabaseFile.pageCount(of: db, pageSize: sums.pageSize)
        for page in 0..<count { try adopt(page + 1, of: db, sums: sums) }
        sums.truncate(pages: count)
        sums.finish()
        logger.info("checksums of the database were made", metadata: ["pages": "\(count)"])
    }

    /// Takes a page as it is in the file.
    static func adopt(_ number: Int64, of db: Database, sums: PageSums) throws {
        let page = UnsafeMutableRawBufferPointer.allocate(byteCount: sums.pageSize, alignment: 16)
        defer { page.deallocate() }
        let isThere = try DatabaseFile.rawPage(number, of: db, into: page)
        let code = sums.store(isThere ? PageSum.of(UnsafeRawBufferPointer(page), number: number) : 0, of: number)
        guard code == 0 else { throw StoreError(.failed, "Cannot write \(sums.database).sums. Free some space.") }
        sums.forget(number)
    }

    private static func isEdit(_ scan: PageScan, _ db: Database) throws -> Bool {
        try DatabaseFile.bypassing(db) {
            guard try structureProblems(db).isEmpty else { return false }
            if scan.different.isEmpty || scan.different.contains(1) { return true }
            if scan.different.count + scan.unknown.count >= signs { return true }
            guard try db.tableExists("outside_edits") else { return false }
            return try Int.fetchOne(db, sql: "SELECT 1 FROM outside_edits LIMIT 1") != nil
        }
    }

    /// Returns what SQLite finds wrong with the structure of the file: at most ten lines.
    static func structureProblems(_ db: Database) throws -> [String] {
        do {
            return try String.fetchAll(db, sql: "PRAGMA quick_check(10)").filter { $0 != "ok" }
        } catch let error as DatabaseError where error.isDamage {
            return [error.message ?? "the file cannot be read"]
        }
    }
}
