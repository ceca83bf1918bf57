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
