package import Storage

/// How long work in pieces, which holds up nobody by one of them, leaves the machine to others between two.
///
/// Without it an erasure of thousands of stories takes one of two processors until it is done, and everybody waits longer
/// (measured: the slowest hundredth of all answers takes over a second).
package struct BackgroundPace: Sendable {
    /// The longest rest after a piece.
    package static let longestRest = Duration.milliseconds(100)
    /// When the log is larger than this, in bytes, the next piece waits for the reader that keeps it long.
    package static let longLog = 32 << 20
    /// How often the log is looked at meanwhile.
    package static let logRest = Duration.milliseconds(500)
    /// How often at most in all: a reader that never ends stops nothing.
    package static let mostLogRests = 60

    private let store: StoryStore
    private let sleep: @Sendable (Duration) async throws -> Void
    private var logRests = 0

    /// Creates the pace of work on a store; `sleep` waits for a time.
    package init(
        store: StoryStore,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.store = store
        self.sleep = sleep
    }

    /// How long to rest after a piece that took `time`: a quarter of the time is for the work, as long as others write.
    package static func rest(after time: Duration, othersWrote: Bool) -> Duration {
        othersWrote ? min(time * 3, longestRest) : .zero
    }

    /// Runs a piece, which takes `commits` commits itself, and rests.
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

    /// Waits while a reader, perhaps a backup, keeps the log long: every write makes it longer.
    private mutating func waitForLog() async throws {
        while store.logSize > BackgroundPace.longLog, logRests < BackgroundPace.mostLogRests {
            guard try await !store.emptyLogAtOnce() else { return }
            try await sleep(BackgroundPace.logRest)
            logRests += 1
        }
    }
}
