import GRDB
import Observing
import Stories
import Synchronization

/// Combines writes that arrive while the disk is busy into one commit, each in its own savepoint.
///
/// A commit under `synchronous=FULL` waits for the disk once, however much it contains. No write waits for a timer.
///
/// A write that commits alone needs no savepoint, and a long write must not have one. While a savepoint is open, SQLite
/// keeps the previous content of every changed page and, after each statement, walks everything it keeps from the start
/// (`memjrnlTruncate`), so the work grows with the square of the changes. Measured: an import of 110,000 stories took
/// four minutes with a savepoint and 40 seconds without.
final class GroupCommit: Sendable {
    /// A write waiting for its turn.
    private struct Job: Sendable {
        /// Does the work and returns the lines to add to the list of erasures before the commit, and the actions to run
        /// after it.
        ///
        /// The last action answers the caller.
        let perform: @Sendable (Database) throws -> (lines: [ErasureList.Entry], actions: [@Sendable () -> Void])
        let fail: @Sendable (any Error) -> Void
        /// Whether the write may use the disk reserve even if it adds nothing to the list of erasures.
        let isUrgent: Bool
        /// Whether it changes so much that it commits alone.
        let isLong: Bool
    }

    /// A write that had a transaction to itself and was rolled back with it.
    private struct UndoneAlone: Error {
        let outcome: Outcome
    }

    /// The outcome of a write.
    private enum Outcome {
        /// It has not run yet.
        case waiting
        /// It is durable once the group is.
        case done(actions: [@Sendable () -> Void], isListed: Bool)
        /// It is not stored; if `isUrgent`, retrying with more disk space may succeed.
        case failed(any Error, isUrgent: Bool)

        /// Returns the outcome that this one becomes if its group cannot be stored.
        func failing(with error: any Error, isFull: Bool) -> Outcome {
            switch self {
            // A write that has not run may or may not be urgent.
            case .waiting: .failed(error, isUrgent: isFull)
            case .done(_, let isListed): .failed(error, isUrgent: isFull && isListed)
            case .failed: self
            }
        }
    }

    /// Why only writes are made that may use the disk reserve.
    private enum Refusal {
        /// The disk is full.
        case full
        /// Less space is free than the operator wants to keep.
        case early

        var error: any Error {
            switch self {
            case .full: DatabaseError(resultCode: .SQLITE_FULL)
            case .early: SpaceShort()
            }
        }
    }

    private struct Queue: Sendable {
        var jobs: [Job] = []
        var isRunning = false
    }

    /// The collaborators of a group besides the database.
    struct Parts: Sendable {
        let path: String
        let clock: StoreClock
        let erasures: ErasureList
        let changeSignal: ChangeSignal
        let stop: WriteStop
        let place: PlaceGuard?
        let reserve: DiskReserve?
        let gauge: DiskGauge
        let meter: WriterMeter
        let log: LogKeeper

        /// The reason why nothing more may be written or acknowledged; `nil` while all is well.
        var problem: StoreError? { stop.error ?? place?.fault().map { stop.stop($0) } }
    }

    /// The maximum number of writes in one commit.
    private static let limit = 64

    private let database: any DatabaseWriter
    private let parts: Parts
    private let queue = Mutex(Queue())

    private var clock: StoreClock { parts.clock }
    private var erasures: ErasureList { parts.erasures }

    init(database: any DatabaseWriter, parts: Parts) {
        self.database = database
        self.parts = parts
    }

    /// The number of writes waiting for the next commit.
    var waiting: Int { queue.withLock { $0.jobs.count } }

