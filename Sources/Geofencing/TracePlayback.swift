/// A trace that is played in pieces, so that a long one can be interrupted or cancelled.
///
/// However the trace is divided, the result equals that of ``FenceEvaluator/run(_:into:fences:)``.
public struct TracePlayback: Sendable {
    private let steps: [(segment: Int, fix: Fix)]
    private var position = 0
    /// The device's state after the part played so far.
    public private(set) var state: DeviceState
    /// The decisions made so far.
    public private(set) var run: FenceRun
    /// Whether everything was played, including the final minute in which everything is decided.
    public private(set) var isFinished = false

    /// Prepares a trace of one or more segments for a device; `recordsSteps` fills ``FenceRun/steps``.
    ///
    /// - Complexity: O(*n* log *n*) for *n* fixes.
    public init(_ trace: [[Fix]], into state: DeviceState = DeviceState(), recordsSteps: Bool = false) {
        self.state = state
        run = FenceRun(recordsSteps: recordsSteps)
        var steps: [(segment: Int, fix: Fix)] = []
        for (segment, fixes) in trace.enumerated() { steps += fixes.map { (segment, $0) } }
        steps.sort { a, b in
            if a.fix.received != b.fix.received { return a.fix.received < b.fix.received }
            if Fix.precedes(a.fix, b.fix) { return true }
            return Fix.precedes(b.fix, a.fix) ? false : a.segment < b.segment
        }
        self.steps = steps
    }

    /// Plays the next fixes, at most `count`; after the last fix of the trace, advances the clock until everything is
    /// decided.
    public mutating func advance(by count: Int, with evaluator: FenceEvaluator, fences: some FenceSource) {
        guard !isFinished else { return }
        let end = position + min(max(0, count), steps.count - position)
        while position < end {
            let step = steps[position]
            if position > 0, steps[position - 1].segment != step.segment {
                evaluator.advance(&state, .gap, fences: fences, into: &run)
            }
            evaluator.advance(&state, .fix(step.fix), fences: fences, into: &run)
            position += 1
        }
        guard position == steps.count else { return }
        let options = evaluator.options
        let latest = Fix.times.upperBound - 60_000
        let last = min(state.clock, latest) + 60_000 + options.reorderHold + options.minimumDwell
        evaluator.advance(&state, .tick(last), fences: fences, into: &run)
        isFinished = true
    }
}
