/// Up to when it is certain that time has gone by, whatever a clock says: what is destroyed for its age is measured by it.
///
/// While the service runs, its running clock confirms every minute. A leap of the clock (over the time when the service
/// was not running, or when the clock was set) is confirmed by the service living at the new time for a tenth of the
/// leap, a week at most: after an hour's outage that takes minutes, and a machine that starts eight years ahead has to be
/// wrong for a week, saying so all the time, before anything is destroyed.
package struct ConfirmedTime: Hashable, Sendable {
    /// The confirmed time, milliseconds since 1970.
    package private(set) var confirmed: Int64
    /// The time as it was noted last, milliseconds since 1970.
    package private(set) var latest: Int64
    /// For how many milliseconds the service has lived at a time that is not confirmed.
    package private(set) var lived: Int64

    /// The leap in milliseconds that needs no confirmation: a restart.
    package static let free: Int64 = 600_000
    /// The share of a leap that the service has to live through.
    private static let share: Int64 = 10
    /// The longest that it has to live, in milliseconds.
    package static let longest: Int64 = 7 * 86_400_000
    /// How far the steps of both clocks may differ, in milliseconds.
    private static let tolerance: Int64 = 5_000

    /// Creates one from what was stored; `latest` and `lived` as of the last note.
    package init(confirmed: Int64, latest: Int64, lived: Int64) {
        self.confirmed = confirmed
        self.latest = max(confirmed, latest)
        self.lived = max(0, lived)
    }

    /// Begins with the newest time that is known to have been.
    package init(newest: Int64) { self.init(confirmed: newest, latest: newest, lived: 0) }

    /// Whether the present time still awaits confirmation.
    package var isPending: Bool { latest > confirmed }

    /// Whether it is more than a day ahead of what is certain: no outage that nobody noticed.
    package var isFarAhead: Bool { latest &- confirmed > 86_400_000 }

    /// For how many more milliseconds the service has to live at this time.
    package var missing: Int64 { isPending ? max(0, ConfirmedTime.required(for: latest &- confirmed) - lived) : 0 }

    /// Takes note of the time; `ran` is how long the service ran since the last note, `nil` when it has just begun.
    package mutating func note(_ now: Int64, ran: Int64?) {
        // A clock that was put back makes nothing certain that lies beyond.
        guard now > confirmed else { return self = ConfirmedTime(newest: now) }
        let step = now &- latest
        if let ran, ran >= 0, (step &- ran).magnitude <= UInt64(ConfirmedTime.tolerance) {
            if !isPending { return self = ConfirmedTime(newest: now) }
            lived += ran
        } else if step < 0 || step > 86_400_000 {
            // Another clock than the one it lived by.
            lived = 0
        }
        latest = now
        if lived >= ConfirmedTime.required(for: now &- confirmed) { self = ConfirmedTime(newest: now) }
    }

    private static func required(for leap: Int64) -> Int64 { leap <= free ? 0 : min(longest, leap / share) }
}
