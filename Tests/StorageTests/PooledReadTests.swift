import Dispatch
import GRDB
import Storage
import Stories
import Synchronization
import TestSupport
import Testing

/// Runs jobs in order on a thread of its own, and only as long as it is open.
private final class GatedExecutor: TaskExecutor {
    private struct State: Sendable {
        var isOpen = true
        var waiting: [UnownedJob] = []
    }

    private let queue = DispatchQueue(label: "gated")
    private let state = Mutex(State())

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let runs = state.withLock { state in
            if !state.isOpen { state.waiting.append(job) }
            return state.isOpen
        }
        if runs { run(job) }
    }

    func close() { state.withLock { $0.isOpen = false } }

    func open() {
        let jobs = state.withLock { state in
            defer { state = State() }
            return state.waiting
        }
        for job in jobs { run(job) }
    }

    private func run(_ job: UnownedJob) {
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

@Suite("Reads")
struct PooledReadTests {
    @Test("Callers waiting for their turn hold no connection, so others can read")
    func holdsNothing() async throws {
        let (fixture, executor) = (try StoreFixture(), GatedExecutor())
        defer { withExtendedLifetime(fixture) {} }
        let store = fixture.store
        let begun = AsyncStream.makeStream(of: Void.self)
        // More than there are connections.
        let callers = (0..<12)
            .map { _ in
                Task(executorPreference: executor) {
                    // Whatever follows the first suspension waits until the executor is open again.
                    executor.close()
                    begun.continuation.yield()
                    return try await store.read { try $0.storyCount() }
                }
            }
        var started = begun.stream.makeAsyncIterator()
        await started.next()
        for _ in 0..<20 { #expect(try await store.read { try $0.storyCount() } == 0) }
        executor.open()
        // The others close it once each.
        let opening = Task {
            while !Task.isCancelled {
                executor.open()
                await Task.yield()
            }
        }
        for caller in callers { #expect(try await caller.value == 0) }
        opening.cancel()
    }

    @Test("A cancelled read ends in the middle of its statement, and its connection is reused")
    func cancellation() async throws {
        let fixture = try StoreFixture()
        defer { withExtendedLifetime(fixture) {} }
        let store = fixture.store
        for _ in 0..<8 {
            let begun = AsyncStream.makeStream(of: Void.self)
            let endless = Task {
                try await store.inspectReader { db in
                    begun.continuation.yield()
                    return try Int.fetchOne(
                        db,
                        sql: "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
                    )
                }
            }
            var started = begun.stream.makeAsyncIterator()
            await started.next()
            endless.cancel()
            await #expect(throws: CancellationError.self) { try await endless.value }
            #expect(try await store.read { try $0.storyCount() } == 0)
        }
    }

    @Test("A read cancelled before its turn does not run")
    func cancelledBefore() async throws {
        let fixture = try StoreFixture()
        defer { withExtendedLifetime(fixture) {} }
        let store = fixture.store
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.read { _ in Issue.record("it runs") }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("Errors thrown by a read are rethrown unchanged")
    func failures() async throws {
        struct Failure: Error {}
        let fixture = try StoreFixture()
        defer { withExtendedLifetime(fixture) {} }
        let store = fixture.store
        await #expect(throws: Failure.self) { try await store.read { _ -> Int in throw Failure() } }
    }
}
