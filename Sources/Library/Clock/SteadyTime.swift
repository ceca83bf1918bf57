/// The time on the wall, carried on by a clock that cannot jump.
///
/// A wall clock that is set, stepped or wrong for a moment does not move it. One that stays where it jumped to for
/// ``patience`` is believed, and whoever keeps instants then moves them by what ``adopt()`` returns.
package struct SteadyTime: Hashable, Sendable {
    /// What both clocks show at one moment, in milliseconds.
    package struct Reading: Hashable, Sendable {
        /// The clock on the wall, since 1970.
        package var wall: Int64
        /// A clock that only runs, from any beginning, also while the machine sleeps.
        package var running: Int64

        /// Creates a reading.
        package init(wall: Int64, running: Int64) {
            self.wall = wall
            self.running = running
        }

        /// By how much the wall clock is ahead of the running one.
        package var offset: Int64 { wall &- running }
    }

    /// A jump of the wall clock that is not believed yet.
    package struct Jump: Hashable, Sendable {
        /// By how much the wall clock is ahead of the running one since then.
        package var offset: Int64
        /// When it was seen first, by the running clock.
        package var since: Int64
    }

    /// By how many milliseconds the wall clock may deviate and be followed at once: what NTP slews, and slow readings.
    package static let tolerance: Int64 = 2_000
    /// For how many milliseconds the wall clock must stay where it jumped to before it is believed.
    package static let patience: Int64 = 30_000
    /// By how many milliseconds the clock of a device may deviate that bears witness for the wall clock.
    static let witnessTolerance: Int64 = 120_000
    /// The least jump back, in milliseconds, for which the word of a device counts: less makes no report late.
    static let witnessedJump: Int64 = 300_000

    /// By how much the time is ahead of the running clock.
    private var offset: Int64
    /// The jump that is not believed yet.
    package private(set) var jump: Jump?

    /// Begins with what the wall clock shows.
    package init(_ reading: Reading) { offset = reading.offset }

    /// Goes on from an earlier time that the running clock has carried on since; the wall clock may have jumped meanwhile.
    package init(_ reading: Reading, continuing time: Int64, asOf running: Int64) {
        offset = time &- running
        _ = read(reading)
    }

    /// Takes note of both clocks and returns the time, in milliseconds since 1970.
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

    /// By how many milliseconds the wall clock is ahead of the time; 0 when they agree.
    package var deviation: Int64 { jump.map { $0.offset &- offset } ?? 0 }

    /// Whether the wall clock has stayed where it jumped to for long enough.
    package func isBelieved(at running: Int64) -> Bool {
        jump.map { running &- $0.since >= SteadyTime.patience } ?? false
    }

    /// Whether a device's own clock, just read, bears witness that the wall clock was rightly put back.
    ///
    /// Only that: what comes from a device whose clock is ahead is corrected, while one that seems an hour late is lost.
    package func isWitnessed(by device: Int64, at running: Int64) -> Bool {
        guard let jump, deviation <= -SteadyTime.witnessedJump else { return false }
        return (device &- (running &+ jump.offset)).magnitude <= UInt64(SteadyTime.witnessTolerance)
    }

    /// Believes the wall clock and returns by how many milliseconds the time moved.
    package mutating func adopt() -> Int64 {
        defer { jump = nil }
        let shift = deviation
        offset = jump?.offset ?? offset
        return shift
    }

    private static func agree(_ a: Int64, _ b: Int64) -> Bool { (a &- b).magnitude <= UInt64(tolerance) }
}
