package import Stories

/// Says when daily work is due: the first time it is asked, a day after work that succeeded, and soon after it failed.
package struct DailyTurn: Sendable {
    private static let day: Int64 = 86_400_000
    /// How long work that failed rests before it is tried again, in milliseconds.
    package static let retry: Int64 = 10 * 60_000
    private var began: Timestamp?
    private var hasSucceeded = false

    /// Creates a turn that comes the first time it is asked for.
    package init() {}

    /// Returns whether the work is due; if so, it begins now and counts as failed until ``succeed()``.
    package mutating func comes(at now: Timestamp) -> Bool {
        let rest = hasSucceeded ? DailyTurn.day : DailyTurn.retry
        // A clock that was put back by years must not put it off for years: before its beginning it is due.
        if let began, (0..<rest).contains(now.milliseconds - began.milliseconds) { return false }
        (began, hasSucceeded) = (now, false)
        return true
    }

    /// Notes that the work is done for the day.
    package mutating func succeed() { hasSucceeded = true }
}

/// Work that is done once a day.
///
/// A part that fails keeps no other from being done, and is tried again by itself.
package struct DailyWork: Sendable {
    /// A part of the work, with a turn of its own.
    package struct Part: Sendable {
        /// What the log calls it.
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
        /// Why.
        package let error: any Error
    }

    private var parts: [Part]

    /// Creates work of these parts, done in this order.
    package init(_ parts: [Part]) { self.parts = parts }

    /// Does the parts that are due and returns those that failed.
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
