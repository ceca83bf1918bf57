public import Geometry

/// A route without times, such as one drawn on a map, that somebody follows at an even speed.
public struct DrawnRoute: Hashable, Sendable {
    /// The accepted speeds, in metres per second.
    public static let speeds = 0.1...60.0
    /// The accepted intervals between two reports, in seconds.
    public static let intervals = 1.0...600.0

    private let points: [Coordinate]
    /// The distance of each point from the start along the route, in metres.
    private let distances: [Double]
    private let speed: Double
    private let interval: Double

    /// Creates a route; values outside ``speeds`` and ``intervals`` are clamped.
    ///
    /// - Complexity: O(points).
    public init(_ points: [Coordinate], speed: Double, interval: Double) {
        self.points = points
        self.speed = min(DrawnRoute.speeds.upperBound, max(DrawnRoute.speeds.lowerBound, speed))
        self.interval = min(DrawnRoute.intervals.upperBound, max(DrawnRoute.intervals.lowerBound, interval))
        var distances: [Double] = []
        distances.reserveCapacity(points.count)
        for (index, point) in points.enumerated() {
            let before = index == 0 ? 0 : GreatCircle.distance(points[index - 1], point)
            distances.append((distances.last ?? 0) + before)
        }
        self.distances = distances
    }

    /// The number of fixes in ``fixes(from:)``: one per interval, and one at the end of the route.
    public var fixCount: Int {
        guard points.count > 1, let length = distances.last, length > 0 else { return points.isEmpty ? 0 : 1 }
        let count = (length / (speed * interval)).rounded(.up)
        // No route on Earth has as many; a list of points could go around it again and again.
        return count < 1e9 ? Int(count) + 1 : 1_000_000_000
    }

    /// Returns the fixes of a device that reports on the way, exact to five metres, from `start` on, in milliseconds
    /// since 1970.
    ///
    /// - Complexity: O(points + fixes).
    public func fixes(from start: Int64) -> [Fix] {
        let count = fixCount
        guard count > 0, let length = distances.last else { return [] }
        var leg = 0
        return (0..<count)
            .map { number in
                let way = min(length, Double(number) * interval * speed)
                while leg + 2 < points.count, distances[leg + 1] < way { leg += 1 }
                return Fix(
                    time: start + Int64((way / speed * 1_000).rounded()),
                    coordinate: position(at: way, onLegFrom: leg),
                    accuracy: 5,
                    isSimulated: true
                )
            }
    }

    private func position(at way: Double, onLegFrom index: Int) -> Coordinate {
        guard index + 1 < points.count else { return points[index] }
        let rest = way - distances[index]
        guard rest > 0 else { return points[index] }
        guard way < distances[index + 1] else { return points[index + 1] }
        let bearing = GreatCircle.bearing(from: points[index], to: points[index + 1])
        return GreatCircle.destination(from: points[index], bearing: bearing, distance: rest)
    }
}
