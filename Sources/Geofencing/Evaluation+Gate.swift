import Geometry

extension Evaluation {
    /// Returns whether a device that was at `last` can be at `anchor` (GPS errors are correlated over about a minute).
    func isPlausible(_ anchor: Anchor, after last: Anchor, speed: Double?) -> Bool {
        let seconds = Double(anchor.time - last.time) / 1000
        let deviation = Inside.deviation(accuracy: max(anchor.accuracy, last.accuracy))
        let drift = (2 * (1 - Math.exponential(-seconds / 60))).squareRoot()
        let slack = 3 * deviation * (drift + 0.35) + 8
        let distance = LocalFrame.quantized(GreatCircle.distance(last.coordinate, anchor.coordinate))
        return distance <= slack + limit(seconds: seconds, speed: speed) * seconds
    }

    /// Returns the speed in metres per second up to which a jump is accepted.
    private func limit(seconds: Double, speed: Double?) -> Double {
        guard seconds <= options.denseInterval, let recent = state.speed else { return options.fastest }
        return min(options.fastest, max(4, 2 * max(recent, speed ?? 0) + 4))
    }

    /// Holds an implausible position until enough others agree with it.
    mutating func suspect(_ fix: Fix, _ anchor: Anchor, breaksSilence: Bool) {
        if let latest = state.suspects.last {
            // Duplicates and late fixes cannot support a suspect.
            guard anchor.time > latest.time else { return conclude(fix, .late) }
            if !isPlausible(anchor, after: latest, speed: fix.plausibleSpeed) { state.suspects = [] }
        }
        state.suspects.append(anchor)
        if let first = state.suspects.first, state.suspects.count >= options.agreeingSuspects,
            anchor.time - first.time >= options.suspectSpan
        {
            moveOver(to: fix, anchor, since: first, breaksSilence: breaksSilence)
            return
        }
        // Older suspects matter only for the span, which the first and the latest define.
        if state.suspects.count > max(3, options.agreeingSuspects) { state.suspects.remove(at: 1) }
        dispute(by: anchor)
        conclude(fix, .suspect)
    }

    /// Accepts a position that enough suspects agree with: the device has left the old position, or that one was wrong,
    /// and the path between them is unknown.
    private mutating func moveOver(to fix: Fix, _ anchor: Anchor, since first: Anchor, breaksSilence: Bool) {
        let seconds = Double(anchor.time - first.time) / 1000
        state.speed = seconds > 0 ? GreatCircle.distance(first.coordinate, anchor.coordinate) / seconds : nil
        state.steadySpeed = state.speed
        state.paceAnchor = anchor
        state.steadyAnchor = anchor
        accept(fix, anchor, previous: nil, breaksSilence: breaksSilence)
    }

    /// Removes the deadlines of candidates that a suspect contradicts: one of the two positions is wrong.
    private mutating func dispute(by suspect: Anchor) {
        let deviation = Inside.deviation(accuracy: suspect.accuracy)
        for (index, place) in state.places.enumerated() where place.phase == .candidate {
            let probability = Inside.probability(
                distance: place.site(outline(of: place)).distance(to: suspect.coordinate),
                radius: place.radius,
                deviation: deviation
            )
            if probability < options.likely { state.places[index].deadline = nil }
        }
    }

    /// Measures the speed: as reported by the device, otherwise over a period of time, so that noise does not count as
    /// motion.
    ///
    /// The recent speed, over at least four seconds, decides which jumps are plausible; the steady speed, over at least
    /// ``FenceOptions/denseInterval``, shows whether the device moves fast.
    mutating func measurePace(_ fix: Fix, _ anchor: Anchor) {
        if let recent = measured(fix, anchor, since: state.paceAnchor, over: 4) {
            let weight = 1 - Math.exponential(-recent.seconds / 15)
            state.speed = state.speed.map { $0 + weight * (recent.speed - $0) } ?? recent.speed
        }
        if let steady = measured(fix, anchor, since: state.steadyAnchor, over: options.denseInterval) {
            state.steadySpeed = steady.speed
        }
        state.paceAnchor = renewed(state.paceAnchor, anchor, over: 4)
        state.steadyAnchor = renewed(state.steadyAnchor, anchor, over: options.denseInterval)
    }

    private func measured(
        _ fix: Fix,
        _ anchor: Anchor,
        since start: Anchor?,
        over least: Double
    ) -> (speed: Double, seconds: Double)? {
        let seconds = start.map { Double(anchor.time - $0.time) / 1000 }
        if let speed = fix.plausibleSpeed { return (speed, seconds ?? least) }
        guard let start, let seconds, seconds >= least, seconds > 0 else { return nil }
        return (GreatCircle.distance(start.coordinate, anchor.coordinate) / seconds, seconds)
    }

    private func renewed(_ start: Anchor?, _ anchor: Anchor, over least: Double) -> Anchor {
        guard let start, Double(anchor.time - start.time) < least * 1000 else { return anchor }
        return start
    }
}
