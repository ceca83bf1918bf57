import Logging
import ServiceLifecycle

/// Lets the evaluator's clock move on when no fix comes: what waits is decided within a second of falling due.
struct FenceTimers: Service {
    let library: StoryLibrary
    let logger: Logger

    func run() async throws {
        for await _ in AsyncTimerSequence(every: .seconds(1)).cancelOnGracefulShutdown() {
            do {
                _ = try await library.fireTimers()
            } catch {
                logger.error("fence timers failed", metadata: ["error": "\(error)"])
            }
        }
    }
}

/// A beat at a fixed interval, until the task is cancelled.
struct AsyncTimerSequence: AsyncSequence, Sendable {
    let every: Duration

    struct AsyncIterator: AsyncIteratorProtocol {
        let every: Duration

        func next() async -> Void? {
            do {
                try await Task.sleep(for: every)
                return ()
            } catch {
                return nil
            }
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(every: every) }
}
