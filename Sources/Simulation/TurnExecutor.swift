import Foundation
import Synchronization

/// Runs what one client does, and only when the simulation lets it: on the simulation's own thread.
final class TurnExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs what waits; returns whether anything did.
    func runWaiting() -> Bool {
        let waiting = jobs.withLock { jobs in
            defer { jobs = [] }
            return jobs
        }
        for job in waiting { job.runSynchronously(on: asUnownedTaskExecutor()) }
        return !waiting.isEmpty
    }
}

/// Something that a client began, and that goes on only when it is the client's turn.
final class Turn<Value: Sendable>: Sendable {
    private let executor: TurnExecutor
    private let outcome = Mutex<Value?>(nil)

    /// Begins nothing yet: everything happens in turns.
    init(_ work: @escaping @Sendable () async -> Value) {
        executor = TurnExecutor()
        // The task keeps this value, and what it does, until it has ended.
        Task(executorPreference: executor) { [self] in
            let value = await work()
            outcome.withLock { $0 = value }
        }
    }

    /// What came of it; `nil` while it is under way.
    var value: Value? { outcome.withLock { $0 } }

    /// Goes on until it has ended or, by `isParked`, waits for something that only the simulation gives.
    ///
    /// - Throws: ``SimulationFault`` if it does neither for twenty seconds.
    func advance(until isParked: () -> Bool) throws {
        let start = ContinuousClock.now
        var idle = 0
        while value == nil {
            if executor.runWaiting() {
                idle = 0
                continue
            }
            if isParked() { return }
            // A read is under way on one of the store's own threads.
            idle += 1
            if idle > 200 { usleep(30) }
            guard idle & 1_023 != 0 || ContinuousClock.now - start < .seconds(20) else {
                throw SimulationFault("a client waits for something that nobody gives")
            }
        }
    }

    /// Goes on until it has ended, and returns what came of it.
    func end() throws -> Value {
        try advance(until: { false })
        guard let value else { throw SimulationFault("a client ended without a value") }
        return value
    }
}
