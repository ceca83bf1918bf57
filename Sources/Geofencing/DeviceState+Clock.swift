extension DeviceState {
    /// The number of milliseconds by which a state may be ahead of the receiver's clock, because two threads read the
    /// clock one after the other.
    public static let clockLead: Int64 = 5_000

    /// How many milliseconds a device's clock may differ from the receiver's and still count as equal.
    private static let sameClock: Int64 = 120_000

    /// Corrects a state written while the receiver's clock was ahead: nothing can have been received after `now`.
    ///
    /// Pending decisions keep their remaining time, and fixes of devices whose own clocks were always right keep their
    /// age. Device times that came from the same wrong clock are moved out of the future; their true age is unknown, so
    /// evidence based on them must build up again. Nothing changes while the state is ahead by at most ``clockLead``.
    ///
    /// - Parameter now: the receiver's clock in milliseconds since 1970, or slightly earlier if fixes of an earlier
    ///   time have arrived and are still to be evaluated.
    public mutating func reanchor(to now: Int64) { bringBack(to: now, unknown: DeviceState.unknownTime) }

    /// The number of milliseconds by which device times of unknown age are moved further back, because the device may
    /// have travelled meanwhile.
    private static let unknownTime: Int64 = 600_000

    /// Moves the state back to `now`; `unknown` is the number of milliseconds by which device times of unknown age are
    /// moved further back.
    private mutating func bringBack(to now: Int64, unknown: Int64) {
        guard Fix.times.contains(now), clock - now > DeviceState.clockLead else { return }
        let shift = clock - now
        let reported = [newest?.time, heard, last?.time].compactMap(\.self).max() ?? 0
        let isOfSameClock = reported > now && clock - reported <= DeviceState.sameClock
        moveReceipts(by: -shift)
        if isOfSameClock, unknown > 0 {
            isInterrupted = true
            places.removeAll { $0.phase == .candidate }
        }
        moveDeviceTimes { time in
            if isOfSameClock { return time > now ? time - shift - unknown : time }
            return time > now + DeviceState.sameClock ? now : time
        }
    }

    /// Shifts a state after the receiver's clock was adjusted by `shift` milliseconds, negative if it was set back.
    public mutating func moveClock(by shift: Int64) {
        guard shift > 0 else {
            let (now, overflow) = clock.addingReportingOverflow(shift)
            return bringBack(to: overflow ? 0 : max(0, now), unknown: 0)
        }
        let reported = [newest?.time, heard, last?.time].compactMap(\.self).max() ?? 0
        let isOfSameClock = (clock - reported).magnitude <= UInt64(DeviceState.sameClock)
        guard clock <= Fix.times.upperBound - min(shift, Fix.times.upperBound) else { return }
        moveReceipts(by: shift)
        guard isOfSameClock else { return }
        moveDeviceTimes { $0 + shift }
    }

    /// Shifts all times read from the receiver's clock.
    private mutating func moveReceipts(by shift: Int64) {
        func moved(_ time: Int64) -> Int64 { min(max(0, time + shift), Fix.times.upperBound) }
        clock = moved(clock)
        nextTimer = nextTimer.map(moved)
        disorderAt = disorderAt.map(moved)
        if let received = newest?.received { newest?.received = moved(received) }
        for index in places.indices {
            places[index].deadline = places[index].deadline.map(moved)
            places[index].reportAt = places[index].reportAt.map(moved)
            places[index].qualified = moved(places[index].qualified)
        }
        for index in pending.indices { pending[index].received = moved(pending[index].received) }
    }

    /// Applies `change` to all times read from the device's clock or corrected to the receiver's clock.
    private mutating func moveDeviceTimes(_ change: (Int64) -> Int64) {
        func moved(_ time: Int64) -> Int64 { min(max(0, change(time)), Fix.times.upperBound) }
        func move(_ anchor: inout Anchor?) {
            guard let time = anchor?.time else { return }
            anchor?.time = moved(time)
        }
        movedAt = movedAt.map(moved)
        heard = heard.map(moved)
        if let time = newest?.time { newest?.time = moved(time) }
        move(&last)
        move(&clear)
        move(&paceAnchor)
        move(&steadyAnchor)
        if let time = track?.time { track?.time = moved(time) }
        if let known = stay {
            stay?.begin = moved(known.begin)
            stay?.time = max(moved(known.begin), moved(known.time))
            stay?.awaySince = known.awaySince.map(moved)
        }
        for index in suspects.indices { suspects[index].time = moved(suspects[index].time) }
        for index in places.indices {
            places[index].since = moved(places[index].since)
            places[index].latest = moved(places[index].latest)
            places[index].opened = moved(places[index].opened)
        }
    }
}
