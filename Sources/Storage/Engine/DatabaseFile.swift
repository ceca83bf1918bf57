import GRDB
import GRDBSQLite
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Checks the pages of a connection's main file as SQLite reads them, and sums them as it writes them.
///
/// See ``PageSums`` for why. Gaps in pages are wiped on the way to the file; see ``GapWiper``.
final class DatabaseFile: Sendable {
    /// A method table of SQLite's, followed by what its functions need.
    ///
    /// SQLite only knows the first field, at the address of the whole.
    private struct Block {
        var inUse: sqlite3_io_methods
        var original: sqlite3_io_methods
        var file: Unmanaged<DatabaseFile>
    }

    private let sums: PageSums?
    private let wipesGaps = Atomic(false)
    private let isBypassed = Atomic(false)

    private init(sums: PageSums?) { self.sums = sums }

    /// Installs the functions on a connection's main file, until the connection closes.
    ///
    /// - Throws: ``StoreError`` if SQLite does not return its file object.
    static func install(on db: Database, sums: PageSums?) throws {
        let file = try pointer(of: db)
        guard let original = file.pointee.pMethods else { throw noFile(SQLITE_MISUSE) }
        let block = UnsafeMutablePointer<Block>.allocate(capacity: 1)
        block.initialize(
            to: Block(
                inUse: original.pointee,
                original: original.pointee,
                file: .passRetained(DatabaseFile(sums: sums))
            )
        )
        block.pointee.inUse.xRead = { DatabaseFile.read($0, $1, $2, $3) }
        block.pointee.inUse.xWrite = { DatabaseFile.write($0, $1, $2, $3) }
        block.pointee.inUse.xSync = { DatabaseFile.sync($0, $1) }
        block.pointee.inUse.xTruncate = { DatabaseFile.truncate($0, $1) }
        block.pointee.inUse.xClose = { file in
            guard let file, let block = DatabaseFile.block(of: file) else { return SQLITE_IOERR }
            let code = block.pointee.original.xClose?(file) ?? SQLITE_IOERR
            // SQLite calls no function of a closed file.
            block.pointee.file.release()
            block.deinitialize(count: 1)
            block.deallocate()
            return code
        }
        file.pointee.pMethods = UnsafeRawPointer(block).assumingMemoryBound(to: sqlite3_io_methods.self)
    }

    /// Wipes gaps in everything that a connection writes to its main file from now on.
    static func wipeGaps(on db: Database) throws {
        guard let block = block(of: try pointer(of: db)) else { throw noFile(SQLITE_MISUSE) }
        block.pointee.file.takeUnretainedValue().wipesGaps.store(true, ordering: .relaxed)
    }

    /// Runs `body` while the connection reads pages as they are, whatever their sums.
    static func bypassing<Value>(_ db: Database, _ body: () throws -> Value) throws -> Value {
        guard let block = block(of: try pointer(of: db)) else { throw noFile(SQLITE_MISUSE) }
        let file = block.pointee.file.takeUnretainedValue()
        // Pages that were corrected are read again as they are, and afterwards the other way round.
        func forgetPages() { if let connection = db.sqliteConnection { sqlite3_db_release_memory(connection) } }
        forgetPages()
        file.isBypassed.store(true, ordering: .relaxed)
        defer {
            file.isBypassed.store(false, ordering: .relaxed)
            forgetPages()
        }
        return try body()
    }

    /// Reads a page as it is in the file, whatever its sum; `nil` if the file ends before.
    ///
    /// It goes through SQLite's own descriptor: opening the file a second time and closing it would end all locks that
    /// this process has on it.
    static func rawPage(_ number: Int64, of db: Database, into page: UnsafeMutableRawBufferPointer) throws -> Bool {
        let file = try pointer(of: db)
        guard let read = block(of: file)?.pointee.original.xRead else { throw noFile(SQLITE_MISUSE) }
        let code = read(file, page.baseAddress, Int32(page.count), (number - 1) * Int64(page.count))
        if code == SQLITE_IOERR | (2 << 8) { return false }
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        return true
    }

    /// Writes a page into the file, with its sum, past SQLite; only to put back what SQLite already takes for its content.
    static func putBack(_ page: UnsafeRawBufferPointer, number: Int64, of db: Database) throws {
        let file = try pointer(of: db)
        let code = write(file, page.baseAddress, Int32(page.count), (number - 1) * Int64(page.count))
        guard code == SQLITE_OK, sync(file, SQLITE_SYNC_FULL) == SQLITE_OK else {
            throw DatabaseError(resultCode: ResultCode(rawValue: code == SQLITE_OK ? SQLITE_IOERR : code))
        }
    }

