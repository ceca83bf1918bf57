/// What happened to a device at one moment of the receiver's clock.
public struct FenceMoment: Hashable, Sendable {
    /// The receiver's clock, milliseconds since 1970.
    public internal(set) var at: Int64
    /// The entries decided then, in order.
    public internal(set) var entries: [FenceEntry]
    /// Whether the clock is still to decide about another place afterwards, so that more may follow soon.
    public internal(set) var isUndecided: Bool
}

/// What several events led to.
public struct FenceRun: Hashable, Sendable {
    /// All effects, in order.
    public private(set) var effects: [FenceEffect] = []
    /// The moments at which something was entered, or at which it changed whether anything is undecided, in order; the
    /// first one is always there.
    public private(set) var moments: [FenceMoment] = []

    /// Creates one of nothing.
    public init() {}

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
    /// Brings a state past events and tells what was decided when.
    ///
    /// The clock stops wherever something falls due, so that the moments do not depend on how often somebody ticks.
    public func advance(
        _ state: inout DeviceState,
        through events: some Sequence<FenceEvent>,
        fences: some FenceSource
    ) -> FenceRun {
        var run = FenceRun()
        advance(&state, through: events, fences: fences, into: &run)
        return run
    }

    /// Brings a state past more events of a run.
    ///
    /// However the events are divided, the run is that of ``advance(_:through:fences:)``.
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
            run.add(advance(&state, .tick(due), fences: fences), state)
        }
        run.add(advance(&state, event, fences: fences), state)
    }
}

extension FenceEvent {
    /// What the receiver's clock shows, or `nil` when the event does not move it.
    fileprivate var clock: Int64? {
        switch self {
        case .fix(let fix): Fix.times.contains(fix.received) ? fix.received : nil
        case .tick(let time): time
        case .gap: nil
        }
    }
}
