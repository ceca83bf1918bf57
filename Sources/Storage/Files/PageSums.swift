import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The sums of all pages of a database file, in `PATH.sums`.
///
/// Decision: sums of pages rather than digests of rows. They cover every table, index and free page, also those of
/// SpatiaLite; they are checked by every read, so that a damaged page is corrected or refused before anybody sees it; and
/// they cost no trigger and no column. They can be kept because of how SQLite writes in WAL mode: only a checkpoint
/// writes to the file, and what it writes stays in the log until the file is on the disk. So whatever a crash leaves of a
/// checkpoint, the pages concerned are still in the log and are moved again, with their sums, when the file is opened.
/// Nobody reads a page from the file while a checkpoint writes it (sqlite.org/walformat.html §2.3.1, `WAL_READ_LOCK`).
///
/// Pages in the log have the checksums of SQLite itself, which it checks when it opens the log.
///
/// Layout, little-endian: a header of 4,096 bytes, then 8 bytes for each page, 0 for none. The header has the time at
/// which we last wrote the database. A page that does not match in a file that nobody else has written since is damaged;
/// ``PageJudgement`` decides what other differences are.
final class PageSums: Sendable {
    /// The header of the file.
    struct Header: Hashable, Sendable {
        /// The size of a page in bytes.
        var pageSize = 4_096
        /// The time of the last change of the database file by us, in nanoseconds, as the file system has it; 0 if unknown.
        var changed: Int64 = 0
        /// Whether every page had its sum when this was written.
        var isComplete = false
    }

    /// A page that is not what we wrote.
    struct Damage: Hashable, Sendable {
        /// The number of the page, from 1.
        let page: Int64
        /// Whether its content could be corrected.
        let isCorrected: Bool
    }

    /// How reads are checked.
    enum Checking: UInt8, Sendable {
        /// Not at all: there are no sums yet.
        case off
        /// Flipped bits are corrected; other differences are let through until they have been judged.
        case lenient
        /// Flipped bits are corrected; a page that differs otherwise is not served.
        case strict
    }

    private static let headerBytes = 4_096
    private static let magic: UInt64 = 0x314D_5553_5941_5753

    /// The path of the database.
    let database: String
    /// Whether this process writes the database and thereby the sums.
    let isWritable: Bool
    /// What the header contained when the file was opened; `nil` if it was missing or damaged.
    let opened: Header?
    /// The file of the sums; -1 once it is closed.
    private let file: Atomic<Int32>
    private var descriptor: Int32 { file.load(ordering: .relaxed) }
    private let state: Mutex<State>
    /// How reads are checked, as ``Checking``.
    private let checks = Atomic(Checking.off.rawValue)
    /// Whether sums were written since they were last put on the disk.
    private let isDirty = Atomic(false)

    private struct State: Sendable {
        var header: Header
        var damages: [Int64: Damage] = [:]
        /// Sums that a process that may not write them knows to be right.
        var accepted: [Int64: UInt64] = [:]
        var onDamage: (@Sendable (Damage) -> Void)?
        /// Whether somebody else had written the database before we did again.
        var mustJudge = false
    }