    /// Returns the number of pages in the file, without what is only in its log.
    static func pageCount(of db: Database, pageSize: Int) throws -> Int64 {
        let file = try pointer(of: db)
        var size: Int64 = 0
        guard let block = block(of: file), block.pointee.original.xFileSize?(file, &size) == SQLITE_OK else {
            throw noFile(SQLITE_MISUSE)
        }
        return size / Int64(pageSize)
    }

    /// Returns whether the log contains commits that no checkpoint has moved into the file, so that readers use the log.
    ///
    /// Reads the index of the log where SQLite has mapped it (sqlite.org/walformat.html §2.1: `mxFrame` at byte 16,
    /// `nBackfill` at byte 96, in the order of this machine). Call it inside a transaction. Opening the index's file a
    /// second time and closing it would end the locks of this process.
    static func isLogAhead(of db: Database) throws -> Bool {
        let file = try pointer(of: db)
        var region: UnsafeMutableRawPointer?
        // The size of all regions of the index.
        _ = block(of: file)?.pointee.original.xShmMap?(file, 0, 32_768, 0, &region)
        guard let region else { return false }
        return region.load(fromByteOffset: 96, as: UInt32.self) < region.load(fromByteOffset: 16, as: UInt32.self)
    }

    private static func pointer(of db: Database) throws -> UnsafeMutablePointer<sqlite3_file> {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        guard code == SQLITE_OK, let file, file.pointee.pMethods != nil else { throw noFile(code) }
        return file
    }

    private static func noFile(_ code: Int32) -> StoreError {
        StoreError(.failed, "SQLite did not return its file object (code \(code)).")
    }

    private static func block(of file: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutablePointer<Block>? {
        file.pointee.pMethods.map { UnsafeMutableRawPointer(mutating: $0).assumingMemoryBound(to: Block.self) }
    }
}

extension DatabaseFile {
    private typealias File = UnsafeMutablePointer<sqlite3_file>

