package import Storage

/// Paces background work that runs in short pieces, so that other work gets time in between.
///
/// Without it, an erasure of thousands of stories occupies one of two processors until it is done, and slows down all
/// requests (measured: the slowest 1 % of answers then take over a second).
package struct BackgroundPace: Sendable {
    /// The longest rest after a piece.
    package static let longestRest = Duration.milliseconds(100)
    /// The size of the log in bytes above which the next piece waits for a reader that prevents the log from being
    /// emptied.
    package static let longLog = 32 << 20
    /// The interval between checks of the log while waiting.
    package static let logRest = Duration.milliseconds(500)
    /// The maximum number of these waits in total: a reader that never ends does not stop the work.
    package static let mostLogRests = 60

    private let store: StoryStore
    private let sleep: @Sendable (Duration) async throws -> Void
    private var logRests = 0

    /// Creates the pace for work on a store; `sleep` waits for a duration.
    package init(
        store: StoryStore,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.store = store
        self.sleep = sleep
    }

    /// Returns how long to pause after a piece that took `time`.
    ///
    /// If others wrote meanwhile, the pause is three times `time`, so that the work takes a quarter of the total, but
    /// at most ``longestRest``. Otherwise it is zero.
    package static func rest(after time: Duration, othersWrote: Bool) -> Duration {
        othersWrote ? min(time * 3, longestRest) : .zero
    }

    /// Runs a piece that makes `commits` commits itself, then rests.
    package mutating func run<Value: Sendable>(commits: Int, _ piece: () async throws -> Value) async throws -> Value {
        let (start, before) = (ContinuousClock.now, store.commitCount)
        let value = try await piece()
        let rest = BackgroundPace.rest(
            after: ContinuousClock.now - start,
            othersWrote: store.commitCount - before > commits
        )
        if rest > .zero { try await sleep(rest) }
        if commits > 0 { try await waitForLog() }
        return value
    }

    /// Waits while a reader, such as a backup, prevents a long log from being emptied: every write would make it
    /// longer.
    private mutating func waitForLog() async throws {
        while store.logSize > BackgroundPace.longLog, logRests < BackgroundPace.mostLogRests {
            guard try await !store.emptyLogAtOnce() else { return }
            try await sleep(BackgroundPace.logRest)
            logRests += 1
        }
    }
}
