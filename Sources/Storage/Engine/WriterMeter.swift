import GRDB
import GRDBSQLite
package import Observing
import Synchronization

/// The reason the writer's connection was held.
package enum WriterWork: String, CaseIterable, Sendable {
    /// A group of writes, from its first statement until it is durable.
    case commit
    /// Moving part of the log into the file.
    case checkpoint
    /// Emptying the log.
    case emptying
}

/// Measurements of one kind of work on the writer's connection.
package struct WriterHold: Hashable, Sendable {
    /// The duration, by the meter's clock.
    package var time = Duration.zero
    /// The number of pages written to the log or moved into the file.
    package var pages = 0
    /// Steps of SQLite's virtual machine, in hundreds: the cost of reading and computing, triggers included.
    package var steps = 0
    /// The number of holds.
    package var count = 0
    /// The durations of all holds, in seconds.
    package var durations = HistogramCounts()
}

/// Measures how long the writer's connection is held at a time, during which no one else can write.
///
/// The clock is injected. Pages and steps measure the work itself; time depends more on the machine.
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

    /// The maximum time, pages and steps of any hold since the last ``reset(now:)``, and the number of holds.
    ///
    /// The three maxima need not come from the same hold.
    package func longest(_ work: WriterWork) -> WriterHold {
        state.withLock { $0.longest[work] ?? WriterHold() }
    }

    /// Resets the measurement, and replaces the clock if one is given.
    package func reset(now: (@Sendable () -> Duration)? = nil) {
        state.withLock { state in
            state.longest = [:]
            if let now { state.now = now }
        }
    }

    /// Runs and measures work on the writer's connection; `pages` returns, from the value of `body`, the number of
    /// pages moved into the file, which is added to the number the connection wrote.
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
                hold.durations.observe(time / .seconds(1))
                state.longest[work] = hold
            }
        }
        let value = try body()
        moved = pages(value)
        return value
    }

    /// The number of virtual machine steps between two counts.
    private static let stepsCounted: CInt = 100

    /// Starts counting the virtual machine steps of a connection (sqlite.org/c3ref/progress_handler.html).
    func count(on db: Database) {
        guard let connection = db.sqliteConnection else { return }
        // The meter is never released, as pending work can keep the connection alive longer than its owner; a meter is
        // small.
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

    /// Returns how many pages a connection has written to the log so far (sqlite.org/c3ref/c_dbstatus_options.html).
    static func pagesWritten(by db: Database) -> Int {
        // A write may arrive after the store is closed; it fails by itself.
        guard let connection = db.sqliteConnection else { return 0 }
        var (current, highest) = (CInt(0), CInt(0))
        let code = sqlite3_db_status(connection, SQLITE_DBSTATUS_CACHE_WRITE, &current, &highest, 0)
        return code == SQLITE_OK ? Int(current) : 0
    }
}