    private static func read(
        _ file: UnsafeMutablePointer<sqlite3_file>?,
        _ bytes: UnsafeMutableRawPointer?,
        _ count: Int32,
        _ offset: Int64
    ) -> Int32 {
        guard let file, let bytes, let block = block(of: file), let read = block.pointee.original.xRead else {
            return SQLITE_IOERR
        }
        let code = read(file, bytes, count, offset)
        let own = block.pointee.file.takeUnretainedValue()
        guard code == SQLITE_OK, let sums = own.sums, sums.checking != .off, !own.isBypassed.load(ordering: .relaxed)
        else { return code }
        let size = Int64(sums.pageSize)
        let (number, start) = (offset / size + 1, offset / size * size)
        let target = UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))
        if offset == start, Int64(count) == size {
            return settle(target, number: number, sums: sums) { read(file, $0.baseAddress, Int32($0.count), start) }
        }
        // SQLite also reads a few bytes of the header.
        guard offset + Int64(count) <= start + size else { return SQLITE_CORRUPT }
        let page = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(size), alignment: 16)
        defer { page.deallocate() }
        guard read(file, page.baseAddress, Int32(size), start) == SQLITE_OK else { return code }
        let outcome = settle(page, number: number, sums: sums) { read(file, $0.baseAddress, Int32($0.count), start) }
        let part = Int(offset - start)..<Int(offset - start) + Int(count)
        if outcome == SQLITE_OK { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: page[part])) }
        return outcome
    }

    /// The number of readings before a page counts as damaged, and the microseconds between them: another process may be
    /// writing page 1, whose header is also read without a lock.
    private static let patience = (readings: 3, pause: UInt32(1_000))

    /// Checks a page that was read and corrects it where possible; returns the code for SQLite.
    private static func settle(
        _ page: UnsafeMutableRawBufferPointer,
        number: Int64,
        sums: PageSums,
        reread: (UnsafeMutableRawBufferPointer) -> Int32
    ) -> Int32 {
        var sum = sums.sum(of: number)
        if sum == 0 || PageSum.matches(UnsafeRawBufferPointer(page), number: number, sum: sum) { return SQLITE_OK }
        for _ in 0..<(sums.isKnown(number) ? 0 : patience.readings) {
            usleep(patience.pause)
            let code = reread(page)
            guard code == SQLITE_OK else { return code }
            sum = sums.sum(of: number)
            if PageSum.matches(UnsafeRawBufferPointer(page), number: number, sum: sum) { return SQLITE_OK }
        }
        let bytes = UnsafeRawBufferPointer(page)
        // Another program moved a commit of its own, or one of ours, from the log into the file.
        if LogFrames.contain(bytes, number: number, besideDatabase: sums.database) {
            sums.store(PageSum.of(bytes, number: number), of: number)
            return SQLITE_OK
        }
        switch PageSum.verdict(on: bytes, number: number, sum: sum) {
        case .sound, .unknown, .sumFlipped: return SQLITE_OK
        case .flipped(let bits):
            for bit in bits { page[bit >> 3] ^= 1 << UInt8(bit & 7) }
            sums.note(.init(page: number, isCorrected: true))
            return SQLITE_OK
        case .different where sums.checking == .lenient: return SQLITE_OK
        case .different:
            // If another program has just written the file, it is judged within a second; until then, this is refused.
            if !sums.isChangedByOthers { sums.note(.init(page: number, isCorrected: false)) }
            return SQLITE_CORRUPT
        }
    }

    private static func write(
        _ file: UnsafeMutablePointer<sqlite3_file>?,
        _ bytes: UnsafeRawPointer?,
        _ count: Int32,
        _ offset: Int64
    ) -> Int32 {
        guard let file, let bytes, let block = block(of: file), let write = block.pointee.original.xWrite else {
            return SQLITE_IOERR
        }
        let own = block.pointee.file.takeUnretainedValue()
        guard own.wipesGaps.load(ordering: .relaxed),
            let gap = GapWiper.gap(of: bytes, count: Int(count), at: offset)
        else {
            let code = own.sum(bytes, count, offset, in: file)
            return code == SQLITE_OK ? write(file, bytes, count, offset) : code
        }
        let page = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(count), alignment: 16)
        defer { page.deallocate() }
        page.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: Int(count)))
        UnsafeMutableRawBufferPointer(rebasing: page[gap]).initializeMemory(as: UInt8.self, repeating: 0)
        let code = own.sum(page.baseAddress ?? UnsafeMutableRawPointer(mutating: bytes), count, offset, in: file)
        return code == SQLITE_OK ? write(file, page.baseAddress, count, offset) : code
    }

    /// Stores the sums of pages about to be written; returns the code for SQLite.
    private func sum(_ bytes: UnsafeRawPointer, _ count: Int32, _ offset: Int64, in file: File) -> Int32 {
        guard let sums, sums.isWritable else { return SQLITE_OK }
        let size = Int64(sums.pageSize)
        let number = offset / size + 1
        // SQLite writes whole pages. If a part were written, the page would count as not summed.
        let isWhole = offset % size == 0 && Int64(count) == size
        let sum = isWhole ? PageSum.of(UnsafeRawBufferPointer(start: bytes, count: Int(count)), number: number) : 0
        switch sums.store(sum, of: number) {
        case 0:
            sums.forget(number)
            return SQLITE_OK
        case ENOSPC, EDQUOT: return SQLITE_FULL
        default: return SQLITE_IOERR | (3 << 8)
        }
    }

    private static func sync(_ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32) -> Int32 {
        guard let file, let block = block(of: file), let sync = block.pointee.original.xSync else {
            return SQLITE_IOERR
        }
        let sums = block.pointee.file.takeUnretainedValue().sums
        // The sums first: once the file is on the disk, SQLite may overwrite the log that the pages came from.
        if let sums, !sums.sync() { return SQLITE_IOERR | (4 << 8) }
        let code = sync(file, flags)
        if code == SQLITE_OK { sums?.noteOwnChange() }
        return code
    }

    private static func truncate(_ file: UnsafeMutablePointer<sqlite3_file>?, _ size: Int64) -> Int32 {
        guard let file, let block = block(of: file), let truncate = block.pointee.original.xTruncate else {
            return SQLITE_IOERR
        }
        // The sums first: a page without a sum is no alarm, a sum without its page is one.
        if let sums = block.pointee.file.takeUnretainedValue().sums, sums.isWritable {
            let pageSize = Int64(sums.pageSize)
            sums.truncate(pages: (size + pageSize - 1) / pageSize)
        }
        return truncate(file, size)
    }
}
