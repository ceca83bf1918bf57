package import Logging
import ServiceLifecycle
import Storage

/// Destroys what has been deleted for longer than the retention, once a day, and soon after every removal empties the
/// log of what was removed.
package struct Retention: Service {
    private let library: StoryLibrary
    private let logger: Logger

    /// How often it looks whether there is anything to do.
    private static let beat = Duration.seconds(30)

    /// Creates the retention of a library.
    package init(library: StoryLibrary, logger: Logger) {
        self.library = library
        self.logger = logger
    }

    package func run() async throws {
        var daily = daily
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

extension Retention {
    /// What is forgotten and destroyed once a day.
    package var daily: DailyWork {
        DailyWork([
            .init("requests") { [library] in try await library.rights.retention.forgetStaleRequests() },
            .init("feed events") { [library] in try await library.feed.forgetEvents() },
            .init("deleted stories") { [library, logger] in
                let retention = library.rights.retention
                let count = try await retention.purge(olderThanDays: retention.days)
                if count > 0 { logger.info("retention ended", metadata: ["stories": "\(count)"]) }
            },
        ])
    }
}
