/// The events at one moment of the receiver's clock.
public struct FenceMoment: Hashable, Sendable {
    /// The receiver's clock, milliseconds since 1970.
    public internal(set) var at: Int64
    /// The entries decided at that moment, in order.
    public internal(set) var entries: [FenceEntry]
    /// Whether another place is still undecided afterwards, so that more entries may follow soon.
    public internal(set) var isUndecided: Bool
}

/// One event of a run and what followed from it.
public struct FenceStep: Hashable, Sendable {
    /// The event; a tick stands for each decision that the clock made between two others.
    public let event: FenceEvent
    /// The receiver's clock after the event, milliseconds since 1970.
    public let clock: Int64
    /// The effects of the event, as a range of ``FenceRun/effects``.
    public let effects: Range<Int>
    /// The best estimate of the device's position after the event, or `nil` before the first accepted fix.
    public let estimate: PositionEstimate?
}

/// The results of a series of events.
public struct FenceRun: Hashable, Sendable {
    /// All effects, in order.
    public private(set) var effects: [FenceEffect] = []
    /// The moments at which entries were decided or ``FenceMoment/isUndecided`` changed, in order; the first moment is
    /// always included.
    public private(set) var moments: [FenceMoment] = []
    /// The events in order, each with its effects; empty unless they are recorded.
    public private(set) var steps: [FenceStep] = []
    /// Whether the run records its steps.
    let recordsSteps: Bool

    /// Creates an empty run; `recordsSteps` fills ``steps``.
    public init(recordsSteps: Bool = false) { self.recordsSteps = recordsSteps }

    mutating func record(_ event: FenceEvent, _ effects: [FenceEffect], _ state: DeviceState, _ options: FenceOptions) {
        let first = self.effects.count
        add(effects, state)
        guard recordsSteps else { return }
        steps.append(
            FenceStep(
                event: event,
                clock: state.clock,
                effects: first..<self.effects.count,
                estimate: state.estimate(options)
            )
        )
    }

    mutating func add(_ effects: [FenceEffect], _ state: DeviceState) {
        self.effects += effects
        let entries = effects.compactMap { effect in
            if case .entered(let entry) = effect { entry } else { nil }
        }
        let isUndecided = state.undecidedUntil != nil
        if let last = moments.indices.last, moments[last].at == state.clock {
            moments[last].entries += entries
            moments[last].isUndecided = isUndecided
        } else if !entries.isEmpty || moments.last?.isUndecided != isUndecided {
            moments.append(FenceMoment(at: state.clock, entries: entries, isUndecided: isUndecided))
        }
    }
}

extension FenceEvaluator {
    /// Advances a state by a series of events and returns the decisions with their times.
    ///
    /// The clock advances to each due decision in turn, so decision times do not depend on how often ticks come.
    public func advance(
        _ state: inout DeviceState,
        through events: some Sequence<FenceEvent>,
        fences: some FenceSource
    ) -> FenceRun {
        var run = FenceRun()
        advance(&state, through: events, fences: fences, into: &run)
        return run
    }

    /// Advances a state by further events of a run.
    ///
    /// However the events are divided among calls, the run equals that of ``advance(_:through:fences:)`` with all of
    /// them.
    public func advance(
        _ state: inout DeviceState,
        through events: some Sequence<FenceEvent>,
        fences: some FenceSource,
        into run: inout FenceRun
    ) {
        for event in events { advance(&state, event, fences: fences, into: &run) }
    }

    func advance(
        _ state: inout DeviceState,
        _ event: FenceEvent,
        fences: some FenceSource,
        into run: inout FenceRun
    ) {
        var stopped = Int64.min
        while let time = event.clock, let due = state.nextTimer, due < time, due > stopped {
            stopped = due
            let effects = advance(&state, .tick(due), fences: fences)
            run.record(.tick(due), effects, state, options)
        }
        let effects = advance(&state, event, fences: fences)
        run.record(event, effects, state, options)
    }
}

extension FenceEvent {
    /// The time on the receiver's clock, or `nil` if the event does not advance it.
    fileprivate var clock: Int64? {
        switch self {
        case .fix(let fix): Fix.times.contains(fix.received) ? fix.received : nil
        case .tick(let time): time
        case .gap: nil
        }
    }
}
