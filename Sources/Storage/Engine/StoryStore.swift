import Foundation
import GRDB
public import Logging
public import Stories
import Synchronization

/// The database: one SQLite file with SpatiaLite, one writer, many readers.
///
/// Open it once per process. A store opened for writing holds `PATH.lock` until it is released.
public final class StoryStore: Sendable {
    /// What a store is opened for.
    public enum Mode: Sendable {
        /// Reading and writing, creating the file if there is none; takes the lock.
        case readWrite
        /// Reading beside a running service: no lock, no checkpoint, no change.
        case readOnly
    }

    /// Where the file is.
    public let path: String
    /// The secrets inside it and beside it.
    public let keys: StoreKeys
    /// What was erased and withdrawn; it outlives the file.
    public let erasures: ErasureList

    /// What changes are stamped by.
    let clock = StoreClock()
    /// Who is told of commits.
    let changeSignal = ChangeSignal()
    /// What reads cost.
    let readMeter = ReadMeter()
    let database: any DatabaseWriter
    let commits: GroupCommit
    let lock: StoreLock?
    package let logger: Logger
    /// What holds the writer, and how long.
    package let meter = WriterMeter()
    let log: LogKeeper
    let stop: WriteStop
    private let reserve: DiskReserve?
    private let gauge = DiskGauge()

