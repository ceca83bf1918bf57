public import Geometry

/// Metres east and north on a plane that touches the globe at an anchor: where made-up traces are drawn.
public struct Plane: Hashable, Sendable {
    /// Where the plane touches.
    public let anchor: Coordinate

    /// Creates a plane.
    public init(_ anchor: Coordinate) { self.anchor = anchor }

    /// The coordinate so many metres east (`x`) and north (`y`) of the anchor: at that distance, in that direction.
    public func coordinate(_ point: SIMD2<Double>) -> Coordinate {
        let distance = point.length
        guard distance > 0 else { return anchor }
        let bearing = Math.degrees(Math.arcTangent(y: point.x, x: point.y))
        return GreatCircle.destination(from: anchor, bearing: bearing, distance: distance)
    }

    /// The metres east and north of the anchor at which a coordinate lies; the inverse of ``coordinate(_:)``.
    public func point(_ coordinate: Coordinate) -> SIMD2<Double> {
        let distance = GreatCircle.distance(anchor, coordinate)
        let bearing = Math.radians(GreatCircle.bearing(from: anchor, to: coordinate))
        return SIMD2(distance * Math.sine(bearing), distance * Math.cosine(bearing))
    }
}

extension SIMD2<Double> {
    var length: Double { (x * x + y * y).squareRoot() }
}

extension SplitMix64 {
    /// The next number of a normal distribution with mean 0 and deviation 1.
    mutating func normal() -> Double {
        let radius = (-2 * Math.naturalLogarithm(1 - unit())).squareRoot()
        return radius * Math.cosine(2 * .pi * unit())
    }

    /// The next number between two bounds.
    mutating func number(_ low: Double, _ high: Double) -> Double { low + (high - low) * unit() }
}
