import Geometry

/// A fix that is believed, with all that the decisions about it need.
struct Observation {
    let fix: Fix
    /// The likeliest position by all fixes so far, its time and its accuracy.
    let anchor: Anchor
    /// All that the position may be.
    let outlook: Outlook
    /// The way from the last clear position, or `nil` when what lies between is unknown.
    let segment: Segment?
    /// How much the way since then may bulge to the side in its middle, as a share of half its length.
    let spread: Double
    /// The time in milliseconds since the believed position before, or `nil` when there is none to compare with.
    let interval: Int64?
    /// Whether nothing was heard for so long that this fix alone decides about open visits.
    let breaksSilence: Bool
    /// Where the device stays, or `nil` while it is on its way or nobody knows.
    let stay: Stay?
    /// The deviation in metres per axis of that place.
    let stayDeviation: Double?
    /// The probability of being inside that makes a candidate.
    let likely: Double
    /// The steady speed in metres per second, or `nil` when unknown.
    let speed: Double?

    var deviation: Double { Inside.deviation(accuracy: anchor.accuracy) }
}

extension Evaluation {
    /// Decides what becomes of a fix whose turn it is.
    mutating func judge(_ fix: Fix) {
        if let outcome = settled(fix) { return conclude(corrected(fix), outcome) }
        evaluate(fix)
    }

    /// The fix at the time it is judged by, knowing how far that was moved.
    func corrected(_ fix: Fix) -> Fix {
        var fix = fix
        let time = judgedTime(of: fix) ?? fix.time
        fix.clockAhead = fix.time &- time
        fix.time = time
        return fix
    }

    /// What becomes of a fix that can decide nothing, whatever else comes; `nil` for one that can.
    mutating func settled(_ fix: Fix) -> FixOutcome? {
        if let rejection = flaw(of: fix) { return .rejected(rejection) }
        guard let time = judgedTime(of: fix) else { return .rejected(.time) }
        let digest = fix.digest
        let isKnown = state.digests.contains(digest) || state.pending.contains { $0.digest == digest }
        if isKnown { return .duplicate }
        // Not remembered either: a flood of such fixes must not push out what is.
        if fix.received - time > options.refusedAge { return .rejected(.old) }
        let isLate = fix.received - time > options.oldestFix || state.last.map { time <= $0.time } ?? false
        guard isLate else { return nil }
        remember(digest)
        return .late
    }

    /// Evaluates a fix that is not ``settled(_:)``.
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
        // NaN is not ≥ 0 either.
        return accuracy >= 0 ? nil : .invalid
    }

    /// The time a fix is judged by: corrected when the device's clock is ahead, or `nil` when it is impossible.
    private func judgedTime(of fix: Fix) -> Int64? {
        let (time, overflow) = fix.time.subtractingReportingOverflow(fix.clockAhead)
        guard !overflow, Fix.times.contains(time) else { return nil }
        return time - fix.received > options.clockTolerance ? fix.received : time
    }

    /// The accuracy to reckon with: widened.
    private mutating func believedAccuracy(_ stated: Double?, at time: Int64) -> Double {
        let accuracy = options.effectiveAccuracy(stated)
        guard let usual = state.usualAccuracy, let last = state.last else {
            state.usualAccuracy = accuracy
            return accuracy
        }
        let kept = Math.exponential(-Double(time - last.time) / 60_000)
        // A single coarse fix must not spoil the measure.
        state.usualAccuracy = usual + max(0.2, 1 - kept) * (min(accuracy, 2 * usual) - usual)
        return accuracy
    }

    private mutating func remember(_ digest: UInt64) {
        state.digests.append(digest)
        let surplus = state.digests.count - options.rememberedFixes
        // In lumps, so that not every fix moves the whole list.
        if surplus > 64 || state.digests.count > DeviceState.mostDigests { state.digests.removeFirst(max(0, surplus)) }
    }

    /// Believes a position and decides about every fence near it.
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
        // What the device measures itself is right at once; else both must have come down, the way covered and the filter.
        state.pace = fix.plausibleSpeed ?? max(state.steadySpeed ?? state.speed ?? 0, track.speed)
        state.last = anchor
        state.isInterrupted = false
        state.suspects = []
        conclude(fix, .accepted)
        visit(observation)
    }

    /// Lets the stay take in a believed position, or begins a new one there when the device has left.
    private mutating func stayed(_ anchor: Anchor, best: Coordinate, isMoving: Bool, restarts: Bool) -> Stay {
        var stay = state.stay ?? Stay(anchor)
        let isKnown = state.stay != nil && !restarts && anchor.time - stay.time < options.trackMemory
        if !isKnown || !stay.take(anchor, best: best, isMoving: isMoving) { stay = Stay(anchor) }
        state.stay = stay
        return stay
    }

    /// Whether the device moved lately, or its fixes are too coarse or too seldom to tell.
    private func isOnTheWay(_ stay: Stay, at time: Int64) -> Bool {
        guard stay.isDense(options) else { return true }
        return state.movedAt.map { time - $0 <= options.wayTime } ?? false
    }

    /// How much a way may bulge: less when it goes on as it was before, more after a turn or another speed.
    private func bulge(of track: Track, to anchor: Anchor) -> Double {
        let seconds = Double(anchor.time - track.time) / 1_000
        let best = track.suppositions[0]
        let mean = (LocalFrame(track.origin).vector(to: anchor.coordinate) - best.position) * (1 / max(1, seconds))
        let change = (mean - best.velocity).length / max(1, max(mean.length, best.velocity.length))
        return options.pathSpread + options.turnSpread * LocalFrame.quantized(min(1, change))
    }

    /// Lets the track take in a believed position, or begins a new one there.
    private mutating func followed(_ anchor: Anchor, restarts: Bool) -> Track {
        let model = TrackModel(options, accuracy: anchor.accuracy, usual: state.usualAccuracy ?? anchor.accuracy)
        // Taken out, so that its array is changed in place.
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
