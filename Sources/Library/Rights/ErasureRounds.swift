import Stories
import Synchronization

/// The erasures in progress: at most one at a time per user, and all callers wait for that one.
package final class ErasureRounds: Sendable {
    private let tasks = Mutex<[UserID: Task<Void, any Error>]>([:])

    /// Starts `work` for a user, or returns the task already running for them.
    ///
    /// The task is independent of its caller: it continues if the client disconnects.
    func start(for user: UserID, _ work: @escaping @Sendable () async throws -> Void) -> Task<Void, any Error> {
        tasks.withLock { tasks in
            if let running = tasks[user] { return running }
            let task = Task { [self] in
                defer { self.tasks.withLock { $0[user] = nil } }
                try await work()
            }
            tasks[user] = task
            return task
        }
    }
}
