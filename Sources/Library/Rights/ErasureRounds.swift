import Stories
import Synchronization

/// The erasures that are being carried out at the moment: none runs twice at a time, and all who ask wait for the same.
package final class ErasureRounds: Sendable {
    private let tasks = Mutex<[UserID: Task<Void, any Error>]>([:])

    /// Starts `work` for a user, or returns the task that is running for them already.
    ///
    /// It runs on its own: a client that goes away ends nothing of it.
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
