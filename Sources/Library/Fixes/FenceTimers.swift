package import Logging
import ServiceLifecycle

/// Lets the evaluator's clock move on when no fix comes: what waits is decided within a second of falling due.
package struct FenceTimers: Service {
    package let fences: FenceService
    package let logger: Logger

    /// Creates a value from its parts.
    package init(fences: FenceService, logger: Logger) {
        self.fences = fences
        self.logger = logger
    }

    package func run() async throws {
        for await _ in AsyncTimerSequence(every: .seconds(1)).cancelOnGracefulShutdown() {
            do {
                _ = try await fences.fireTimers()
            } catch {
                logger.error("fence timers failed", metadata: ["error": "\(error)"])
            }
        }
    }
}