    /// Runs `body` in a transaction and returns its value once durable; a long write gets its own transaction.
    func write<Value: Sendable>(
        isUrgent: Bool = false,
        isLong: Bool = false,
        _ body: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws -> Value {
        // Read here: the transaction runs in no task.
        let cause = TraceCause.current
        return try await withCheckedThrowingContinuation { continuation in
            let job = Job(
                perform: { [clock, erasures, changeSignal = parts.changeSignal] db in
                    let afterCommit = ActionList(followsStories: changeSignal.followsStories.load(ordering: .relaxed))
                    let value = try body(
                        StoreTransaction(
                            db: db,
                            afterCommit: afterCommit,
                            clock: clock,
                            erasureList: erasures,
                            unsettled: clock.unsettled,
                            cause: cause
                        )
                    )
                    let changes = afterCommit.changes
                    let last: [@Sendable () -> Void] = [
                        { changeSignal.send(changes) }, { continuation.resume(returning: value) },
                    ]
                    return (afterCommit.lines, afterCommit.actions + last)
                },
                fail: { continuation.resume(throwing: $0) },
                isUrgent: isUrgent,
                isLong: isLong
            )
            let mustStart = queue.withLock { queue in
                queue.jobs.append(job)
                defer { queue.isRunning = true }
                return !queue.isRunning
            }
            if mustStart { database.asyncWriteWithoutTransaction { self.drain($0) } }
        }
    }

    /// Stores, at closing, the end time of the last group.
    ///
    /// If this fails, the group is assumed to have lasted until the store is opened again.
    func settle() {
        database.writeWithoutTransaction { commit([], in: $0) }
    }

    /// Commits one group of waiting writes; later arrivals queue behind other users of the writer.
    private func drain(_ db: Database) {
        let jobs = queue.withLock { queue in
            let short = queue.jobs.prefix(GroupCommit.limit).prefix { !$0.isLong }
            let jobs = Array(short.isEmpty ? queue.jobs.prefix(1) : short)
            queue.jobs.removeFirst(jobs.count)
            return jobs
        }
        if jobs.first?.isLong == true {
            PageCache.enlarging(db) { commit(jobs, in: db) }
        } else {
            commit(jobs, in: db)
        }
        do {
            if parts.stop.error == nil { try parts.log.keepUp(db) }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_IOERR {
            _ = parts.stop.stop(error)
        } catch {
            // On a full disk the log keeps growing while it can, and the next step tries again.
        }
        let isOver = queue.withLock { queue in
            queue.isRunning = !queue.jobs.isEmpty
            return !queue.isRunning
        }
        if !isOver { database.asyncWriteWithoutTransaction { self.drain($0) } }
    }

    /// Commits one group and answers all callers last, once nothing is being written any more.
    ///
    /// If a caller were answered earlier, the answer to its next request would count as one that may miss its own
    /// write. Writes that fail for lack of disk space are retried with the reserve if they add to the list of erasures.
    private func commit(_ jobs: [Job], in db: Database) {
        let refusal = jobs.isEmpty || !parts.gauge.space.refusesWrites ? nil : Refusal.early
        var outcomes = parts.meter.measure(.commit, on: db) { attempt(jobs, in: db, refusingOthers: refusal) }
        noteRoom(for: outcomes)
        let urgent = outcomes.indices.filter {
            if case .failed(_, isUrgent: true) = outcomes[$0] { true } else { false }
        }
        if !urgent.isEmpty, let reserve = parts.reserve, reserve.release() || shortenLog(in: db) {
            // The reserve leaves enough room to move the log into the file; this frees more space than it takes.
            _ = shortenLog(in: db)
            let again = parts.meter.measure(.commit, on: db) {
                attempt(urgent.map { jobs[$0] }, in: db, refusingOthers: .full)
            }
            for (index, outcome) in zip(urgent, again) { outcomes[index] = outcome }
            reserve.takeRest()
        }
        for case .done(let actions, _) in outcomes {
            for action in actions { action() }
        }
        for (job, outcome) in zip(jobs, outcomes) {
            guard case .failed(let error, _) = outcome else { continue }
            job.fail(error is SpaceShort ? SpaceShort.explained(path: parts.path) : error)
        }
    }

    /// Records whether the disk had room for a group; if it had, refills the reserve where there is plenty of space.
    private func noteRoom(for outcomes: [Outcome]) {
        guard let reserve = parts.reserve, !outcomes.isEmpty else { return }
        let isRefused = outcomes.contains {
            if case .failed(let error, _) = $0 { GroupCommit.isFull(error) } else { false }
        }
        guard !isRefused else { return parts.gauge.refuse() }
        parts.gauge.accept(room: reserve.room)
        if !reserve.isWhole { reserve.refill() }
    }

    /// Moves the log into the file and empties it if the disk has room for the file to grow; returns whether the log is
    /// empty.
    ///
    /// On a full disk, many small writes, such as the pieces of an erasure, would otherwise fill the log with the same
    /// pages over and over. Moving only part of the log would take space without freeing any.
    private func shortenLog(in db: Database) -> Bool {
        guard parts.stop.error == nil, let reserve = parts.reserve else { return false }
        do {
            guard let growth = try parts.log.growth(of: db), growth <= reserve.room else { return false }
            return try parts.log.empty(db)
        } catch let error as DatabaseError where error.resultCode.primaryResultCode == .SQLITE_IOERR {
            _ = parts.stop.stop(error)
            return false
        } catch {
            return false
        }
    }

    /// Writes one group in one transaction; with `refusal`, only the writes that may use the disk reserve.
    private func attempt(_ jobs: [Job], in db: Database, refusingOthers refusal: Refusal?) -> [Outcome] {
        var outcomes = jobs.map { _ in Outcome.waiting }
        if let error = parts.problem { return outcomes.map { $0.failing(with: error, isFull: false) } }
        let (start, before) = (erasures.mark, erasures.total)
        var isCommitting = false
        clock.beginWriting()
        do {
            try db.inTransaction(.immediate) {
                for index in jobs.indices {
                    let isAlone = jobs.count == 1
                    outcomes[index] = try run(jobs[index], in: db, refusingOthers: refusal, isAlone: isAlone)
                }
                try saveSpans(in: db)
                if let token = erasures.token {
                    try transaction(on: db).saveListToken(token, lines: erasures.total, before: before)
                }
                try syncList(since: start)
                isCommitting = true
                return .commit
            }
            clock.endWriting(isDurable: true)
        } catch let undone as UndoneAlone {
            clock.endWriting(isDurable: false)
            return [undone.outcome]
        } catch {
            clock.endWriting(isDurable: false)
            let reason = resolve(error, isCommitting: isCommitting, since: start)
            return outcomes.map { $0.failing(with: reason, isFull: GroupCommit.isFull(reason)) }
        }
        // The files may have been replaced meanwhile: then the next opening finds others, which lack this group.
        if let error = parts.problem {
            erasures.leaveOpen(since: start)
            return outcomes.map { $0.failing(with: error, isFull: false) }
        }
        do {
            try erasures.close()
        } catch {
            // The database has committed the lines; at the next opening the token it stored confirms this.
            _ = parts.stop.stop(error)
        }
        // Before anything is sent. If it fails, the next group tries again: the database keeps what the file lacks.
        try? erasures.announced.catchUp(with: db)
        return outcomes
    }

    /// Runs one write, in a savepoint unless it is alone in the transaction; a failure undoes only its own changes.
    ///
    /// - Throws: ``UndoneAlone``, or any other error that undoes the whole group.
    private func run(
        _ job: Job,
        in db: Database,
        refusingOthers refusal: Refusal?,
        isAlone: Bool
    ) throws -> Outcome {
        let before = erasures.mark
        var outcome = Outcome.waiting
        func perform() throws {
            let work = try job.perform(db)
            // A line that follows a widening does not make a write urgent.
            let isListed = job.isUrgent || work.lines.contains(where: \.isWithdrawal)
            if let refusal, !isListed { throw refusal.error }
            outcome = .done(actions: work.actions, isListed: isListed)
            try erasures.add(work.lines)
        }
        do {
            if isAlone {
                try perform()
            } else {
                try db.inSavepoint {
                    try perform()
                    return .commit
                }
            }
            return outcome
        } catch {
            try erasures.takeBack(to: before)
            // On a full disk SQLite may roll back the whole transaction; then nothing of the group is stored.
            guard db.isInsideTransaction else { throw error }
            let failed = Outcome.failed(error, isUrgent: GroupCommit.isFull(error))
            if isAlone { throw UndoneAlone(outcome: failed) }
            return failed
        }
    }

    private func syncList(since start: ErasureList.Mark) throws {
        do {
            try erasures.sync(since: start)
        } catch {
            throw parts.stop.stop(error)
        }
    }

    /// Determines whether a failed group is stored, withdraws its listed lines if it is not, and returns the error to
    /// report.
    ///
    /// A transaction that never reached its commit is not stored. Nor is a transaction that found no room on the disk:
    /// its last page is missing. After any other failed commit, it is unknown what a restart will find on the disk. So
    /// nothing more is written until then and the lines stay open: at the next opening the database decides whether
    /// they are valid.
    private func resolve(_ error: any Error, isCommitting: Bool, since start: ErasureList.Mark) -> any Error {
        if isCommitting, GroupCommit.isUnknown(error) {
            erasures.leaveOpen(since: start)
            return parts.stop.stop(error)
        }
        do {
            try erasures.takeBack(to: start)
            return error
        } catch {
            erasures.leaveOpen(since: start)
            return parts.stop.stop(error)
        }
    }

    private static func isUnknown(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        let known: [ResultCode] = [.SQLITE_FULL, .SQLITE_BUSY, .SQLITE_CONSTRAINT, .SQLITE_ABORT, .SQLITE_ERROR]
        return !known.contains(error.resultCode.primaryResultCode)
    }

    private static func isFull(_ error: any Error) -> Bool {
        (error as? DatabaseError)?.resultCode.primaryResultCode == .SQLITE_FULL
            || (error as? StoreError)?.code == .diskFull
    }

    private func saveSpans(in db: Database) throws {
        guard let changes = clock.spanChanges() else { return }
        try transaction(on: db).save(changes)
    }

    /// Returns a transaction for the bookkeeping of the group itself.
    private func transaction(on db: Database) -> StoreTransaction {
        StoreTransaction(db: db, afterCommit: ActionList(), clock: clock, erasureList: erasures)
    }
}
