import Geometry

/// An accepted fix with all data that the decisions about it need.
struct Observation {
    let fix: Fix
    /// The best estimate of the position from all fixes so far, with its time and accuracy.
    let anchor: Anchor
    /// All hypotheses about the position.
    let outlook: Outlook
    /// The segment from the last clear position, or `nil` if no crossing may be inferred from it.
    let segment: Segment?
    /// The standard deviation of the path's sideways offset in the middle of the segment, as a fraction of its length.
    let spread: Double
    /// The time in milliseconds since the previous accepted position, or `nil` if there is none to compare with.
    let interval: Int64?
    /// Whether the silence before the fix was so long that this fix alone decides about open visits.
    let breaksSilence: Bool
    /// The device's stay, or `nil` while it is moving or this is unknown.
    let stay: Stay?
    /// The standard deviation of the stay's position in metres per axis.
    let stayDeviation: Double?
    /// The minimum probability of being inside for a place to become a candidate.
    let likely: Double
    /// The steady speed in metres per second, or `nil` if unknown.
    let speed: Double?

    var deviation: Double { Inside.deviation(accuracy: anchor.accuracy) }
}

extension Evaluation {
    /// Evaluates a fix that was held back for reordering.
    mutating func judge(_ fix: Fix) {
        if let outcome = settled(fix) { return conclude(corrected(fix), outcome) }
        evaluate(fix)
    }

    /// Returns the fix with its corrected time and the amount of the correction.
    func corrected(_ fix: Fix) -> Fix {
        var fix = fix
        let time = judgedTime(of: fix) ?? fix.time
        fix.clockAhead = fix.time &- time
        fix.time = time
        return fix
    }

    /// Returns the outcome of a fix that cannot affect any decision, whatever fixes follow; `nil` for a fix that can.
    mutating func settled(_ fix: Fix) -> FixOutcome? {
        if let rejection = flaw(of: fix) { return .rejected(rejection) }
        guard let time = judgedTime(of: fix) else { return .rejected(.time) }
        let digest = fix.digest
        let isKnown = state.digests.contains(digest) || state.pending.contains { $0.digest == digest }
        if isKnown { return .duplicate }
        // The digest is not stored: a flood of such fixes must not evict the digests of valid ones.
        if fix.received - time > options.refusedAge { return .rejected(.old) }
        let isLate = fix.received - time > options.oldestFix || state.last.map { time <= $0.time } ?? false
        guard isLate else { return nil }
        remember(digest)
        return .late
    }

    /// Evaluates a fix for which ``settled(_:)`` returned `nil`.
    mutating func evaluate(_ fix: Fix) {
        remember(fix.digest)
        let fix = corrected(fix)
        let time = fix.time
        let breaksSilence = state.heard.map { time - $0 > options.silence } ?? false
        state.heard = max(state.heard ?? 0, time)
        let stated = fix.accuracy.flatMap { $0 == 0 ? nil : $0 }
        if let stated, stated > options.coarsestAccuracy { return conclude(fix, .rejected(.accuracy)) }
        let anchor = Anchor(
            time: time,
            coordinate: fix.coordinate,
            accuracy: believedAccuracy(stated, at: time),
            isSimulated: fix.isSimulated
        )
        guard let last = state.last, !isPlausible(anchor, after: last, speed: fix.plausibleSpeed) else {
            return accept(fix, anchor, previous: state.last, breaksSilence: breaksSilence)
        }
        suspect(fix, anchor, breaksSilence: breaksSilence)
    }

    private func flaw(of fix: Fix) -> FixRejection? {
        if fix.coordinate.latitude == 0, fix.coordinate.longitude == 0 { return .zero }
        guard let accuracy = fix.accuracy else { return nil }
        // NaN fails this comparison too.
        return accuracy >= 0 ? nil : .invalid
    }

    /// Returns the time used to evaluate a fix, corrected if the device's clock is ahead; `nil` if the time is
    /// impossible.
    private func judgedTime(of fix: Fix) -> Int64? {
        let (time, overflow) = fix.time.subtractingReportingOverflow(fix.clockAhead)
        guard !overflow, Fix.times.contains(time) else { return nil }
        return time - fix.received > options.clockTolerance ? fix.received : time
    }

    /// Returns the accuracy in metres used in calculations, after inflation, and updates the device's usual accuracy.
    private mutating func believedAccuracy(_ stated: Double?, at time: Int64) -> Double {
        let accuracy = options.effectiveAccuracy(stated)
        guard let usual = state.usualAccuracy, let last = state.last else {
            state.usualAccuracy = accuracy
            return accuracy
        }
        let kept = Math.exponential(-Double(time - last.time) / 60_000)
        // A single coarse fix must not distort the average.
        state.usualAccuracy = usual + max(0.2, 1 - kept) * (min(accuracy, 2 * usual) - usual)
        return accuracy
    }

