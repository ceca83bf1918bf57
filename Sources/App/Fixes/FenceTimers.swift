import Logging
import ServiceLifecycle

/// Lets the evaluator's clock move on when no fix comes: what waits is decided within a second of falling due.
struct FenceTimers: Service {
    let fences: FenceService
    let logger: Logger

    func run() async throws {
        for await _ in AsyncTimerSequence(every: .seconds(1)).cancelOnGracefulShutdown() {
            do {
                _ = try await fences.fireTimers()
            } catch {
                logger.error("fence timers failed", metadata: ["error": "\(error)"])
            }
        }
    }
}
