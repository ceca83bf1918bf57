import GRDB
import Synchronization

/// What is to be done once a transaction is durable.
final class ActionList {
    var actions: [@Sendable () -> Void] = []
    /// What has to be on the list of erasures before the transaction commits.
    var lines: [ErasureList.Entry] = []
    /// When the transaction changed who sees what, once it did.
    var stamp: Int64?
    /// What the transaction may have changed for whoever looks on live.
    var changes = StoreChanges()
}

@available(*, unavailable)
extension ActionList: Sendable {}

/// Joins the writes that come while the disk is busy into one commit, each in a savepoint of its own.
///
/// A commit under `synchronous=FULL` costs one wait for the disk however much it holds; nobody waits for a timer.
final class GroupCommit: Sendable {
    /// A write that waits for its turn.
    private struct Job: Sendable {
        /// Does the work and returns what to list before the commit, and what to do after it, last of all the answer to
        /// whoever waits.
        let perform: @Sendable (Database) throws -> (lines: [ErasureList.Entry], actions: [@Sendable () -> Void])
        let fail: @Sendable (any Error) -> Void
    }

    private struct Queue: Sendable {
        var jobs: [Job] = []
        var isRunning = false
    }

    /// The most writes in one commit.
    private static let limit = 64

    private let database: any DatabaseWriter
    private let clock: StoreClock
    private let erasures: ErasureList
    private let changeSignal: ChangeSignal
    private let queue = Mutex(Queue())

    init(database: any DatabaseWriter, clock: StoreClock, erasures: ErasureList, changeSignal: ChangeSignal) {
        self.changeSignal = changeSignal
        self.database = database
        self.clock = clock
        self.erasures = erasures
    }

    /// How many writes wait for the next commit.
    var waiting: Int { queue.withLock { $0.jobs.count } }

    /// Runs `body` in a transaction and returns its value when that is durable.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let job = Job(
                perform: { [clock, changeSignal] db in
                    let afterCommit = ActionList()
                    let value = try body(
                        StoreTransaction(db: db, afterCommit: afterCommit, clock: clock, unsettled: clock.unsettled)
                    )
                    let changes = afterCommit.changes
                    let last: [@Sendable () -> Void] = [
                        { changeSignal.send(changes) }, { continuation.resume(returning: value) },
                    ]
                    return (afterCommit.lines, afterCommit.actions + last)
                },
                fail: { continuation.resume(throwing: $0) }
            )
            let mustStart = queue.withLock { queue in
                queue.jobs.append(job)
                defer { queue.isRunning = true }
                return !queue.isRunning
            }
            if mustStart { database.asyncWriteWithoutTransaction { self.drain($0) } }
        }
    }

    /// Stores, at the end, until when the last group lasted; should that fail it is taken to have lasted until the store
    /// is opened again.
    func settle() {
        database.writeWithoutTransaction { commit([], in: $0) }
    }

    /// Commits what waits until nothing does.
    private func drain(_ db: Database) {
        while true {
            let jobs = queue.withLock { queue in
                let jobs = Array(queue.jobs.prefix(GroupCommit.limit))
                queue.jobs.removeFirst(jobs.count)
                if jobs.isEmpty { queue.isRunning = false }
                return jobs
            }
            if jobs.isEmpty { return }
            commit(jobs, in: db)
        }
    }

    /// Commits one group; whoever waits is answered last, when nothing is being written any more.
    ///
    /// Were somebody answered before, what they ask next would count as missing what they wrote.
    private func commit(_ jobs: [Job], in db: Database) {
        var waiting = jobs[...]
        var done: [(job: Job, actions: [@Sendable () -> Void])] = []
        var failed: [(job: Job, error: any Error)] = []
        let start = erasures.mark
        clock.beginWriting()
        do {
            try db.inTransaction(.immediate) {
                while let job = waiting.popFirst() {
                    let before = erasures.mark
                    do {
                        var actions: [@Sendable () -> Void] = []
                        try db.inSavepoint {
                            let work = try job.perform(db)
                            try erasures.add(work.lines)
                            actions = work.actions
                            return .commit
                        }
                        done.append((job, actions))
                    } catch {
                        failed.append((job, error))
                        try erasures.takeBack(to: before)
                        // A full disk can make SQLite undo the whole transaction: then nothing of the group is stored.
                        guard db.isInsideTransaction else { throw error }
                    }
                }
                try saveSpans(in: db)
                try erasures.sync(since: start)
                return .commit
            }
            clock.endWriting(isDurable: true)
        } catch {
            clock.endWriting(isDurable: false)
            let error = unlist(since: start, error)
            failed += done.map { ($0.job, error) } + waiting.map { ($0, error) }
            done = []
        }
        for action in done.flatMap(\.actions) { action() }
        for (job, error) in failed { job.fail(error) }
    }

    /// Takes back what was listed for a group that is not stored, and returns why it is not.
    ///
    /// At a later start it must not be done to what was made since. After an I/O error nobody knows whether it is: then
    /// the list holds.
    private func unlist(since start: ErasureList.Mark, _ error: any Error) -> any Error {
        guard (error as? DatabaseError)?.resultCode.primaryResultCode != .SQLITE_IOERR else { return error }
        do {
            try erasures.takeBack(to: start)
            return error
        } catch {
            return error
        }
    }

    private func saveSpans(in db: Database) throws {
        guard let changes = clock.spanChanges() else { return }
        try StoreTransaction(db: db, afterCommit: ActionList(), clock: clock).save(changes)
    }
}