    /// Opens the sums of a database, and creates the file if `isWritable`; `nil` if there is none to read.
    ///
    /// - Throws: ``StoreError`` if it cannot be opened.
    init?(database path: String, isWritable: Bool) throws {
        let name = path + ".sums"
        let descriptor = open(name, (isWritable ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            if !isWritable { return nil }
            throw StoreError(
                .failed,
                "Cannot open \(name): \(String(cString: strerror(errno))). Let the user who runs waymark write it; it "
                    + "contains the checksums of the database."
            )
        }
        file = Atomic(descriptor)
        database = path
        self.isWritable = isWritable
        opened = PageSums.readHeader(descriptor)
        state = Mutex(State(header: opened ?? Header()))
    }

    deinit { finishUse() }

    /// Closes the file, so that nothing on its disk stays open for writing; calling it again has no effect.
    ///
    /// Call it once the connections that use the sums are closed.
    func finishUse() {
        let descriptor = file.exchange(-1, ordering: .relaxed)
        if descriptor >= 0 { close(descriptor) }
    }

    /// The size of a page in bytes.
    var pageSize: Int { state.withLock { $0.header.pageSize } }

    /// How reads are checked against the sums.
    var checking: Checking { Checking(rawValue: checks.load(ordering: .acquiring)) ?? .strict }

    /// Sets how reads are checked.
    func check(_ checking: Checking) { checks.store(checking.rawValue, ordering: .releasing) }

    /// The pages that were found damaged so far, in order.
    var damages: [Damage] { state.withLock { $0.damages.values.sorted { $0.page < $1.page } } }

    /// Calls `body` with each page found damaged from now on, once for each.
    func onDamage(_ body: @escaping @Sendable (Damage) -> Void) { state.withLock { $0.onDamage = body } }

    /// Records a damaged page.
    func note(_ damage: Damage) {
        let body = state.withLock { state -> (@Sendable (Damage) -> Void)? in
            guard state.damages.updateValue(damage, forKey: damage.page) != damage else { return nil }
            return state.onDamage
        }
        body?(damage)
    }

    /// Forgets a damaged page that was written anew.
    func forget(_ page: Int64) { state.withLock { state in state.damages[page] = nil } }

    /// Returns the sum of a page; 0 if there is none.
    func sum(of page: Int64) -> UInt64 {
        if !isWritable, let sum = state.withLock({ $0.accepted[page] }) { return sum }
        var sum: UInt64 = 0
        let count = pread(descriptor, &sum, 8, PageSums.position(of: page))
        return count == 8 ? UInt64(littleEndian: sum) : 0
    }

    /// Stores the sum of a page; returns the value of `errno` if that fails, otherwise 0.
    ///
    /// In a process that may not write the file, the sum is kept in memory.
    @discardableResult
    func store(_ sum: UInt64, of page: Int64) -> Int32 {
        guard isWritable else {
            state.withLock { $0.accepted[page] = sum }
            return 0
        }
        if !isDirty.exchange(true, ordering: .acquiringAndReleasing), isChangedByOthers {
            state.withLock { $0.mustJudge = true }
        }
        var bytes = sum.littleEndian
        let count = pwrite(descriptor, &bytes, 8, PageSums.position(of: page))
        return count == 8 ? 0 : count < 0 ? errno : ENOSPC
    }

    /// The number of pages that have room for a sum.
    var count: Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return 0 }
        return max(0, (Int64(status.st_size) - Int64(PageSums.headerBytes)) / 8)
    }

    private var pagesOfDatabase: Int64 {
        var status = stat()
        return stat(database, &status) == 0 ? Int64(status.st_size) / Int64(pageSize) : 0
    }

    /// Removes the sums of all pages after the first `pages`.
    func truncate(pages: Int64) { _ = ftruncate(descriptor, off_t(PageSums.headerBytes) + off_t(pages) * 8) }

    /// Puts the sums on the disk; returns whether that succeeded.
    func sync() -> Bool {
        guard isDirty.exchange(false, ordering: .acquiringAndReleasing) else { return true }
        if fsync(descriptor) == 0 { return true }
        isDirty.store(true, ordering: .releasing)
        return false
    }

    /// Records that the database file is now as we wrote it.
    ///
    /// After a power cut an older record may be found; the file is then compared in full, no more.
    func noteOwnChange() {
        guard isWritable else { return }
        let changed = PageSums.timeOfChange(of: database)
        let header = state.withLock { state -> Header? in
            // Until all pages were compared, the next opening has to do it too.
            guard !state.mustJudge else { return nil }
            state.header.changed = changed
            return state.header
        }
        if let header { PageSums.write(header, to: descriptor) }
    }

    /// Records that every page has its sum and that all differences have been judged, and checks reads from now on.
    func finish() {
        state.withLock { state in
            state.mustJudge = false
            state.header.isComplete = true
        }
        _ = sync()
        noteOwnChange()
        check(.strict)
    }

    /// Decides how reads are checked before the database is opened.
    func startChecking(isNew: Bool) {
        if isNew, isWritable { return begin() }
        guard opened?.isComplete == true else { return check(.off) }
        // A file of sums that was cut short says nothing about the rest.
        if count < pagesOfDatabase { state.withLock { $0.mustJudge = true } }
        check(isChangedByOthers ? .lenient : .strict)
    }

    /// Returns the first bytes of a database with flipped bits corrected by its sums, as far as that is possible.
    static func corrected(_ bytes: [UInt8], ofDatabase path: String) -> [UInt8] {
        guard let sums = try? PageSums(database: path, isWritable: false), sums.opened?.isComplete == true,
            sums.pageSize == bytes.count
        else { return bytes }
        let verdict = bytes.withUnsafeBytes { PageSum.verdict(on: $0, number: 1, sum: sums.sum(of: 1)) }
        guard case .flipped(let bits) = verdict else { return bytes }
        var bytes = bytes
        for bit in bits { bytes[bit >> 3] ^= 1 << UInt8(bit & 7) }
        return bytes
    }

    /// Begins with a new database, which has no pages yet.
    func begin() {
        truncate(pages: 0)
        state.withLock { $0.header = Header() }
        finish()
    }

    /// Sets the size of a page before any sum is stored.
    func use(pageSize: Int) { state.withLock { $0.header.pageSize = pageSize } }

    /// Whether somebody else has written the database file since we did, as far as the file system knows.
    var isChangedByOthers: Bool {
        let (known, mustJudge) = state.withLock { ($0.header.changed, $0.mustJudge) }
        return mustJudge || known != PageSums.timeOfChange(of: database)
    }

    /// Whether the page was found damaged before.
    func isKnown(_ page: Int64) -> Bool { state.withLock { $0.damages[page] != nil } }

    /// Returns when a file was last written, in nanoseconds.
    ///
    /// It is not opened: closing it again would end the locks that SQLite has on it in this process.
    private static func timeOfChange(of path: String) -> Int64 {
        var status = stat()
        guard stat(path, &status) == 0 else { return 0 }
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    private static func position(of page: Int64) -> off_t { off_t(headerBytes) + off_t(page &- 1) * 8 }

    private static func readHeader(_ descriptor: Int32) -> Header? {
        var words = [UInt64](repeating: 0, count: 5)
        guard pread(descriptor, &words, 40, 0) == 40 else { return nil }
        words = words.map { UInt64(littleEndian: $0) }
        guard words[0] == magic, words[4] == check(of: words), let pageSize = Int(exactly: words[1]),
            (512...65_536).contains(pageSize), pageSize.nonzeroBitCount == 1
        else { return nil }
        return Header(pageSize: pageSize, changed: Int64(bitPattern: words[2]), isComplete: words[3] == 1)
    }

    private static func write(_ header: Header, to descriptor: Int32) {
        var words: [UInt64] = [
            magic, UInt64(header.pageSize), UInt64(bitPattern: header.changed), header.isComplete ? 1 : 0,
        ]
        words.append(check(of: words))
        words = words.map(\.littleEndian)
        _ = pwrite(descriptor, words, 40, 0)
    }

    private static func check(of words: [UInt64]) -> UInt64 {
        words.prefix(4).map(\.littleEndian).withUnsafeBytes { PageSum.of($0, number: 0) }
    }
}
