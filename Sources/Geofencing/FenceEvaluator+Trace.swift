extension FenceEvaluator {
    /// Returns the effects of a whole trace on an unknown device; see ``replay(_:into:fences:)``.
    public func evaluate(trace: [[Fix]], fences: some FenceSource) -> [FenceEffect] {
        var state = DeviceState()
        return replay(trace, into: &state, fences: fences)
    }

    /// Plays a trace of one or more segments and returns its effects, in order; see ``run(_:into:fences:)``.
    public func replay(_ trace: [[Fix]], into state: inout DeviceState, fences: some FenceSource) -> [FenceEffect] {
        run(trace, into: &state, fences: fences).effects
    }

    /// Plays a trace of one or more segments and returns the decisions with their times.
    ///
    /// Fixes are played in order of receipt, then time, sequence number and position, whatever their order in the
    /// input; no crossing is detected between segments. The clock then advances by at least a minute, so that
    /// everything is decided.
    public func run(_ trace: [[Fix]], into state: inout DeviceState, fences: some FenceSource) -> FenceRun {
        var playback = TracePlayback(trace, into: state)
        state = DeviceState()
        playback.advance(by: .max, with: self, fences: fences)
        state = playback.state
        return playback.run
    }

    /// Sorts a live batch by time and determines whether the device's clock is ahead.
    ///
    /// If a fix is further in the future than ``FenceOptions/clockTolerance``, all fixes are moved back by the greatest
    /// lead, which preserves the intervals between them; evaluated one by one, each such fix would be moved to its own
    /// time of receipt.
    public func ordered(batch: [Fix]) -> [Fix] {
        var batch = batch
        let leads = batch.lazy.filter { Fix.times.contains($0.time) && Fix.times.contains($0.received) }
            .map { $0.time - $0.received }
        if let lead = leads.max(), lead > options.clockTolerance {
            for index in batch.indices { batch[index].clockAhead = lead }
        }
        return batch.sorted(by: Fix.precedes)
    }
}
