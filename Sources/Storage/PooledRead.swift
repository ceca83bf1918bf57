import CSpatiaLite
import GRDB
import Synchronization

extension DatabaseReader {
    /// Runs `body` on one consistent view of the data, and holds a connection only while it runs.
    ///
    /// GRDB's own asynchronous `read` goes back to the calling task between taking a connection and using it, and again
    /// before giving it back. That task may wait for its turn behind other work, on an event loop that draws a map for
    /// instance, and everybody else waits for the connection meanwhile. Measured with 300 positions, 100 map reads and 20
    /// writes a second on two cores: reads took 150 ms then, while answers without a database took 2 ms.
    ///
    /// - Throws: what `body` throws; `CancellationError` when the task is cancelled, which also ends a running statement.
    func readAtOnce<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        let interruption = Interruption()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                asyncRead { database in
                    continuation.resume(with: Result { try interruption.run(on: try database.get(), body) })
                }
            }
        } onCancel: {
            interruption.interrupt()
        }
    }
}

/// Ends the statement of one read when its task is cancelled.
private final class Interruption: Sendable {
    private struct State: Sendable {
        /// The address of the connection while the read runs on it.
        var connection: UInt?
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// Interrupts the read if it runs; one that has not begun does not begin.
    func interrupt() {
        state.withLock { state in
            state.isCancelled = true
            // Within the lock: the connection is still this read's.
            if let connection = state.connection { sqlite3_interrupt(OpaquePointer(bitPattern: connection)) }
        }
    }

    /// Runs `body` on a connection.
    ///
    /// - Throws: what `body` throws, `CancellationError` in place of it when the task is cancelled.
    func run<Value>(on db: Database, _ body: (Database) throws -> Value) throws -> Value {
        let connection = UInt(bitPattern: db.sqliteConnection)
        guard
            state.withLock({ state in
                state.connection = connection
                return !state.isCancelled
            })
        else { throw CancellationError() }
        let result = Result { try body(db) }
        let isCancelled = state.withLock { state in
            state.connection = nil
            return state.isCancelled
        }
        if isCancelled, case .failure = result { throw CancellationError() }
        return try result.get()
    }
}
