package import Logging
import ServiceLifecycle

/// Checks the clock every second, and records the time every minute.
package struct ClockUpkeep: Service {
    package let library: StoryLibrary
    package let logger: Logger

    /// Creates a value from its parts.
    package init(library: StoryLibrary, logger: Logger) {
        self.library = library
        self.logger = logger
    }

    package func run() async throws {
        var beats = 0
        for await _ in AsyncTimerSequence(every: .seconds(1)).cancelOnGracefulShutdown() {
            beats += 1
            do {
                try await library.time.keepTime(notes: beats.isMultiple(of: 60))
            } catch {
                logger.error("the time could not be recorded", metadata: ["error": "\(error)"])
            }
        }
    }
}
