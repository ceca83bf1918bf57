import Synchronization

/// Runs long computations for requests, on ``LongWorkExecutor``, while their client is connected.
package enum LongWork: Sendable {
    /// Cancels a task at most once, then releases it.
    private final class Ending: Sendable {
        private struct Cancellation: Sendable {
            let run: @Sendable () -> Void
        }

        private let cancel: Mutex<Cancellation?>

        init(_ cancel: @escaping @Sendable () -> Void) { self.cancel = Mutex(Cancellation(run: cancel)) }

        func end() {
            let cancel = cancel.withLock { $0.take() }
            cancel?.run()
        }

        func forget() { cancel.withLock { $0 = nil } }
    }

    /// Runs `body` on the threads for long work and returns its value.
    ///
    /// The task of `body` is cancelled if the caller's task is, or if `client` disconnects. `body` must check for
    /// cancellation, and yield from time to time.
    package static func run<Value: Sendable>(
        for client: (any WaitingClient)? = nil,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task(executorPreference: LongWorkExecutor.shared) { try await body() }
        let ending = Ending { task.cancel() }
        await client?.watch { ending.end() }
        defer {
            ending.forget()
            client?.unwatch()
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
