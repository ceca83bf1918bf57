import Stories
import Synchronization

/// The clocks of a simulated machine: the true time, the wall clock, which may be wrong, and one that only runs.
final class ManualTime: Sendable {
    private struct State {
        var milliseconds: Int64
        var offset: Int64 = 0
        var deviceOffset: Int64 = 0
        var boot: Int
        /// The true time at which the machine was started.
        var booted: Int64
    }

    private let state: Mutex<State>

    /// Begins at an instant, in milliseconds since 1970, on a machine that was started a while before, for this time.
    init(_ milliseconds: Int64, boot: Int) {
        state = Mutex(State(milliseconds: milliseconds, boot: boot, booted: milliseconds - 5_000_000))
    }

    /// The time that has gone by, whatever clocks show.
    var truth: Timestamp { Timestamp(milliseconds: state.withLock(\.milliseconds)) }
    /// What people's devices show: the time that the wall clock should have.
    var device: Timestamp { Timestamp(milliseconds: state.withLock { $0.milliseconds + $0.deviceOffset }) }
    /// What the wall clock of the machine shows.
    var wall: Timestamp { Timestamp(milliseconds: state.withLock { $0.milliseconds + $0.offset }) }
    /// How long the machine has run, in milliseconds.
    var running: Int64 { state.withLock { $0.milliseconds - $0.booted } }
    /// The name of this run of the machine.
    var boot: String { "boot \(state.withLock(\.boot))" }

    /// Lets time go by.
    func advance(seconds: Int) { state.withLock { $0.milliseconds += Int64(seconds) * 1_000 } }

    /// Sets the wall clock forward, or back; rightly if devices show the new time too.
    func setWall(by seconds: Int, isRight: Bool) {
        state.withLock { state in
            state.offset += Int64(seconds) * 1_000
            if isRight { state.deviceOffset += Int64(seconds) * 1_000 }
        }
    }

    /// Starts the machine again.
    func reboot() {
        state.withLock { state in
            state.boot += 1
            state.booted = state.milliseconds
        }
    }
}
