import Geofencing
import Logging
import Storage
package import Stories

/// Stores the service's time in the database, and adopts jumps of the wall clock once they are credible.
package struct TimeKeeper: StoreService {
    package let context: StoreContext

    /// Creates a value from its parts.
    package init(context: StoreContext) {
        self.context = context
    }

    private var clock: ServiceClock { context.clock }
    private var boot: String? { context.boot }

    /// The time for durations within this process, independent of jumps of the wall clock.
    package var lasting: @Sendable () -> Timestamp {
        { [clock] in clock.lasting }
    }

    /// How much longer the service has to run before data may be destroyed by age, in milliseconds.
    ///
    /// It is 0 if the time is confirmed, or less than a day ahead of the confirmed time.
    package var millisecondsUntilCertain: Int64 { clock.condition.unconfirmed }

    /// Continues from the time stored in the database; must run before anything uses the clock.
    ///
    /// If the machine has not restarted, the running clock determines the time; a jump of the wall clock is believed
    /// only after ``SteadyTime/patience``. After a restart, the wall clock is adopted. If it is then earlier than the
    /// stored time, the clock was ahead before, and all stored due times are moved back.
    package func resumeClock() async throws {
        guard clock.isSteady, store.isWritable else { return }
        let (mark, newest) = try await store.read { transaction in
            let mark = try transaction.clockMark()
            return (mark, mark == nil ? try transaction.newestChange() : nil)
        }
        let reading = clock.reading
        var time = SteadyTime(reading)
        var shift: Int64 = 0
        if let mark {
            if mark.boot != nil, mark.boot == boot, mark.running <= reading.running {
                time = SteadyTime(reading, continuing: mark.time, asOf: mark.running)
            } else if reading.wall < mark.time &- SteadyTime.tolerance {
                shift = reading.wall &- mark.time
            }
        }
        let now = time.read(reading)
        var confirmed =
            mark.map { ConfirmedTime(confirmed: $0.confirmed, latest: $0.time, lived: $0.lived) }
            ?? ConfirmedTime(newest: min(now, newest?.milliseconds ?? now))
        confirmed.note(now, ran: nil)
        clock.resume(time, confirmed)
        do {
            try await saveMark(confirmed, at: now, running: reading.running, movingBy: shift, isUrgent: shift != 0)
        } catch let error as StoreError where error.code == .diskFull && shift == 0 {
            store.logger.warning("the disk is full; the time will be recorded once there is space")
        }
        if shift != 0 { store.logger.warning("the clock was set back", metadata: ["seconds": "\(shift / 1_000)"]) }
        if confirmed.isFarAhead {
            store.logger.warning(
                "the clock is far ahead of the last run; nothing is deleted for its age until the time is confirmed",
                metadata: ["hours": "\((confirmed.missing + 3_599_999) / 3_600_000)"]
            )
        }
    }

    /// Checks the clock once: logs a new jump, adopts one that has lasted, and stores the time if `notes` is set.
    package func keepTime(notes: Bool) async throws {
        if let jump = clock.newJump() {
            store.logger.warning(
                "the clock jumped; the service uses its own time until the clock has been stable for half a minute",
                metadata: ["seconds": "\(jump / 1_000)"]
            )
        }
        if try await believeClock() || !notes { return }
        guard let confirmed = clock.note(), store.isWritable else { return }
        try await saveMark(confirmed, at: clock.now.milliseconds, running: clock.running)
    }

    /// Uses the reading of a device's clock, just received, as evidence that the wall clock was rightly set back.
    package func hear(_ witness: Timestamp?) async throws {
        guard let witness else { return }
        try await believeClock(witness: witness.milliseconds)
    }

    /// Adopts a jump of the clock if it may be believed, and moves all due times with it; returns whether it did.
    @discardableResult
    private func believeClock(witness: Int64? = nil) async throws -> Bool {
        guard store.isWritable, let shift = clock.believableJump(witness: witness), shift != 0 else { return false }
        let now = clock.nextNow
        var confirmed = clock.note()
        confirmed?.note(now.milliseconds, ran: nil)
        guard let confirmed else { return false }
        let isMoved = try await store.write { [clock, boot] transaction in
            guard let still = clock.believableJump(witness: witness), (still - shift).magnitude < 1_000 else {
                return false
            }
            // Another write in the same commit may have moved everything already; the time is adopted only after the
            // commit.
            let known = try transaction.clockMark().map { $0.time &+ (clock.running &- $0.running) }
            if let known, (known &- now.milliseconds).magnitude <= UInt64(SteadyTime.tolerance) { return false }
            try transaction.moveDueTimes(by: shift, now: now)
            try transaction.bringBackStates(to: now)
            try TimeKeeper.moveTimers(by: shift, in: transaction)
            try transaction.save(
                ClockMark(
                    boot: boot,
                    running: clock.running,
                    time: now.milliseconds,
                    confirmed: confirmed.confirmed,
                    lived: confirmed.lived
                )
            )
            transaction.afterCommit {
                clock.adopt()
                clock.confirm(confirmed)
            }
            return true
        }
        if isMoved {
            store.logger.warning("the new time of the clock was adopted", metadata: ["moved": "\(shift / 1_000) s"])
        }
        return isMoved
    }

    private func saveMark(
        _ confirmed: ConfirmedTime,
        at now: Int64,
        running: Int64,
        movingBy shift: Int64 = 0,
        isUrgent: Bool = false
    ) async throws {
        let mark = ClockMark(
            boot: boot,
            running: running,
            time: now,
            confirmed: confirmed.confirmed,
            lived: confirmed.lived
        )
        try await store.write(isUrgent: isUrgent) { transaction in
            if shift != 0 {
                let now = Timestamp(milliseconds: now)
                try transaction.moveDueTimes(by: shift, now: now)
                try transaction.bringBackStates(to: now)
                try TimeKeeper.moveTimers(by: shift, in: transaction)
            }
            try transaction.save(mark)
        }
    }

    /// Moves the times in the states of devices with a timer, so that pending decisions take as long as before.
    private static func moveTimers(by shift: Int64, in transaction: StoreTransaction) throws {
        for waiting in try transaction.waitingStates() {
            guard var state = try? DeviceState(bytes: waiting.state) else { continue }
            state.moveClock(by: shift)
            try transaction.replaceState(
                state.bytes,
                of: waiting.user,
                device: waiting.device,
                nextTimer: state.nextTimer.map(Timestamp.init)
            )
        }
    }
}