    /// Opens the database, migrates it and checks that its durability settings are in force.
    ///
    /// - Throws: ``StoreError`` saying what is wrong and what to do.
    public init(path: String, mode: Mode, logger: Logger) throws {
        // One name for the file, its lock and its keys, also when it is reached by a link.
        let path = StoryStore.resolved(path)
        self.path = path
        self.logger = logger
        stop = WriteStop(path: path, logger: logger)
        log = LogKeeper(meter: meter)
        try StoryStore.checkHeader(of: path)
        do {
            switch mode {
            case .readWrite:
                lock = try StoreLock(database: path)
                let reserve = DiskReserve(database: path)
                self.reserve = reserve
                database = try reserve.lending(to: path) { try StoryStore.openForWriting(path, logger: logger) }
            case .readOnly:
                guard FileManager.default.fileExists(atPath: path) else {
                    throw StoreError(
                        .missing,
                        "There is no database at \(path). Create it with 'waymark import' or 'waymark serve', or give --database."
                    )
                }
                lock = nil
                reserve = nil
                database = try StoryStore.openForReading(path)
            }
            let (inside, listed, latest, spans) = try database.read { [clock, isReader = lock == nil] db in
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
                try StoryStore.checkCount(of: erasures, keys: keys, in: database, at: clock.time, logger: logger)
            }
            commits = GroupCommit(
                database: database,
                parts: .init(
                    clock: clock,
                    erasures: erasures,
                    changeSignal: changeSignal,
                    stop: stop,
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

    /// Whether it can be written to.
    public var isWritable: Bool { lock != nil }

    /// Why nothing is written any more: the disk failed.
    ///
    /// `nil` as long as all is well.
    public var writingProblem: StoreError? { stop.error }

    private var isWriting: Bool { lock != nil && stop.error == nil }

    /// Makes the reserve of room on the disk again if it was used and there is plenty; returns whether it is there.
    @discardableResult
    public func refillReserve() -> Bool { reserve?.refill() ?? false }

    /// What there is no room for on the disk; `nil` as long as all is well, and for a reader.
    public var diskShortage: DiskShortage? { reserve.flatMap(gauge.shortage) }

    /// Closes the file and lets others take the lock; the store is of no use afterwards.
    ///
    /// - Throws: ``StoreError`` when SQLite cannot close the file.
    public func close() throws {
        do {
            if isWriting {
                if !clock.unsettled.isEmpty { commits.settle() }
                // Best effort: a full disk or a reader in the way must not keep the file from being closed.
                try? database.write { try LayerStatistics.update($0) }
                foldLog()
            }
            try database.close()
        } catch let error as DatabaseError {
            throw StoryStore.explain(error, path: path)
        }
        lock?.release()
    }

    /// Whether rows were removed since the log was last folded: for tests.
    package var mustFoldLog: Bool { changeSignal.hasRemovals.withLock { $0 } }

    /// Moves the log into the file and empties it, if anything was removed since it was last done; returns whether
    /// nothing is left to be done.
    ///
    /// Removed rows are overwritten in the file, but pages from before the removal stay in the log until then. A reader
    /// keeps the log, and nobody waits for one: it is then still to be done.
    ///
    /// - Throws: ``StoreError`` when the disk fails.
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

    /// Moves what is in `PATH-wal` into the file itself, so that it can be moved alone once the store is closed.
    ///
    /// Closing alone does not do it when a reader's connection, which may not write, is the last to go. Where it fails,
    /// because another process reads or the disk is full, the log stays beside the file and nothing is lost.
    private func foldLog() {
        _ = try? database.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    }

    /// Runs `body` in one transaction on the single writer; an error undoes everything it did.
    ///
    /// It returns when the change is durable. Bodies that come while the disk is busy share the next commit.
    /// One that `isUrgent` may use the reserve of room on the disk, as what goes on the list of erasures does.
    /// One that `isLong`, of thousands of rows, has a commit of its own: its time then grows with its size and no faster.
    public func write<Value: Sendable>(
        isUrgent: Bool = false,
        isLong: Bool = false,
        _ body: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await explaining { try await self.commits.write(isUrgent: isUrgent, isLong: isLong, body) }
    }

    /// Runs `body` on one consistent view of the data, through which nothing can be changed.
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (StoreReader) throws -> Value
    ) async throws -> Value {
        // Before the view is taken: what is stored of spans by then is in it.
        let unsettled = clock.unsettled
        return try await explaining {
            try await self.database.readAtOnce { [clock, readMeter] db in
                try readMeter.measure(db) {
                    try body(StoreReader(db: db, clock: clock, unsettled: unsettled))
                }
            }
        }
    }

    /// Makes `now` the clock by which changes are stamped from here on; until then it is the system's.
    public func useClock(_ now: @escaping @Sendable () -> Timestamp) {
        clock.use(now)
    }

    /// The instant of an answer that is given from a ``read(_:)`` begun from here on: now, and never before `earlier`.
    ///
    /// Whatever the read misses, ``StoreReader/changes(for:since:after:limit:)`` finds since this instant, also what
    /// is being written already. What happens within its millisecond may be found although it was not missed.
    public func answerInstant(after earlier: Timestamp? = nil) -> Timestamp { clock.answerInstant(after: earlier) }

    /// How many writes wait for the next commit: for tests that need them to wait.
    package var waitingWrites: Int { commits.waiting }

    func explaining<Value>(_ work: () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch let error as DatabaseError {
            throw StoryStore.explain(error, path: path)
        }
    }

    /// Turns SQLite's error into a sentence, without the statement's arguments.
    static func explain(_ error: DatabaseError, path: String) -> StoreError {
        switch error.resultCode {
        case .SQLITE_FULL:
            StoreError(.diskFull, "The disk is full; nothing was written to \(path). Free some space and try again.")
        case .SQLITE_NOTADB, .SQLITE_CORRUPT:
            StoreError(.notADatabase, "\(path) is not a Waymark database, or it is damaged. Restore it from a backup.")
        case .SQLITE_CANTOPEN:
            StoreError(.failed, "\(path) cannot be opened. Check that its directory exists and may be written to.")
        case .SQLITE_READONLY:
            StoreError(.failed, "\(path) cannot be written to. Check the permissions of the file and its directory.")
        case .SQLITE_CONSTRAINT where error.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY:
            StoreError(.vanished, "What this is about was removed meanwhile; nothing was stored. Ask for it anew.")
        case .SQLITE_CONSTRAINT:
            StoreError(.conflict, "The database refused the change: \(error.message ?? "a rule was broken").")
        default:
            StoreError(.failed, "The database failed: \(error.message ?? "code \(error.resultCode.rawValue)").")
        }
    }
}
