package import Logging
import ServiceLifecycle
import Storage

/// Destroys what has been deleted for longer than the retention, once a day, and soon after every removal empties the log
/// of what was removed.
struct Retention: Service {
    let library: StoryLibrary
    let logger: Logger

    /// How often it looks whether there is anything to do.
    private static let beat = Duration.seconds(30)

    func run() async throws {
        var daily = library.retentionWork(logger: logger)
        for await _ in AsyncTimerSequence(every: Retention.beat).cancelOnGracefulShutdown() {
            for failure in await daily.run(at: library.now()) { note(failure.error, in: failure.part) }
            do {
                try await library.store.foldLogAfterRemovals()
            } catch {
                note(error, in: "log")
            }
        }
    }

    private func note(_ error: any Error, in part: String) {
        logger.error("retention failed", metadata: ["part": "\(part)", "error": "\(error)"])
    }
}

extension StoryLibrary {
    /// What is forgotten and destroyed once a day.
    package func retentionWork(logger: Logger) -> DailyWork {
        DailyWork([
            .init("requests") { [self] in try await forgetStaleRequests() },
            .init("feed events") { [self] in try await feed.forgetEvents() },
            .init("deleted stories") { [self] in
                let count = try await purgeRetained(olderThanDays: retentionDays)
                if count > 0 { logger.info("retention ended", metadata: ["stories": "\(count)"]) }
            },
        ])
    }
}