    private mutating func remember(_ digest: UInt64) {
        state.digests.append(digest)
        let surplus = state.digests.count - options.rememberedFixes
        // Digests are removed in batches, so that not every fix shifts the whole list.
        if surplus > 64 || state.digests.count > DeviceState.mostDigests { state.digests.removeFirst(max(0, surplus)) }
    }

    /// Accepts a position and decides about every fence near it.
    mutating func accept(_ fix: Fix, _ anchor: Anchor, previous: Anchor?, breaksSilence: Bool) {
        let steady = state.steadySpeed
        measurePace(fix, anchor)
        let start = state.clear
        var spread = options.pathSpread
        if let track = state.track { spread = bulge(of: track, to: anchor) }
        let track = followed(anchor, restarts: previous == nil)
        let best = track.best(leastDeviation: options.leastDeviation, isSimulated: anchor.isSimulated)
        if track.isMoving { state.movedAt = anchor.time }
        let stay = stayed(anchor, best: best.anchor.coordinate, isMoving: track.isMoving, restarts: previous == nil)
        let observation = Observation(
            fix: fix,
            anchor: best.anchor,
            outlook: Outlook(track, leastDeviation: options.leastDeviation),
            segment: state.isInterrupted || previous == nil ? nil : segment(from: start, to: best.anchor),
            spread: spread,
            interval: previous.map { anchor.time - $0.time },
            breaksSilence: breaksSilence,
            stay: stay.isSettled(options) ? stay : nil,
            stayDeviation: stay.isSettled(options) ? stay.deviation(options) : nil,
            likely: stay.isSettled(options) || !isOnTheWay(stay, at: anchor.time) ? options.certain : options.likely,
            speed: fix.plausibleSpeed ?? steady.flatMap { before in state.steadySpeed.map { min(before, $0) } }
        )
        if best.isClear { state.clear = best.anchor }
        // A speed measured by the device counts at once; otherwise, the greater of the path's and the filter's speed
        // counts.
        state.pace = fix.plausibleSpeed ?? max(state.steadySpeed ?? state.speed ?? 0, track.speed)
        state.last = anchor
        state.isInterrupted = false
        state.suspects = []
        conclude(fix, .accepted)
        visit(observation)
    }

    /// Extends the stay by an accepted position, or begins a new one there if the device has left.
    private mutating func stayed(_ anchor: Anchor, best: Coordinate, isMoving: Bool, restarts: Bool) -> Stay {
        var stay = state.stay ?? Stay(anchor)
        let isKnown = state.stay != nil && !restarts && anchor.time - stay.time < options.trackMemory
        if !isKnown || !stay.take(anchor, best: best, isMoving: isMoving) { stay = Stay(anchor) }
        state.stay = stay
        return stay
    }

    /// Returns whether the device moved recently, or its fixes are too coarse or too sparse to tell.
    private func isOnTheWay(_ stay: Stay, at time: Int64) -> Bool {
        guard stay.isDense(options) else { return true }
        return state.movedAt.map { time - $0 <= options.wayTime } ?? false
    }

    /// Returns the ``Observation/spread`` of a path: smaller if it continues as before, greater after a turn or a
    /// change of speed.
    private func bulge(of track: Track, to anchor: Anchor) -> Double {
        let seconds = Double(anchor.time - track.time) / 1_000
        let best = track.suppositions[0]
        let mean = (LocalFrame(track.origin).vector(to: anchor.coordinate) - best.position) * (1 / max(1, seconds))
        let change = (mean - best.velocity).length / max(1, max(mean.length, best.velocity.length))
        return options.pathSpread + options.turnSpread * LocalFrame.quantized(min(1, change))
    }

    /// Updates the track with an accepted position, or starts a new one there.
    private mutating func followed(_ anchor: Anchor, restarts: Bool) -> Track {
        let model = TrackModel(options, accuracy: anchor.accuracy, usual: state.usualAccuracy ?? anchor.accuracy)
        // The track is moved out of the state, so that its array is mutated in place.
        let known = state.track
        state.track = nil
        guard var track = known, !restarts, anchor.time - track.time < options.trackMemory else {
            let track = Track(anchor.coordinate, at: anchor.time, model)
            state.track = track
            return track
        }
        track.update(anchor.coordinate, at: anchor.time, model)
        state.track = track
        return track
    }
}
