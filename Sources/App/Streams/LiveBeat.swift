import Library
import ServiceLifecycle

/// Ticks the live streams every second.
struct LiveBeat: Service, CustomStringConvertible {
    /// The name alone, for the logs of ServiceGroup.
    var description: String { "LiveBeat" }

    let library: StoryLibrary

    func run() async throws {
        for await _ in AsyncTimerSequence(every: .seconds(1)).cancelOnGracefulShutdown() {
            library.live.tick(at: library.clock.lasting)
        }
        library.live.endAll()
    }
}
