package import Logging
import ServiceLifecycle

/// Advances the evaluator's clock when no fix arrives: pending decisions are made within a second of being due.
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
