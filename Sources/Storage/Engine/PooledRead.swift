import CSpatiaLite
import GRDB
import Synchronization

extension DatabaseReader {
    /// Runs `body` on one consistent view of the data, holding a connection only while it runs.
    ///
    /// GRDB's own asynchronous `read` returns to the calling task between taking a connection and using it, and again
    /// before releasing it. That task may have to queue behind other work, for instance on an event loop that is
    /// drawing a map, while everyone else waits for the connection. Measured with 300 positions, 100 map reads and 20
    /// writes per second on two cores: reads then took 150 ms, while requests that need no database took 2 ms.
    ///
    /// - Throws: any error of `body`; `CancellationError` if the task is cancelled, which also interrupts a running
    ///   statement.
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

/// Interrupts the statements of one read when its task is cancelled.
private final class Interruption: Sendable {
    /// The number of virtual machine instructions between checks for cancellation: a few tens of microseconds.
    private static let step: Int32 = 1_000

    private let isCancelled = Atomic(false)

    /// Interrupts the read if it is running; prevents it from starting if it has not.
    func interrupt() { isCancelled.store(true, ordering: .relaxed) }

    /// Runs `body` on a connection.
    ///
    /// - Throws: any error of `body`, or `CancellationError` in its place if the task is cancelled.
    func run<Value>(on db: Database, _ body: (Database) throws -> Value) throws -> Value {
        guard !isCancelled.load(ordering: .relaxed) else { throw CancellationError() }
        let connection = db.sqliteConnection
        // Not `sqlite3_interrupt`, which has no effect between two statements.
        sqlite3_progress_handler(
            connection,
            Interruption.step,
            { context in
                guard let context else { return 0 }
                let interruption = Unmanaged<Interruption>.fromOpaque(context).takeUnretainedValue()
                return interruption.isCancelled.load(ordering: .relaxed) ? 1 : 0
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
        defer { sqlite3_progress_handler(connection, 0, nil, nil) }
        do {
            return try withExtendedLifetime(self) { try body(db) }
        } catch {
            throw isCancelled.load(ordering: .relaxed) ? CancellationError() : error
        }
    }
}
