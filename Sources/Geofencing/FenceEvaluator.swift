/// Turns the fixes of one device into entries: it accepts noise, gaps and duplicates, and reports each visit once.
///
/// A pure function of state, event and fences on a virtual clock: the same input gives the same effects, whether live,
/// replayed or simulated. Receipts of fixes and ticks advance the clock; decisions due in between are made as of their
/// own time, so the frequency of ticks does not matter.
public struct FenceEvaluator: Sendable {
    /// The evaluator's parameters.
    public let options: FenceOptions

    /// Creates an evaluator; waiting times in `options` are clamped to 0...1 day.
    public init(options: FenceOptions = FenceOptions()) {
        self.options = options.bounded
    }

    /// Returns the state after an event, and its effects, in order.
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

    /// Advances a state by an event and returns the effects, in order; equivalent to ``step(_:_:fences:)``.
    public func advance(
        _ state: inout DeviceState,
        _ event: FenceEvent,
        fences: some FenceSource
    ) -> [FenceEffect] {
        var evaluation = Evaluation(options: options, fences: fences, state: state)
        // Leaves a single reference, so that its arrays are mutated in place.
        state = DeviceState()
        evaluation.take(event)
        state = evaluation.state
        return evaluation.effects
    }
}
