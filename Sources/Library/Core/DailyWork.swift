package import Stories

/// Decides when daily work is due: at the first check, a day after it succeeded, and ten minutes after it failed.
///
/// Both periods count from the start of the last run.
package struct DailyTurn: Sendable {
    private static let day: Int64 = 86_400_000
    /// The time before failed work is tried again, in milliseconds.
    package static let retry: Int64 = 10 * 60_000
    private var began: Timestamp?
    private var hasSucceeded = false

    /// Creates a turn that is due at the first check.
    package init() {}

    /// Returns whether the work is due; if so, it begins now and counts as failed until ``succeed()``.
    package mutating func comes(at now: Timestamp) -> Bool {
        let rest = hasSucceeded ? DailyTurn.day : DailyTurn.retry
        // The clock may be set back by years. So that this does not postpone the work for years, the work is due
        // at any time before its last start.
        if let began, (0..<rest).contains(now.milliseconds - began.milliseconds) { return false }
        (began, hasSucceeded) = (now, false)
        return true
    }

    /// Marks the work as done for the day.
    package mutating func succeed() { hasSucceeded = true }
}

/// Work that is done once a day.
///
/// If a part fails, the others still run, and only the failed part is tried again.
package struct DailyWork: Sendable {
    /// A part of the work, with its own turn.
    package struct Part: Sendable {
        /// The name of the part in the log.
        package let name: String
        private let work: @Sendable () async throws -> Void
        private var turn = DailyTurn()

        /// Creates a part that is due at once.
        package init(_ name: String, _ work: @escaping @Sendable () async throws -> Void) {
            self.name = name
            self.work = work
        }

        fileprivate mutating func run(at now: Timestamp) async throws {
            guard turn.comes(at: now) else { return }
            try await work()
            turn.succeed()
        }
    }

    /// A part that failed.
    package struct Failure: Sendable {
        /// The part's name.
        package let part: String
        /// The error that it failed with.
        package let error: any Error
    }

    private var parts: [Part]

    /// Creates work that consists of these parts, done in this order.
    package init(_ parts: [Part]) { self.parts = parts }

    /// Runs the parts that are due and returns those that failed.
    package mutating func run(at now: Timestamp) async -> [Failure] {
        var failures: [Failure] = []
        for index in parts.indices {
            do {
                try await parts[index].run(at: now)
            } catch {
                failures.append(Failure(part: parts[index].name, error: error))
            }
        }
        return failures
    }
}
