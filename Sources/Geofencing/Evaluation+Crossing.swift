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
        let end = observation.anchor.coordinate
        let passage =
            fence.outline.map { Passage($0, radius: fence.radius, from: start.coordinate, to: end, length: length) }
            ?? Passage(fence, from: start.coordinate, to: end, length: length)
        guard let passage else { return nil }
        // If the device left the fence more than `stalestCrossing` ago, a notification would be too late.
        let since = Double(observation.anchor.time - start.time) * passage.rest
        guard since <= Double(options.stalestCrossing) else { return nil }
        let share = passage.share
        let ends = Inside.deviation(accuracy: max(start.accuracy, observation.anchor.accuracy))
        let bulge = observation.spread * length * 2 * (share * (1 - share)).squareRoot()
        let sight = Sight(
            observation,
            fence.site,
            distance: passage.distance,
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

/// Where a straight path comes nearest to a place, strictly between its ends.
struct Passage {
    /// The share of the path up to there, 0...1.
    let share: Double
    /// The distance in metres there, in steps of 0.01.
    let distance: Double
    /// The share of the path after the fence was left.
    let rest: Double

    /// The maximum number of steps in which a path is searched for the point nearest to an outline.
    private static let mostSteps = 128.0

    /// Creates the passage of a circle, or `nil` if an end of the path is nearest; `length` is in metres.
    init?(_ fence: Fence, from start: Coordinate, to end: Coordinate, length: Double) {
        let frame = LocalFrame(fence.coordinate)
        let from = frame.vector(to: start)
        let way = frame.vector(to: end) - from
        let squared = way.dot(way)
        guard squared > 0 else { return nil }
        share = -from.dot(way) / squared
        guard share > 0, share < 1 else { return nil }
        distance = LocalFrame.quantized((from + way * share).length)
        let half = max(0, fence.radius * fence.radius - distance * distance).squareRoot() / length
        rest = 1 - share - half
    }

    /// Creates the passage of an outline, or `nil` if the path does not come within the radius, or an end of it is as
    /// near as any point between.
    ///
    /// The path is followed in steps of an eighth of the radius, or longer ones where it is farther away than the radius.
    /// So a path that only touches the edge can be missed, and none that stays outside is taken for a passage.
    init?(_ outline: Outline, radius: Double, from start: Coordinate, to end: Coordinate, length: Double) {
        guard length > 0 else { return nil }
        let count = min(Passage.mostSteps, max(8, (8 * length / radius).rounded(.up)))
        let way = (
            latitude: end.latitude - start.latitude,
            longitude: Coordinate.wrap(longitude: end.longitude - start.longitude)
        )
        var nearest = (distance: Double.infinity, first: 0.0, last: 0.0)
        var left = 0.0
        var step = 0.0
        while step <= count {
            let point = Coordinate(
                wrappingLatitude: start.latitude + way.latitude * step / count,
                longitude: start.longitude + way.longitude * step / count
            )
            let distance = LocalFrame.quantized(outline.distance(to: point))
            guard distance <= radius else {
                step += max(1, ((distance - radius) / length * count).rounded(.down))
                continue
            }
            if distance < nearest.distance { nearest = (distance, step, step) }
            if distance == nearest.distance { nearest.last = step }
            left = step
            step += 1
        }
        guard nearest.distance.isFinite, nearest.first > 0, nearest.last < count else { return nil }
        share = (nearest.first + nearest.last) / 2 / count
        distance = nearest.distance
        rest = 1 - left / count
    }
}
