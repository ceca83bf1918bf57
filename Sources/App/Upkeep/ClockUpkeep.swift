import Logging
import ServiceLifecycle

/// Looks at the clock every second, and notes the time every minute.
struct ClockUpkeep: Service {
    let library: StoryLibrary
    let logger: Logger

    func run() async throws {
        var beats = 0
        for await _ in AsyncTimerSequence(every: .seconds(1)).cancelOnGracefulShutdown() {
            beats += 1
            do {
                try await library.time.keepTime(notes: beats.isMultiple(of: 60))
            } catch {
                logger.error("the time cannot be noted", metadata: ["error": "\(error)"])
            }
        }
    }
}
