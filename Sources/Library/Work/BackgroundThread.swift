import Foundation
import Synchronization

/// Runs a call that blocks for seconds or minutes on a thread of its own, at a low priority.
///
/// On ``LongWorkExecutor`` it would keep all other long work waiting, because it cannot yield.
package enum BackgroundThread: Sendable {
    /// Whether the task that waits was cancelled.
    package final class Cancellation: Sendable {
        private let isRaised = Atomic(false)

        fileprivate init() {}

        /// Whether the task that waits was cancelled.
        package var isCancelled: Bool { isRaised.load(ordering: .relaxed) }

        fileprivate func raise() { isRaised.store(true, ordering: .relaxed) }

        /// Throws if the task that waits was cancelled.
        package func check() throws {
            if isCancelled { throw CancellationError() }
        }
    }

    /// Runs `body`, which must check for cancellation often, and returns its value.
    ///
    /// - Throws: any error of `body`.
    package static func run<Value: Sendable>(
        _ name: String,
        _ body: @escaping @Sendable (Cancellation) throws -> Value
    ) async throws -> Value {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let thread = Thread {
                    #if os(Linux)
                    // On Linux, this sets the priority of the calling thread only.
                    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
                    #endif
                    continuation.resume(with: Result { try body(cancellation) })
                }
                thread.name = name
                thread.start()
            }
        } onCancel: {
            cancellation.raise()
        }
    }
}
