/// The latest time that has certainly been reached, even if the wall clock is wrong; the age of data to be destroyed is
/// measured only up to this time.
///
/// While the service runs, its running clock confirms the time every minute. A jump of the clock (because the service
/// was not running, or because the clock was set) is confirmed once the service has run at the new time for a tenth of
/// the jump, at most a week. After an outage of one hour, that takes six minutes. If a machine starts with a clock that
/// is eight years ahead, the service has to run for a week, with a warning all the time, before anything is destroyed.
package struct ConfirmedTime: Hashable, Sendable {
    /// The confirmed time, milliseconds since 1970.
    package private(set) var confirmed: Int64
    /// The time at the last call of ``note(_:ran:)``, milliseconds since 1970.
    package private(set) var latest: Int64
    /// How long the service has run at an unconfirmed time, in milliseconds.
    package private(set) var lived: Int64

    /// The maximum jump that needs no confirmation, in milliseconds: long enough for a restart.
    package static let free: Int64 = 600_000
    /// The divisor of a jump: the service has to run for a tenth of it.
    private static let share: Int64 = 10
    /// The maximum time that the service has to run, in milliseconds.
    package static let longest: Int64 = 7 * 86_400_000
    /// The tolerated difference between how far the time moved and how long the service ran since the last call of
    /// ``note(_:ran:)``, in milliseconds.
    private static let tolerance: Int64 = 5_000

    /// Creates a value from stored ones; `latest` and `lived` are those after the last call of ``note(_:ran:)``.
    package init(confirmed: Int64, latest: Int64, lived: Int64) {
        self.confirmed = confirmed
        self.latest = max(confirmed, latest)
        self.lived = max(0, lived)
    }

    /// Creates a value in which `newest` is confirmed: the newest time that has certainly been reached.
    package init(newest: Int64) { self.init(confirmed: newest, latest: newest, lived: 0) }

    /// Whether the current time still awaits confirmation.
    package var isPending: Bool { latest > confirmed }

    /// Whether the current time is more than a day ahead of the confirmed one.
    ///
    /// An outage that long would not go unnoticed, so the clock may be wrong.
    package var isFarAhead: Bool { latest &- confirmed > 86_400_000 }

    /// How much longer the service has to run at this time, in milliseconds.
    package var missing: Int64 { isPending ? max(0, ConfirmedTime.required(for: latest &- confirmed) - lived) : 0 }

    /// Notes the time, in milliseconds since 1970.
    ///
    /// `ran` is the number of milliseconds that the service ran since the last call; `nil` if it has just started.
    package mutating func note(_ now: Int64, ran: Int64?) {
        // If the clock was set back, no later time stays confirmed.
        guard now > confirmed else { return self = ConfirmedTime(newest: now) }
        let step = now &- latest
        if let ran, ran >= 0, (step &- ran).magnitude <= UInt64(ConfirmedTime.tolerance) {
            if !isPending { return self = ConfirmedTime(newest: now) }
            lived += ran
        } else if step < 0 || step > 86_400_000 {
            // The time lived so far was measured by a different setting of the clock.
            lived = 0
        }
        latest = now
        if lived >= ConfirmedTime.required(for: now &- confirmed) { self = ConfirmedTime(newest: now) }
    }

    private static func required(for leap: Int64) -> Int64 { leap <= free ? 0 : min(longest, leap / share) }
}
