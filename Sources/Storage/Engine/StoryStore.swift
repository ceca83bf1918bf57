import Foundation
import GRDB
public import Logging
public import Stories
import Synchronization

/// The database: one SQLite file with SpatiaLite, one writer, many readers.
///
/// Open it once per process. A store opened for writing holds `PATH.lock` until it is released.
public final class StoryStore: Sendable {
    /// The access a store is opened with.
    public enum Mode: Sendable {
        /// Reading and writing: creates the file if there is none, and takes the lock.
        case readWrite
        /// Reading next to a running service: no lock, no checkpoint, no change.
        case readOnly
    }

    /// The path of the file.
    public let path: String
    /// The secrets inside and next to it.
    public let keys: StoreKeys
    /// The list of erasures and withdrawals, which outlives the file.
    public let erasures: ErasureList
    /// Whether this is a copy that the list of erasures cannot bring up to date, because it is older than the list or the
    /// list has lost lines: everything in it must be withheld before any of it is served.
    public let isBeyondList: Bool

    /// The source of stamps for changes.
    let clock = StoreClock()
    /// Notifies the listener of commits.
    let changeSignal = ChangeSignal()
    /// Counts the cost of reads.
    let readMeter = ReadMeter()
    let database: any DatabaseWriter
    let commits: GroupCommit
    let lock: StoreLock?
    package let logger: Logger
    /// Measures what holds the writer, and for how long.
    package let meter = WriterMeter()
    let log: LogKeeper
    let stop: WriteStop
    /// Notices that the files were removed or replaced; `nil` for a reader.
    private let place: PlaceGuard?
    /// The sums of the file's pages; `nil` for a reader of a file without them.
    let sums: PageSums?
    /// The stories that could not be read.
    let unreadable = Mutex(UnreadableRows())
    private let reserve: DiskReserve?
    let gauge = DiskGauge()

    /// Opens the database, migrates it and checks that its durability settings are in force.
    ///
    /// With `acceptsOldCopy` a copy that is ``isBeyondList`` is opened too.
    ///
    /// - Throws: ``StoreError`` saying what is wrong and what to do.
    public init(path: String, mode: Mode, acceptsOldCopy: Bool = false, logger: Logger) throws {
        // Use one name for the file, its lock and its keys, even if the path is a link.
        let path = StoryStore.resolved(path)
        self.path = path
        self.logger = logger
        stop = WriteStop(path: path, logger: logger)
        log = LogKeeper(meter: meter)
        try RestoreSwap.finishInterrupted(path, isWriting: mode == .readWrite)
        try StoryStore.checkHeader(of: path)
        do {
            switch mode {
            case .readWrite:
                try StoryStore.checkFileSystem(of: path, logger: logger)
                let lock = try StoreLock(database: path)
                self.lock = lock
                try PlaceGuard.checkNames(of: path)
                for file in try FileRights.protect(database: path) {
                    logger.warning("other users could read a file of the database; it was closed to them: \(file)")
                }
                let file = PlaceGuard.file(at: path)
                let reserve = DiskReserve(database: path)
                self.reserve = reserve
                let sums = try StoryStore.openSums(path, isWritable: true, logger: logger)
                self.sums = sums
                database = try reserve.lending(to: path) {
                    try StoryStore.openForWriting(path, sums: sums, logger: logger)
                }
                try lock.takeFile()
                place = try PlaceGuard(database: path, before: file)
            case .readOnly:
                guard FileManager.default.fileExists(atPath: path) else {
                    throw StoreError(
                        .missing,
                        "There is no database at \(path). Create it with 'waymark import' or 'waymark serve', or give --database."
                    )
                }
                lock = nil
                reserve = nil
                place = nil
                sums = try StoryStore.openSums(path, isWritable: false, logger: logger)
                database = try StoryStore.openForReading(path, sums: sums, logger: logger)
            }
            let (inside, listed, latest, spans) = try database.read { [clock, isReader = lock == nil] db in
                try StoryStore.checkTypes(db, path: path, isReader: isReader)
                let reader = StoreReader(db: db, clock: clock)
                let (inside, listed) = (try reader.secrets(), try reader.listToken())
                guard !isReader else { return (inside, listed, Int64(0), [CommitSpan]()) }
                return (inside, listed, try reader.latestStamp(), try reader.openSpans())
            }
            clock.resume(after: latest, open: spans)
            keys = try StoreKeys(inside: inside, besideDatabase: path, creating: lock != nil)
            erasures = try ErasureList(folder: path + ".keys", key: keys[.erasures])
            try erasures.resolve(token: listed, repairing: lock != nil)
            if lock != nil {
                let isShort = try StoryStore.checkCount(
                    of: erasures,
                    keys: keys,
                    in: database,
                    path: path,
                    at: clock.time,
                    logger: logger
                )
                isBeyondList = try isShort || StoryStore.isBeyond(erasures, database)
                if isBeyondList, !acceptsOldCopy { throw StoryStore.beyondList(path) }
            } else {
                isBeyondList = false
            }
            commits = GroupCommit(
                database: database,
                parts: .init(
                    path: path,
                    clock: clock,
                    erasures: erasures,
                    changeSignal: changeSignal,
                    stop: stop,
                    place: place,
                    reserve: reserve,
                    gauge: gauge,
                    meter: meter,
                    log: log
                )
            )
            if lock != nil { database.writeWithoutTransaction { [meter] in meter.count(on: $0) } }
            if lock == nil { try StoryStore.checkErasures(erasures, in: database, path: path) }
        } catch let error as DatabaseError {
            throw StoryStore.explain(error, path: path)
        }
    }

