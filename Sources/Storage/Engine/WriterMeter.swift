import GRDB
import GRDBSQLite
import Synchronization

/// What the writer's connection was held for.
package enum WriterWork: String, CaseIterable, Sendable {
    /// A group of writes, from its first statement until it is durable.
    case commit
    /// Moving a part of the log into the file.
    case checkpoint
    /// Emptying the log.
    case emptying
}

/// How long one piece of work held the writer.
package struct WriterHold: Hashable, Sendable {
    /// By the meter's clock.
    package var time = Duration.zero
    /// Pages that it wrote to the log or moved into the file.
    package var pages = 0
    /// Steps of SQLite's virtual machine, counted in hundreds: what reading and computing cost, also by triggers.
    package var steps = 0
    /// How often it did.
    package var count = 0
}

/// Measures for how long the writer's connection is held at a time: nobody else writes meanwhile.
///
/// The clock is injected; pages count the work where time says more about the machine.
package final class WriterMeter: Sendable {
    private struct State: Sendable {
        var now: @Sendable () -> Duration
        var longest: [WriterWork: WriterHold] = [:]
    }

    private let state: Mutex<State>
    private let steps = Atomic(0)

    init() {
        let start = ContinuousClock.now
        state = Mutex(State(now: { ContinuousClock.now - start }))
    }

    /// The most time, pages and steps of one hold since the last ``reset(now:)``, which need not be the same hold's, and
    /// how many holds there were.
    package func longest(_ work: WriterWork) -> WriterHold {
        state.withLock { $0.longest[work] ?? WriterHold() }
    }

    /// Begins anew, by another clock if one is given.
    package func reset(now: (@Sendable () -> Duration)? = nil) {
        state.withLock { state in
            state.longest = [:]
            if let now { state.now = now }
        }
    }

    /// Runs a piece of work on the writer's connection; `pages` says from the result what it did beside its own writes.
    func measure<Value>(
        _ work: WriterWork,
        on db: Database,
        moving pages: (Value) -> Int = { _ in 0 },
        _ body: () throws -> Value
    ) rethrows -> Value {
        let now = state.withLock(\.now)
        let (start, written, taken) = (now(), WriterMeter.pagesWritten(by: db), steps.load(ordering: .relaxed))
        var moved = 0
        defer {
            let time = now() - start
            let count = WriterMeter.pagesWritten(by: db) - written + moved
            let steps = steps.load(ordering: .relaxed) - taken
            state.withLock { state in
                var hold = state.longest[work] ?? WriterHold()
                hold.time = max(hold.time, time)
                hold.pages = max(hold.pages, count)
                hold.steps = max(hold.steps, steps)
                hold.count += 1
                state.longest[work] = hold
            }
        }
        let value = try body()
        moved = pages(value)
        return value
    }

    /// How many steps of the virtual machine there are between two counts.
    private static let stepsCounted: CInt = 100

    /// Counts the steps of a connection from here on (sqlite.org/c3ref/progress_handler.html).
    func count(on db: Database) {
        guard let connection = db.sqliteConnection else { return }
        // The connection can outlive whoever opened it by what is still waiting; a meter is small.
        let meter = Unmanaged.passRetained(self).toOpaque()
        sqlite3_progress_handler(
            connection,
            WriterMeter.stepsCounted,
            { meter in
                guard let meter else { return 0 }
                Unmanaged<WriterMeter>.fromOpaque(meter).takeUnretainedValue()
                    .steps.wrappingAdd(Int(WriterMeter.stepsCounted), ordering: .relaxed)
                return 0
            },
            meter
        )
    }

    /// How many pages a connection has written to the log so far (sqlite.org/c3ref/c_dbstatus_options.html).
    static func pagesWritten(by db: Database) -> Int {
        // A write can come when the store is closed already: it fails by itself.
        guard let connection = db.sqliteConnection else { return 0 }
        var (current, highest) = (CInt(0), CInt(0))
        let code = sqlite3_db_status(connection, SQLITE_DBSTATUS_CACHE_WRITE, &current, &highest, 0)
        return code == SQLITE_OK ? Int(current) : 0
    }
}
