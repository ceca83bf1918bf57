package import Stories

/// Decides when a running service checks its database in full: once a week, at a time when nobody writes.
package struct CheckTurn: Sendable {
    /// The time between two full checks in milliseconds.
    package static let week: Int64 = 7 * 86_400_000
    /// How long a check that is due waits for a quiet minute, in milliseconds.
    package static let patience: Int64 = 86_400_000
    /// How long a service runs before its first check, in milliseconds: its start is not the time for it.
    package static let settling: Int64 = 10 * 60_000

    private let started: Timestamp
    private var dueSince: Timestamp?

    /// Creates the turn of a service that starts now.
    package init(started: Timestamp) { self.started = started }

    /// Returns whether to check now; `last` is the end of the last check, and `isQuiet` whether nobody wrote lately.
    ///
    /// A last check that lies in the future was recorded by a wrong clock and counts as none.
    package mutating func comes(at now: Timestamp, last: Timestamp?, isQuiet: Bool) -> Bool {
        guard now.milliseconds - started.milliseconds >= CheckTurn.settling || now < started else { return false }
        if let last, (0..<CheckTurn.week).contains(now.milliseconds - last.milliseconds) {
            dueSince = nil
            return false
        }
        let since = dueSince ?? now
        dueSince = since
        return isQuiet || now.milliseconds - since.milliseconds >= CheckTurn.patience
    }
}