    /// Whether it was opened for writing.
    public var isWritable: Bool { lock != nil }

    /// The reason why writing has stopped: the disk failed, or the files are no longer the ones that were opened.
    ///
    /// `nil` while all is well. Looks at the files, so that a replaced one is noticed even if nothing is written.
    public var writingProblem: StoreError? { stop.error ?? place?.fault().map { stop.stop($0) } }

    private var isWriting: Bool { lock != nil && stop.error == nil }

    /// Refills the disk reserve if it was used and there is plenty of space; returns whether it is whole.
    @discardableResult
    public func refillReserve() -> Bool { reserve?.refill() ?? false }

    /// The shortage of disk space, if any; `nil` while all is well, and for a reader.
    public var diskShortage: DiskShortage? { reserve.flatMap(gauge.shortage) }

    /// Whether ordinary writes are refused, because the disk failed or has too little space, or because the store was
    /// opened for reading.
    public var refusesWrites: Bool { !isWriting || diskShortage?.refusesWrites ?? false }

    /// Closes the file and releases the lock.
    ///
    /// The store cannot be used afterwards.
    ///
    /// - Throws: ``StoreError`` if SQLite cannot close the file.
    public func close() throws {
        // A command that a running service carries out only borrows its store.
        if StoryStore.lent === self { return }
        do {
            if isWriting {
                if !clock.unsettled.isEmpty { commits.settle() }
                // Best effort: a full disk or a blocking reader must not prevent closing the file.
                try? database.write { try LayerStatistics.update($0) }
                foldLog()
            }
            try database.close()
            sums?.finishUse()
        } catch let error as DatabaseError {
            throw StoryStore.explain(error, path: path)
        }
        lock?.release()
    }

    /// Whether rows were removed since the log was last emptied; for tests.
    package var mustFoldLog: Bool { changeSignal.hasRemovals.withLock { $0 } }

    /// Moves the log into the file and empties it if rows were removed since it was last emptied; returns whether
    /// nothing is left to do.
    ///
    /// Removed rows are overwritten in the file, but pages from before the removal stay in the log until it is emptied.
    /// While a reader is using the log, it cannot be emptied: after a few tries this returns `false`.
    ///
    /// - Throws: ``StoreError`` if the disk fails.
    @discardableResult
    public func foldLogAfterRemovals() async throws -> Bool {
        guard isWriting, changeSignal.hasRemovals.withLock({ $0 }) else { return true }
        changeSignal.hasRemovals.withLock { $0 = false }
        do {
            if try await emptyLog() { return true }
        } catch {
            changeSignal.hasRemovals.withLock { $0 = true }
            throw error
        }
        changeSignal.hasRemovals.withLock { $0 = true }
        return false
    }

