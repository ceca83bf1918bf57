package import Logging
import ServiceLifecycle
import Storage
package import Stories

/// Compares a few pages of the database with their sums every minute, and checks everything once a week.
package struct CheckUpkeep: Service {
    private let library: StoryLibrary
    private let logger: Logger

    /// The number of pages compared in a minute: 16 MiB in some 20 ms, so that a database of a gigabyte is read within
    /// an hour or two.
    private static let pagesPerMinute: Int64 = 4_096

    /// Creates the checks of a library.
    package init(library: StoryLibrary, logger: Logger) {
        self.library = library
        self.logger = logger
    }

    package func run() async throws {
        var state = State(started: library.now())
        for await _ in AsyncTimerSequence(every: .seconds(60)).cancelOnGracefulShutdown() {
            do {
                try await keepUp(&state)
            } catch {
                logger.error("the database could not be checked", metadata: ["error": "\(error)"])
            }
        }
    }
}

extension CheckUpkeep {
    /// What one round leaves for the next.
    package struct State: Sendable {
        /// The next page to compare.
        package private(set) var page: Int64 = 1
        fileprivate var turn: CheckTurn
        fileprivate var commits = 0

        /// Creates the state of a service that starts now.
        package init(started: Timestamp) { turn = CheckTurn(started: started) }

        fileprivate mutating func advance(to page: Int64) { self.page = page }
    }

    /// Runs one round.
    package func keepUp(_ state: inout State) async throws {
        let store = library.store
        let pages = try await store.pageCount()
        let start = state.page <= pages ? state.page : 1
        _ = try await store.checkPages(from: start, count: CheckUpkeep.pagesPerMinute)
        state.advance(to: start + CheckUpkeep.pagesPerMinute)
        let commits = store.commitCount
        let isQuiet = commits == state.commits
        state.commits = commits
        let last = UpkeepRecord(.check, besideDatabase: store.path)?.at
        guard state.turn.comes(at: library.now(), last: last, isQuiet: isQuiet) else { return }
        let checks = CheckService(store: store, now: library.now)
        let report = try await checks.checkAside()
        if report.findings.isEmpty {
            logger.info(
                "the database was checked and is healthy",
                metadata: ["pages": "\(report.figures["pages"] ?? 0)"]
            )
        }
        for finding in report.findings {
            logger.error(
                "the check of the database found damage: \(finding.detail)",
                metadata: ["code": "\(finding.code)"]
            )
        }
    }
}
