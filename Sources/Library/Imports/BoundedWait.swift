import Synchronization

/// Waits for a task, or for a time.
final class BoundedWait: Sendable {
    private let continuation: Mutex<CheckedContinuation<Void, Never>?>

    private init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = Mutex(continuation) }

    private func end() { continuation.withLock { $0.take() }?.resume() }

    /// Returns once the task has ended, or after `time`; the task goes on.
    static func wait(for task: Task<Void, Never>, atMost time: Duration) async {
        await withCheckedContinuation { continuation in
            let waiting = BoundedWait(continuation)
            let timer = Task {
                try? await Task.sleep(for: time)
                waiting.end()
            }
            Task {
                await task.value
                timer.cancel()
                waiting.end()
            }
        }
    }
}
