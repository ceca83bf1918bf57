extension FenceEvaluator {
    /// Returns the effects of a whole trace on a device never heard of before; see ``replay(_:into:fences:)``.
    public func evaluate(trace: [[Fix]], fences: some FenceSource) -> [FenceEffect] {
        var state = DeviceState()
        return replay(trace, into: &state, fences: fences)
    }

    /// Plays a trace of one or more segments and returns its effects, in order; see ``run(_:into:fences:)``.
    public func replay(_ trace: [[Fix]], into state: inout DeviceState, fences: some FenceSource) -> [FenceEffect] {
        run(trace, into: &state, fences: fences).effects
    }

    /// Plays a trace of one or more segments and tells what was decided when.
    ///
    /// Fixes are played in the order of receipt, then of time, number and position, whatever order they are given in;
    /// between segments nothing is crossed. Afterwards a minute passes, so that everything is decided.
    public func run(_ trace: [[Fix]], into state: inout DeviceState, fences: some FenceSource) -> FenceRun {
        var playback = TracePlayback(trace, into: state)
        state = DeviceState()
        playback.advance(by: .max, with: self, fences: fences)
        state = playback.state
        return playback.run
    }

    /// Puts a live batch into the order of time, and finds out whether the device's clock is ahead.
    ///
    /// When the newest fix lies further in the future than ``FenceOptions/clockTolerance``, all are moved back by as
    /// much, so that the intervals between them stay; a single fix would be moved to its receipt.
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
