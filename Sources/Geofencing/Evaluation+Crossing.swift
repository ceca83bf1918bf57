import Geometry

extension Evaluation {
    /// Returns the segment from the last clear position to a new one, or `nil` if no crossing may be inferred from it.
    func segment(from start: Anchor?, to end: Anchor) -> Segment? {
        guard options.findsCrossings, options.minimumDwell == 0, let start else { return nil }
        let elapsed = end.time - start.time
        guard elapsed > 0, elapsed <= options.longestCrossing else { return nil }
        let length = LocalFrame.quantized(GreatCircle.distance(start.coordinate, end.coordinate))
        guard length <= options.longestSegment else { return nil }
        guard length / (Double(elapsed) / 1000) >= options.slowestCrossing else { return nil }
        return Segment(start: start, length: length, elapsed: elapsed)
    }

    /// Returns the view of a fence from the nearest point of the segment, or `nil` if the segment did not cross the
    /// fence.
    ///
    /// The real path may deviate sideways, most in the middle: its uncertainty is that of a Brownian bridge between the
    /// two ends of the segment.
    func crossing(of fence: Fence, _ observation: Observation) -> Sight? {
        guard let segment = observation.segment else { return nil }
        let (start, length) = (segment.start, segment.length)
        guard length > options.shortestSegment * fence.radius else { return nil }
        let frame = LocalFrame(fence.coordinate)
        let from = frame.vector(to: start.coordinate)
        let way = frame.vector(to: observation.anchor.coordinate) - from
        let squared = way.dot(way)
        guard squared > 0 else { return nil }
        let share = -from.dot(way) / squared
        guard share > 0, share < 1 else { return nil }
        let distance = LocalFrame.quantized((from + way * share).length)
        // If the device left the fence more than `stalestCrossing` ago, a notification would be too late.
        let half = max(0, fence.radius * fence.radius - distance * distance).squareRoot() / length
        let since = Double(observation.anchor.time - start.time) * (1 - share - half)
        guard since <= Double(options.stalestCrossing) else { return nil }
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

/// The straight path between two positions.
struct Segment {
    let start: Anchor
    /// The length in metres, in steps of 0.01.
    let length: Double
    /// The duration in milliseconds, greater than zero.
    let elapsed: Int64

    /// The mean speed in metres per second.
    var speed: Double { length / (Double(elapsed) / 1_000) }
}
