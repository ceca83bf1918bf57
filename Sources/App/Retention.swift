import Logging
import ServiceLifecycle
import Storage
package import Stories

/// Destroys what has been deleted for longer than the retention, once a day, and soon after every removal empties the log
/// of what was removed.
struct Retention: Service {
    let library: StoryLibrary
    let logger: Logger

    /// How often it looks whether there is anything to do.
    private static let beat = Duration.seconds(30)

    func run() async throws {
        var turn = DailyTurn()
        for await _ in AsyncTimerSequence(every: Retention.beat).cancelOnGracefulShutdown() {
            do {
                if turn.comes(at: library.now()) {
                    try await library.forgetStaleRequests()
                    try await library.forgetFeedEvents()
                    let count = try await library.purgeRetained(olderThanDays: library.retentionDays)
                    if count > 0 { logger.info("retention ended", metadata: ["stories": "\(count)"]) }
                }
                try await library.store.foldLogAfterRemovals()
            } catch {
                logger.error("retention failed", metadata: ["error": "\(error)"])
            }
        }
    }
}

/// Says once a day, and the first time it is asked, that something is due.
package struct DailyTurn: Sendable {
    private static let day: Int64 = 86_400_000
    private var next: Timestamp?

    /// Creates a turn that comes the first time it is asked for.
    package init() {}

    /// Whether a day has gone by since it last said so.
    package mutating func comes(at now: Timestamp) -> Bool {
        // A clock that was put back by years must not put it off for years.
        if let next, now < next, next.milliseconds - now.milliseconds <= DailyTurn.day { return false }
        next = Timestamp(milliseconds: now.milliseconds + DailyTurn.day)
        return true
    }
}
