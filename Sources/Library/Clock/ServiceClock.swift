package import Stories
import Synchronization

/// The clock of a library: steady while the wall clock jumps, with what is certain of the time.
package final class ServiceClock: Sendable {
    /// What somebody who watches the service should know of the clock.
    package struct Condition: Hashable, Sendable {
        /// By how many milliseconds the wall clock is ahead of the time that the service goes by.
        var deviation: Int64 = 0
        /// The last jump that was believed, in milliseconds, if that was within the last day.
        var believedJump: Int64?
        /// For how many more milliseconds nothing is destroyed for its age, because the time is not confirmed.
        var unconfirmed: Int64 = 0
    }

    private struct State: Sendable {
        var time: SteadyTime
        var confirmed: ConfirmedTime?
        /// When the time was noted last, by the running clock.
        var notedAt: Int64
        var lastBelieved: (jump: Int64, at: Int64)?
        var isSaid = false
    }

    private let wall: @Sendable () -> Timestamp
    private let runningClock: (@Sendable () -> Int64)?
    /// What both clocks showed first.
    private let start: SteadyTime.Reading
    private let state: Mutex<State>

    /// Creates a clock on the wall's, and on one in milliseconds that only runs; without one the wall's is followed.
    package init(wall: @escaping @Sendable () -> Timestamp, running: (@Sendable () -> Int64)?) {
        self.wall = wall
        runningClock = running
        let reading = SteadyTime.Reading(wall: wall().milliseconds, running: running?() ?? 0)
        start = reading
        state = Mutex(State(time: SteadyTime(reading), notedAt: reading.running))
    }

    /// Whether jumps can be told from time that has gone by.
    package var isSteady: Bool { runningClock != nil }

    /// The clock that only runs, in milliseconds; 0 without one.
    package var running: Int64 { runningClock?() ?? 0 }

    /// What both clocks show.
    package var reading: SteadyTime.Reading { .init(wall: wall().milliseconds, running: running) }

    /// The time.
    package var now: Timestamp {
        guard isSteady else { return wall() }
        return state.withLock { Timestamp(milliseconds: $0.time.read(reading)) }
    }

    /// A clock for what lasts within this process: it began with the wall's time and only runs.
    package var lasting: Timestamp {
        guard isSteady else { return wall() }
        return Timestamp(milliseconds: start.wall &+ (running &- start.running))
    }

    /// The time by which what is destroyed for its age has that age: never later than is certain.
    package var certain: Timestamp {
        guard isSteady else { return wall() }
        return state.withLock { state in
            let now = state.time.read(reading)
            return Timestamp(milliseconds: min(now, state.confirmed?.confirmed ?? 0))
        }
    }

    /// Goes on from what a database knows of the time.
    package func resume(_ time: SteadyTime, _ confirmed: ConfirmedTime) {
        state.withLock { state in
            state.time = time
            state.confirmed = confirmed
            state.notedAt = running
        }
    }

    /// Takes note of the time that has gone by, and returns what is certain of it then.
    package func note() -> ConfirmedTime? {
        state.withLock { state in
            let reading = reading
            let now = state.time.read(reading)
            state.confirmed?.note(now, ran: reading.running &- state.notedAt)
            state.notedAt = reading.running
            return state.confirmed
        }
    }

    /// The jump to be said for the first time, in milliseconds.
    func newJump() -> Int64? {
        state.withLock { state in
            _ = state.time.read(reading)
            let isJump = state.time.jump != nil
            defer { state.isSaid = isJump }
            return isJump && !state.isSaid ? state.time.deviation : nil
        }
    }

    /// The jump to be believed now, in milliseconds, because it has lasted or because of the clock of a device.
    func believableJump(witness: Int64? = nil) -> Int64? {
        guard isSteady else { return nil }
        return state.withLock { state in
            let reading = reading
            _ = state.time.read(reading)
            let isWitnessed = witness.map { state.time.isWitnessed(by: $0, at: reading.running) } ?? false
            return isWitnessed || state.time.isBelieved(at: reading.running) ? state.time.deviation : nil
        }
    }

    /// The time as it will be once the jump is believed.
    var nextNow: Timestamp {
        state.withLock { state in
            let reading = reading
            return Timestamp(milliseconds: state.time.read(reading) &+ state.time.deviation)
        }
    }

    /// Believes the wall clock from here on.
    package func adopt() {
        state.withLock { state in
            let shift = state.time.adopt()
            guard shift != 0 else { return }
            state.lastBelieved = (shift, running)
            state.isSaid = false
        }
    }

    /// Takes over what is certain of the time.
    package func confirm(_ confirmed: ConfirmedTime) {
        state.withLock { state in
            state.confirmed = confirmed
            state.notedAt = running
        }
    }

    /// What somebody who watches the service should know.
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
