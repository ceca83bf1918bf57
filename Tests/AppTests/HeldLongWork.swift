import Library
import App
import Foundation

/// Keeps all threads for long work busy until it is let go: whatever is to run there waits.
struct HeldLongWork: Sendable {
    private let mayEnd: DispatchSemaphore
    private let tasks: [Task<Void, any Error>]

    /// Returns when no thread is free any more.
    static func begin() async -> HeldLongWork {
        let (began, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        @Sendable func hold() {
            began.signal()
            mayEnd.wait()
        }
        let tasks = (0..<LongWorkExecutor.shared.threadCount).map { _ in Task { try await LongWork.run { hold() } } }
        await withCheckedContinuation { continuation in
            DispatchQueue.global()
                .async {
                    for _ in tasks { began.wait() }
                    continuation.resume()
                }
        }
        return HeldLongWork(mayEnd: mayEnd, tasks: tasks)
    }

    /// Lets the threads go.
    func end() async throws {
        for _ in tasks { mayEnd.signal() }
        for task in tasks { try await task.value }
    }
}
