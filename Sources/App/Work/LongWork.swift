package import NIOCore
import Synchronization

/// Runs long computations for requests, on ``LongWorkExecutor``, for as long as their client is there.
package enum LongWork: Sendable {
    /// Ends a task once, and holds on to nothing afterwards.
    private final class Ending: Sendable {
        /// A structure, because a function that is itself what a `Mutex` protects is wrapped once more at every access.
        private struct Action {
            let run: @Sendable () -> Void
        }

        private let cancel: Mutex<Action?>

        init(_ cancel: @escaping @Sendable () -> Void) { self.cancel = Mutex(Action(run: cancel)) }

        func end() {
            let cancel = cancel.withLock { $0.take() }
            cancel?.run()
        }

        func forget() { cancel.withLock { $0 = nil } }
    }

    /// Runs `body` on the threads for long work and returns its value.
    ///
    /// The task of `body` is cancelled when that of the caller is, and when `connection` closes. While it runs a
    /// connection is not half closed: a client that sends no more is taken to have gone. `body` must look for its
    /// cancellation, and yield now and then.
    package static func run<Value: Sendable>(
        for connection: (any Channel)? = nil,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task(executorPreference: LongWorkExecutor.shared) { try await body() }
        let ending = Ending { task.cancel() }
        if let connection {
            try? await connection.setOption(.allowRemoteHalfClosure, value: false).get()
            connection.closeFuture.whenComplete { _ in ending.end() }
        }
        defer {
            ending.forget()
            _ = connection?.setOption(.allowRemoteHalfClosure, value: true)
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
