public import Geometry

/// A plane in metres east and north that touches the globe at an anchor, on which synthetic traces are drawn.
public struct Plane: Hashable, Sendable {
    /// The point where the plane touches the globe.
    public let anchor: Coordinate

    /// Creates a plane.
    public init(_ anchor: Coordinate) { self.anchor = anchor }

    /// Returns the coordinate at `x` metres east and `y` metres north of the anchor, preserving distance and direction.
    public func coordinate(_ point: SIMD2<Double>) -> Coordinate {
        let distance = point.length
        guard distance > 0 else { return anchor }
        let bearing = Math.degrees(Math.arcTangent(y: point.x, x: point.y))
        return GreatCircle.destination(from: anchor, bearing: bearing, distance: distance)
    }

    /// Returns the metres east and north of the anchor at which a coordinate lies; the inverse of ``coordinate(_:)``.
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
    /// Returns the next number of a normal distribution with mean 0 and standard deviation 1.
    mutating func normal() -> Double {
        let radius = (-2 * Math.naturalLogarithm(1 - unit())).squareRoot()
        return radius * Math.cosine(2 * .pi * unit())
    }

    /// Returns the next number between two bounds.
    mutating func number(_ low: Double, _ high: Double) -> Double { low + (high - low) * unit() }
}
