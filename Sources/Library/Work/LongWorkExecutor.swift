import Foundation

/// Runs tasks on a few threads of its own, so that long computations never occupy a thread that answers requests.
///
/// It uses half of the cores, at least one: on a machine with two cores, one computation runs at a time. Jobs run in
/// the order in which they become ready, so that tasks that yield take turns. The threads have a lower priority than
/// others.
///
/// Sendable: mutable state is accessed only under `condition`.
package final class LongWorkExecutor: TaskExecutor, @unchecked Sendable {
    /// The executor of the process.
    package static let shared = LongWorkExecutor(threads: max(1, ProcessInfo.processInfo.activeProcessorCount / 2))

    /// The number of threads, for tests that keep them all busy.
    package let threadCount: Int

    // Guarded by `condition`.
    private var jobs: [UnownedJob] = []
    private var first = 0
    private let condition = NSCondition()

    private init(threads: Int) {
        threadCount = threads
        for _ in 0..<threads {
            let thread = Thread { [self] in work() }
            thread.name = "waymark.long"
            thread.start()
        }
    }

    /// Runs a job as soon as a thread is free.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.lock()
        jobs.append(job)
        condition.signal()
        condition.unlock()
    }

    /// The number of jobs waiting for a thread, for tests that need them to wait.
    package var waitingJobs: Int {
        condition.lock()
        defer { condition.unlock() }
        return jobs.count - first
    }

    private func work() -> Never {
        #if os(Linux)
        // On Linux, this sets the priority of the calling thread only.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        #endif
        while true { next().runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func next() -> UnownedJob {
        condition.lock()
        defer { condition.unlock() }
        while first == jobs.count { condition.wait() }
        let job = jobs[first]
        first += 1
        if first > 64, first * 2 > jobs.count {
            jobs.removeFirst(first)
            first = 0
        }
        return job
    }
}
