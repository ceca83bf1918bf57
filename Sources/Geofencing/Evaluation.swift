/// One event being evaluated.
struct Evaluation<Source: FenceSource> {
    let options: FenceOptions
    let fences: Source
    var state: DeviceState
    var effects: [FenceEffect] = []
    /// The receiver's time that decisions are based on, milliseconds since 1970.
    var now: Int64

    init(options: FenceOptions, fences: Source, state: DeviceState) {
        self.options = options
        self.fences = fences
        self.state = state
        now = state.clock
    }

    mutating func take(_ event: FenceEvent) {
        switch event {
        case .fix(let fix): receive(fix)
        case .tick(let time): moveClock(to: time)
        case .gap:
            releasePending(upTo: state.pending.count)
            state.isInterrupted = true
            state.suspects = []
        }
        state.nextTimer = nextDue?.time
    }

    private mutating func receive(_ fix: Fix) {
        guard Fix.times.contains(fix.received) else { return conclude(fix, .rejected(.time)) }
        moveClock(to: fix.received)
        var fix = fix
        fix.received = state.clock
        let mustWait = mustWait(fix)
        if let outcome = settled(fix) { return conclude(corrected(fix), outcome) }
        guard mustWait else { return evaluate(fix) }
        let index = state.pending.firstIndex { Fix.precedes(fix, $0) } ?? state.pending.count
        state.pending.insert(fix, at: index)
        conclude(corrected(fix), .held)
        // To limit the number of held-back fixes, the first one is evaluated early.
        if state.pending.count > 1_024 { releasePending(upTo: 1) }
    }

    /// Returns whether a fix has to wait for others that may precede it; records when one arrives out of order.
    private mutating func mustWait(_ fix: Fix) -> Bool {
        guard options.reorderHold > 0 else { return false }
        let (time, overflow) = fix.time.subtractingReportingOverflow(fix.clockAhead)
        guard !overflow, Fix.times.contains(time) else { return !state.pending.isEmpty }
        var isAfterGap = false
        if let newest = state.newest, time < newest.time {
            // Only disorder that a wait would have corrected counts: the fix came within the hold, is not a duplicate,
            // and is not too old to trigger notifications.
            let isHelped =
                fix.received - newest.received <= options.reorderHold && fix.received - time <= options.oldestFix
            if isHelped, !state.digests.contains(fix.digest) { state.disorderAt = state.clock }
        } else {
            if let number = fix.sequence, let last = state.newest?.sequence, last < .max {
                isAfterGap = number > last + 1
            }
            state.newest = Arrival(time: time, received: fix.received, sequence: fix.sequence)
        }
        if let at = state.disorderAt, state.clock - at > options.disorderMemory { state.disorderAt = nil }
        // Nothing may overtake the fixes that wait.
        return isAfterGap || state.disorderAt != nil || !state.pending.isEmpty
    }

    /// Advances the clock to `time` and makes all due decisions, in order.
    private mutating func moveClock(to time: Int64) {
        state.clock = max(state.clock, min(time, Fix.times.upperBound))
        // The next timer is kept up to date by every event, so most calls need not search.
        if let timer = state.nextTimer, timer <= state.clock { decideDue() }
        now = state.clock
    }

    private mutating func decideDue() {
        while let due = nextDue, due.time <= state.clock {
            now = max(now, due.time)
            switch due.what {
            case .place(let index): expire(placeAt: index)
            case .fixes(let count): releasePending(upTo: count)
            }
        }
    }

    /// A pending decision that depends on the clock.
    private struct Due {
        enum What {
            /// The place with this index.
            case place(Int)
            /// The given number of held-back fixes.
            case fixes(Int)
        }

        let time: Int64
        let what: What
    }

    /// The first pending decision: a place, or else fixes that were held back long enough.
    private var nextDue: Due? {
        if state.places.isEmpty, state.pending.isEmpty { return nil }
        var first: Due?
        for (index, place) in state.places.enumerated() {
            guard let due = place.dueAt else { continue }
            let time = unblocked(due)
            if first.map({ time < $0.time }) ?? true { first = Due(time: time, what: .place(index)) }
        }
        guard let received = state.pending.lazy.map(\.received).min() else { return first }
        let time = received + options.reorderHold
        let count = (state.pending.lastIndex { $0.received == received } ?? 0) + 1
        guard let first, first.time <= time else { return Due(time: time, what: .fixes(count)) }
        return first
    }

    /// Returns a deadline, delayed until the fixes received before it have been evaluated: they may contradict it.
    private func unblocked(_ deadline: Int64) -> Int64 {
        state.pending.lazy.filter { $0.received < deadline }.map { $0.received + options.reorderHold }
            .reduce(deadline, max)
    }

    private mutating func releasePending(upTo count: Int) {
        let released = Array(state.pending.prefix(count))
        state.pending.removeFirst(released.count)
        for fix in released { judge(fix) }
    }

    mutating func conclude(_ fix: Fix, _ outcome: FixOutcome) {
        effects.append(.outcome(fix, outcome))
    }
}

extension PlaceState {
    /// The receiver's time at which the clock decides about the place; `nil` if only a fix can decide.
    var dueAt: Int64? {
        switch phase {
        case .candidate: deadline
        case .inside: reportAt
        case .outside, .leaving: nil
        }
    }
}
