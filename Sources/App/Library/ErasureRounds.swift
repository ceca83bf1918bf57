import Stories
import Synchronization

/// The erasures that are being carried out at the moment: none is twice at a time, and whoever asks for it waits for it.
final class ErasureRounds: Sendable {
    private let tasks = Mutex<[UserID: Task<Void, any Error>]>([:])

    /// Runs `work` for a user, or waits for what is running for them already.
    ///
    /// It runs on its own: a client that goes away ends nothing of it.
    func run(for user: UserID, _ work: @escaping @Sendable () async throws -> Void) async throws {
        let task = tasks.withLock { tasks in
            if let running = tasks[user] { return running }
            let task = Task { [self] in
                defer { self.tasks.withLock { $0[user] = nil } }
                try await work()
            }
            tasks[user] = task
            return task
        }
        try await task.value
    }
}
