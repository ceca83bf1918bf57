/// Turns the fixes of one device into entries: tolerates noise, gaps and duplicates, and reports each visit once.
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
    /// - Complexity: O(*f* log *f*), where *f* counts the fences within the largest radius of the fix and the open
    /// visits.
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
        // Leaves only one reference to the arrays of the state, so that they are mutated in place.
        state = DeviceState()
        evaluation.take(event)
        state = evaluation.state
        return evaluation.effects
    }
}
