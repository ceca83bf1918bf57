/// The time of the wall clock, continued by a clock that cannot jump.
///
/// A wall clock that is set, stepped or briefly wrong does not change it. Once the wall clock has stayed where it
/// jumped to for ``patience``, the jump is believed; stored instants must then be moved by the value that ``adopt()``
/// returns.
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

        /// By how many milliseconds the wall clock is ahead of the running one.
        package var offset: Int64 { wall &- running }
    }

    /// A jump of the wall clock that is not believed yet.
    package struct Jump: Hashable, Sendable {
        /// By how many milliseconds the wall clock has been ahead of the running one since the jump.
        package var offset: Int64
        /// When the jump was first seen, by the running clock.
        package var since: Int64
    }

    /// The deviation of the wall clock that is followed at once, in milliseconds: NTP slewing and slow readings.
    package static let tolerance: Int64 = 2_000
    /// How long the wall clock must stay where it jumped to before it is believed, in milliseconds.
    package static let patience: Int64 = 30_000
    /// The maximum deviation of a device's clock that confirms the wall clock, in milliseconds.
    static let witnessTolerance: Int64 = 120_000
    /// The minimum jump back, in milliseconds, that a device's clock can confirm; a smaller one makes no report late.
    static let witnessedJump: Int64 = 300_000

    /// By how many milliseconds the time is ahead of the running clock.
    private var offset: Int64
    /// The jump that is not believed yet.
    package private(set) var jump: Jump?

    /// Creates a time that starts at the wall clock's reading.
    package init(_ reading: Reading) { offset = reading.offset }

    /// Continues an earlier time by the running clock; the wall clock may have jumped meanwhile.
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

    /// By how many milliseconds the wall clock is ahead of the time; 0 if they agree.
    package var deviation: Int64 { jump.map { $0.offset &- offset } ?? 0 }

    /// Returns whether the wall clock has stayed where it jumped to for long enough.
    package func isBelieved(at running: Int64) -> Bool {
        jump.map { running &- $0.since >= SteadyTime.patience } ?? false
    }

    /// Returns whether a device's own clock, just read, confirms that the wall clock was rightly set back.
    ///
    /// Only jumps back can be confirmed: reports from a device whose clock is ahead are corrected, but a report that
    /// seems an hour late is lost.
    package func isWitnessed(by device: Int64, at running: Int64) -> Bool {
        guard let jump, deviation <= -SteadyTime.witnessedJump else { return false }
        return (device &- (running &+ jump.offset)).magnitude <= UInt64(SteadyTime.witnessTolerance)
    }

    /// Adopts the wall clock's time and returns by how many milliseconds the time moved.
    package mutating func adopt() -> Int64 {
        defer { jump = nil }
        let shift = deviation
        offset = jump?.offset ?? offset
        return shift
    }

    private static func agree(_ a: Int64, _ b: Int64) -> Bool { (a &- b).magnitude <= UInt64(tolerance) }
}
