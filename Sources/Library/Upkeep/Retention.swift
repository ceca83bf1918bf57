package import Logging
import ServiceLifecycle
import Storage

/// Destroys deleted stories once a day when their retention ends, and empties the log soon after every removal.
package struct Retention: Service {
    private let library: StoryLibrary
    private let logger: Logger

    /// The interval between checks for work.
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
    /// The data deleted once a day, in independent parts.
    package var daily: DailyWork {
        DailyWork([
            .init("requests") { [library] in try await library.rights.retention.forgetStaleRequests() },
            .init("feed events") { [library] in try await library.feed.forgetEvents() },
            .init("former keys") { [library] in _ = try await KeyRotations(of: library).finish() },
            .init("deleted stories") { [library, logger] in
                let retention = library.rights.retention
                let count = try await retention.purge(olderThanDays: retention.days)
                if count > 0 { logger.info("retention ended; stories were purged", metadata: ["stories": "\(count)"]) }
            },
        ])
    }
}
