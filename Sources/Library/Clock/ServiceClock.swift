package import Stories
import Synchronization

/// The clock of a library: steady while the wall clock jumps, and aware of the confirmed time.
package final class ServiceClock: Sendable {
    /// The condition of the clock, for monitoring.
    package struct Condition: Hashable, Sendable {
        /// How far the wall clock is ahead of the service's time, in milliseconds.
        var deviation: Int64 = 0
        /// The last jump that was adopted, in milliseconds, if within the last day.
        var believedJump: Int64?
        /// How much longer nothing is destroyed by age because the time is not confirmed, in milliseconds.
        var unconfirmed: Int64 = 0
    }

    private struct State: Sendable {
        var time: SteadyTime
        var confirmed: ConfirmedTime?
        /// The reading of the running clock when the time was last noted, in milliseconds.
        var notedAt: Int64
        var lastBelieved: (jump: Int64, at: Int64)?
        var isSaid = false
    }

    private let wall: @Sendable () -> Timestamp
    private let runningClock: (@Sendable () -> Int64)?
    /// The first reading of both clocks.
    private let start: SteadyTime.Reading
    private let state: Mutex<State>

    /// Creates a clock based on the wall clock and a running clock in milliseconds, which never jumps.
    ///
    /// Without a running clock, the wall clock is followed.
    package init(wall: @escaping @Sendable () -> Timestamp, running: (@Sendable () -> Int64)?) {
        self.wall = wall
        runningClock = running
        let reading = SteadyTime.Reading(wall: wall().milliseconds, running: running?() ?? 0)
        start = reading
        state = Mutex(State(time: SteadyTime(reading), notedAt: reading.running))
    }

    /// Whether jumps can be distinguished from time that has passed.
    package var isSteady: Bool { runningClock != nil }

    /// The running clock, in milliseconds; 0 without one.
    package var running: Int64 { runningClock?() ?? 0 }

    /// The current reading of both clocks.
    package var reading: SteadyTime.Reading { .init(wall: wall().milliseconds, running: running) }

    /// The current time.
    package var now: Timestamp {
        guard isSteady else { return wall() }
        return state.withLock { Timestamp(milliseconds: $0.time.read(reading)) }
    }

    /// The time for durations within this process: starts at the wall clock's time, then follows only the running
    /// clock.
    package var lasting: Timestamp {
        guard isSteady else { return wall() }
        return Timestamp(milliseconds: start.wall &+ (running &- start.running))
    }

    /// The current time for measuring the age of data to destroy: never later than the confirmed time.
    package var certain: Timestamp {
        guard isSteady else { return wall() }
        return state.withLock { state in
            let now = state.time.read(reading)
            return Timestamp(milliseconds: min(now, state.confirmed?.confirmed ?? 0))
        }
    }

    /// Continues from the times stored in a database.
    package func resume(_ time: SteadyTime, _ confirmed: ConfirmedTime) {
        state.withLock { state in
            state.time = time
            state.confirmed = confirmed
            state.notedAt = running
        }
    }

    /// Notes the time that has passed and returns the confirmed time; `nil` before ``resume(_:_:)``.
    package func note() -> ConfirmedTime? {
        state.withLock { state in
            let reading = reading
            let now = state.time.read(reading)
            state.confirmed?.note(now, ran: reading.running &- state.notedAt)
            state.notedAt = reading.running
            return state.confirmed
        }
    }

    /// Returns a jump that has not been reported yet, in milliseconds.
    func newJump() -> Int64? {
        state.withLock { state in
            _ = state.time.read(reading)
            let isJump = state.time.jump != nil
            defer { state.isSaid = isJump }
            return isJump && !state.isSaid ? state.time.deviation : nil
        }
    }

    /// Returns the jump in milliseconds if it should be adopted now; otherwise `nil`.
    ///
    /// A jump is adopted if it has lasted for ``SteadyTime/patience``, or if `witness` confirms it: the reading of a
    /// device's clock, in milliseconds since 1970.
    func believableJump(witness: Int64? = nil) -> Int64? {
        guard isSteady else { return nil }
        return state.withLock { state in
            let reading = reading
            _ = state.time.read(reading)
            let isWitnessed = witness.map { state.time.isWitnessed(by: $0, at: reading.running) } ?? false
            return isWitnessed || state.time.isBelieved(at: reading.running) ? state.time.deviation : nil
        }
    }

    /// The time as it will be once the jump is adopted.
    var nextNow: Timestamp {
        state.withLock { state in
            let reading = reading
            return Timestamp(milliseconds: state.time.read(reading) &+ state.time.deviation)
        }
    }

    /// Adopts the wall clock's time from now on.
    package func adopt() {
        state.withLock { state in
            let shift = state.time.adopt()
            guard shift != 0 else { return }
            state.lastBelieved = (shift, running)
            state.isSaid = false
        }
    }

    /// Replaces the confirmed time.
    package func confirm(_ confirmed: ConfirmedTime) {
        state.withLock { state in
            state.confirmed = confirmed
            state.notedAt = running
        }
    }

    /// The current condition of the clock.
    package var condition: Condition {
        guard isSteady else { return Condition() }
        return state.withLock { state in
            let reading = reading
            _ = state.time.read(reading)
            let recent = state.lastBelieved.flatMap { reading.running &- $0.at < 86_400_000 ? $0.jump : nil }
            return Condition(
                deviation: state.time.deviation,
                believedJump: recent,
                unconfirmed: state.confirmed.flatMap { $0.isFarAhead ? $0.missing : nil } ?? 0
            )
        }
    }
}
