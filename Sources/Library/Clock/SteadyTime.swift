/// The time of the wall clock, continued by a clock that cannot jump.
///
/// It does not change when the wall clock is set, stepped or briefly wrong. Once the wall clock has kept its new time
/// for ``patience``, the jump is believed; stored instants must then be moved by the value that ``adopt()`` returns.
package struct SteadyTime: Hashable, Sendable {
    /// The readings of both clocks at one moment, in milliseconds.
    package struct Reading: Hashable, Sendable {
        /// The wall clock, since 1970.
        package var wall: Int64
        /// A clock that only moves forward, from any starting point, also while the machine sleeps.
        package var running: Int64

        /// Creates a value from its parts.
        package init(wall: Int64, running: Int64) {
            self.wall = wall
            self.running = running
        }

        /// How far the wall clock is ahead of the running one, in milliseconds.
        package var offset: Int64 { wall &- running }
    }

    /// A jump of the wall clock that is not believed yet.
    package struct Jump: Hashable, Sendable {
        /// How far the wall clock has been ahead of the running one since the jump, in milliseconds.
        package var offset: Int64
        /// When the jump was first seen, by the running clock.
        package var since: Int64
    }

    /// The maximum deviation of the wall clock that is followed at once, in milliseconds.
    ///
    /// It covers NTP slewing and slow readings.
    package static let tolerance: Int64 = 2_000
    /// How long the wall clock must keep its new time before a jump is believed, in milliseconds.
    package static let patience: Int64 = 30_000
    /// The maximum difference between a device's clock and the wall clock that it confirms, in milliseconds.
    static let witnessTolerance: Int64 = 120_000
    /// The minimum jump back, in milliseconds, that a device's clock can confirm.
    ///
    /// After a smaller jump, no report counts as late.
    static let witnessedJump: Int64 = 300_000

    /// How far the time is ahead of the running clock, in milliseconds.
    private var offset: Int64
    /// The jump that is not believed yet.
    package private(set) var jump: Jump?

    /// Creates a time that starts at the wall clock's reading.
    package init(_ reading: Reading) { offset = reading.offset }

    /// Continues `time`, which was current when the running clock showed `running`.
    ///
    /// The wall clock may have jumped since.
    package init(_ reading: Reading, continuing time: Int64, asOf running: Int64) {
        offset = time &- running
        _ = read(reading)
    }

    /// Notes the reading of both clocks and returns the time, in milliseconds since 1970.
    package mutating func read(_ reading: Reading) -> Int64 {
        if SteadyTime.agree(reading.offset, offset) {
            offset = reading.offset
            jump = nil
        } else if let known = jump, SteadyTime.agree(reading.offset, known.offset) {
            jump?.offset = reading.offset
        } else {
            jump = Jump(offset: reading.offset, since: reading.running)
        }
        return reading.running &+ offset
    }

    /// How far the wall clock is ahead of the time, in milliseconds; 0 if they agree.
    package var deviation: Int64 { jump.map { $0.offset &- offset } ?? 0 }

    /// Returns whether the wall clock has kept its new time for ``patience``; `running` is the running clock's reading.
    package func isBelieved(at running: Int64) -> Bool {
        jump.map { running &- $0.since >= SteadyTime.patience } ?? false
    }

    /// Returns whether a device's own clock, just read, confirms that the wall clock was rightly set back.
    ///
    /// Only jumps back can be confirmed. Until such a jump is adopted, reports from devices with the right time seem
    /// late and are lost. After a jump forward, they seem to come from a clock that is ahead, and are corrected.
    package func isWitnessed(by device: Int64, at running: Int64) -> Bool {
        guard let jump, deviation <= -SteadyTime.witnessedJump else { return false }
        return (device &- (running &+ jump.offset)).magnitude <= UInt64(SteadyTime.witnessTolerance)
    }

    /// Adopts the wall clock's time and returns how far the time moved, in milliseconds.
    package mutating func adopt() -> Int64 {
        defer { jump = nil }
        let shift = deviation
        offset = jump?.offset ?? offset
        return shift
    }

    private static func agree(_ a: Int64, _ b: Int64) -> Bool { (a &- b).magnitude <= UInt64(tolerance) }
}
