import Geometry

extension Evaluation {
    /// The start of the segment that ends at an observation, or `nil` when nothing can be said about the way between.
    func segmentStart(_ observation: Observation) -> Anchor? {
        guard options.findsCrossings, options.minimumDwell == 0, let start = observation.previous else { return nil }
        let elapsed = observation.anchor.time - start.time
        guard elapsed > 0, elapsed <= options.longestCrossing else { return nil }
        let length = segmentLength(start, observation)
        guard length <= options.longestSegment else { return nil }
        return length / (Double(elapsed) / 1000) >= options.slowestCrossing ? start : nil
    }

    private func segmentLength(_ start: Anchor, _ observation: Observation) -> Double {
        LocalFrame.quantized(GreatCircle.distance(start.coordinate, observation.anchor.coordinate))
    }

    /// The sight of a fence from the nearest point of the way between two fixes, or `nil` when it was not crossed.
    ///
    /// The way may bulge to the side, most in its middle: the uncertainty is that of a bridge between its ends.
    func crossing(of fence: Fence, _ observation: Observation) -> Sight? {
        guard let start = segmentStart(observation) else { return nil }
        let length = segmentLength(start, observation)
        guard length > options.shortestSegment * fence.radius else { return nil }
        let frame = LocalFrame(fence.coordinate)
        let from = frame.vector(to: start.coordinate)
        let way = frame.vector(to: observation.anchor.coordinate) - from
        let squared = way.dot(way)
        guard squared > 0 else { return nil }
        let share = -from.dot(way) / squared
        guard share > 0, share < 1 else { return nil }
        let distance = LocalFrame.quantized((from + way * share).length)
        let ends = Inside.deviation(accuracy: max(start.accuracy, observation.anchor.accuracy))
        let bulge = observation.spread * length * 2 * (share * (1 - share)).squareRoot()
        let sight = Sight(
            observation,
            distance: distance,
            radius: fence.radius,
            deviation: Math.hypotenuse(ends, bulge)
        )
        return sight.probability >= options.likelyPassed ? sight : nil
    }
}