    /// Moves `PATH-wal` into the file itself, so that the file can be moved on its own once the store is closed.
    ///
    /// Closing alone does not do this if a reader's connection, which may not write, closes last. If it fails because
    /// another process reads or the disk is full, the log stays next to the file and nothing is lost.
    private func foldLog() {
        _ = try? database.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    }

    /// Runs `body` in one transaction on the single writer; an error undoes everything it did.
    ///
    /// It returns once the change is durable. Writes that arrive while the disk is busy share the next commit. A write
    /// that `isUrgent` may use the disk reserve, as additions to the list of erasures do. A write that `isLong`, with
    /// thousands of rows, gets its own commit, so that its time grows only linearly with its size. A write on behalf of a
    /// request with an `Idempotency-Key` also records that the request was carried out; see ``RequestMark``.
    public func write<Value: Sendable>(
        isUrgent: Bool = false,
        isLong: Bool = false,
        _ body: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws -> Value {
        guard isWritable else { throw StoryStore.readOnly(path) }
        let mark = RequestMark.current
        return try await explaining {
            try await self.commits.write(isUrgent: isUrgent, isLong: isLong) { transaction in
                let value = try body(transaction)
                if let mark { try transaction.record(mark) }
                return value
            }
        }
    }

    /// Runs `body` on one consistent, read-only view of the data.
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (StoreReader) throws -> Value
    ) async throws -> Value {
        // Read before the view is taken, so that the view contains all spans stored by then.
        let unsettled = clock.unsettled
        return try await explaining {
            try await self.database.readAtOnce { [clock, readMeter] db in
                try readMeter.measure(db) {
                    try body(StoreReader(db: db, clock: clock, unsettled: unsettled))
                }
            }
        }
    }

    /// Stamps changes by the clock `now` from this call on; before it, the system's clock is used.
    public func useClock(_ now: @escaping @Sendable () -> Timestamp) {
        clock.use(now)
    }

    /// Returns the instant to state in an answer that is based on a later ``read(_:)``: the current time, but never
    /// before `earlier`.
    ///
    /// That read may miss changes that are being written. All of them are found by a later call of
    /// ``StoreReader/changes(for:since:after:limit:)`` with this instant, which may also return changes of the same
    /// millisecond that were not missed.
    public func answerInstant(after earlier: Timestamp? = nil) -> Timestamp { clock.answerInstant(after: earlier) }

    /// The number of writes waiting for the next commit; for tests that need them to wait.
    package var waitingWrites: Int { commits.waiting }

    func explaining<Value>(_ work: () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch let error as DatabaseError {
            throw StoryStore.explain(error, path: path)
        }
    }

    private static func readOnly(_ path: String) -> StoreError {
        StoreError(
            .readOnly,
            "\(path) was opened for reading only, so nothing can be stored. Make the file and its disk writable, then start "
                + "again."
        )
    }

    /// Explains an SQLite error in a sentence, without the statement's arguments.
    static func explain(_ error: DatabaseError, path: String) -> StoreError {
        switch error.resultCode {
        case .SQLITE_FULL:
            StoreError(.diskFull, "The disk is full; nothing was written to \(path). Free some space and try again.")
        case .SQLITE_NOTADB, .SQLITE_CORRUPT:
            StoreError(
                .damaged,
                "A part of \(path) is damaged. 'waymark check' says what is concerned and what to do."
            )
        case .SQLITE_CANTOPEN:
            StoreError(.failed, "\(path) cannot be opened. Check that its folder exists and is writable.")
        case .SQLITE_READONLY:
            StoreError(
                .failed,
                "\(path) cannot be written, so nothing was stored. Let the user that runs waymark write to the file and its "
                    + "folder; a file system that is mounted read-only has to be mounted with write access."
            )
        case .SQLITE_CONSTRAINT where error.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY:
            StoreError(.vanished, "The target was removed in the meantime; nothing was stored. Reload and try again.")
        case .SQLITE_CONSTRAINT:
            StoreError(.conflict, "The database rejected the change: \(error.message ?? "a constraint was violated").")
        default:
            StoreError(.failed, "The database failed: \(error.message ?? "code \(error.resultCode.rawValue)").")
        }
    }
}
