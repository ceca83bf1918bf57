import Geometry

/// A point on the unit sphere, for distances without special cases at the poles and the antimeridian.
package struct UnitVector: Sendable {
    /// The component towards the equator at longitude 0.
    package let x: Double
    /// The component towards the equator at longitude 90.
    package let y: Double
    /// The component towards the north pole.
    package let z: Double

    /// Creates the vector of a position in degrees.
    package init(latitude: Double, longitude: Double) {
        let (phi, lambda) = (Math.radians(latitude), Math.radians(longitude))
        x = Math.cosine(phi) * Math.cosine(lambda)
        y = Math.cosine(phi) * Math.sine(lambda)
        z = Math.sine(phi)
    }

    /// The component along axis 0, 1 or 2.
    subscript(axis: Int) -> Double { axis == 0 ? x : axis == 1 ? y : z }

    /// Returns the distance along the sphere in kilometres.
    package func kilometres(to other: UnitVector) -> Double {
        let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
        return Self.kilometres(squaredChord: dx * dx + dy * dy + dz * dz)
    }

    /// Returns the length in kilometres, on a sphere with the mean radius of the earth, of the arc over a chord;
    /// `squaredChord` is its squared length on the unit sphere.
    static func kilometres(squaredChord: Double) -> Double {
        let radius = GreatCircle.earthRadius / 1000
        // For a chord c below 0.2, the series of 2 asin(c / 2) is accurate to a metre.
        guard squaredChord > 0.04 else {
            return radius * squaredChord.squareRoot() * (1 + squaredChord / 24 + squaredChord * squaredChord * 3 / 640)
        }
        return 2 * radius * Math.arcSine(squaredChord.squareRoot() / 2)
    }
}

/// The radius of a settlement around its centre.
package enum SettlementRadius: Sendable {
    /// The maximum radius in kilometres; in this model, a larger population makes such a city denser, not wider.
    package static let largest = 12.0

    /// Returns the radius in kilometres of a disc with 1,000 people per square kilometre, at most ``largest``.
    package static func kilometres(population: Int) -> Double {
        min(largest, (Double(max(0, population)) / 1000 / .pi).squareRoot())
    }
}
