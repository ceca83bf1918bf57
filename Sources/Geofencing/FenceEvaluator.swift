/// Turns the fixes of one device into entries: noise, gaps and repetitions in, each visit once out.
///
/// A pure function of state, event and fences on a virtual clock: the same input gives the same effects, live, replayed
/// or simulated. The clock moves by the receipt of fixes and by ticks; what falls due in between is decided as of its
/// own time, so it does not matter how often somebody ticks.
public struct FenceEvaluator: Sendable {
    /// The numbers it decides by.
    public let options: FenceOptions

    /// Creates an evaluator; waiting times in `options` are brought into 0...1 day.
    public init(options: FenceOptions = FenceOptions()) {
        self.options = options.bounded
    }

    /// Returns the state after an event, and what follows from it, in order.
    ///
    /// - Complexity: O(*f* log *f*) for the *f* fences within the largest radius of the fix and the open visits.
    public func step(
        _ state: DeviceState,
        _ event: FenceEvent,
        fences: some FenceSource
    ) -> (state: DeviceState, effects: [FenceEffect]) {
        var next = state
        let effects = advance(&next, event, fences: fences)
        return (next, effects)
    }

    /// Brings a state past an event and returns what follows from it, in order; the same as ``step(_:_:fences:)``.
    public func advance(
        _ state: inout DeviceState,
        _ event: FenceEvent,
        fences: some FenceSource
    ) -> [FenceEffect] {
        var evaluation = Evaluation(options: options, fences: fences, state: state)
        // The one remaining copy, so that its arrays are changed in place.
        state = DeviceState()
        evaluation.take(event)
        state = evaluation.state
        return evaluation.effects
    }
}

/// One event being evaluated.
struct Evaluation<Source: FenceSource> {
    let options: FenceOptions
    let fences: Source
    var state: DeviceState
    var effects: [FenceEffect] = []

    init(options: FenceOptions, fences: Source, state: DeviceState) {
        self.options = options
        self.fences = fences
        self.state = state
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
        state.nextTimer = nextDue.map { $0 + options.reorderHold }
    }

    private mutating func receive(_ fix: Fix) {
        guard Fix.times.contains(fix.received) else { return conclude(fix, .rejected(.time)) }
        moveClock(to: fix.received)
        var fix = fix
        fix.received = state.clock
        if options.reorderHold == 0 { return judge(fix) }
        let index = state.pending.firstIndex { Fix.precedes(fix, $0) } ?? state.pending.count
        state.pending.insert(fix, at: index)
        conclude(fix, .held)
        // A flood is judged early rather than kept.
        if state.pending.count > 1_024 { releasePending(upTo: 1) }
    }

    /// Lets time pass up to `time` and decides all that falls due, in order.
    ///
    /// Held fixes are judged as of their receipt, and so are deadlines: holding back shifts everything by one time.
    private mutating func moveClock(to time: Int64) {
        state.clock = max(state.clock, min(time, Fix.times.upperBound))
        while let due = nextDue, due + options.reorderHold <= state.clock {
            if let index = firstPlaceDue, state.places[index].dueAt == due {
                expire(placeAt: index, due: due)
            } else if let index = state.pending.lastIndex(where: { $0.received == due }) {
                releasePending(upTo: index + 1)
            }
        }
    }

    /// The earliest receipt or deadline that waits.
    private var nextDue: Int64? {
        let place = firstPlaceDue.flatMap { state.places[$0].dueAt }
        let fix = state.pending.lazy.map(\.received).min()
        guard let place, let fix else { return place ?? fix }
        return min(place, fix)
    }

    private var firstPlaceDue: Int? {
        var first: (index: Int, due: Int64)?
        for (index, place) in state.places.enumerated() {
            guard let due = place.dueAt, first.map({ due < $0.due }) ?? true else { continue }
            first = (index, due)
        }
        return first?.index
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
    /// When the clock decides something about the place, by receipt.
    var dueAt: Int64? {
        switch phase {
        case .candidate: deadline
        case .inside: reportAt
        case .outside, .leaving: nil
        }
    }
}
