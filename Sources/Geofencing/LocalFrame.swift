import Geometry

/// A local frame in metres around a place, in Cartesian axes rotated so that the place lies on meridian zero.
///
/// It uses chords instead of a tangent plane, so it needs no special cases at the poles and on the antimeridian, and is
/// within 0.2 mm of the great circle at 5 km. Only differences in longitude matter, so a scene moved along its parallel
/// gives the same numbers.
struct LocalFrame {
    private let sine: Double
    private let cosine: Double
    private let longitude: Double

    init(_ place: Coordinate) {
        let latitude = Math.radians(place.latitude)
        sine = Math.sine(latitude)
        cosine = Math.cosine(latitude)
        longitude = place.longitude
    }

    /// Returns the vector in metres from the place to `coordinate`.
    func vector(to coordinate: Coordinate) -> Vector {
        let latitude = Math.radians(coordinate.latitude)
        let turn = Math.radians(coordinate.longitude - longitude)
        let level = Math.cosine(latitude)
        return Vector(
            x: GreatCircle.earthRadius * (level * Math.cosine(turn) - cosine),
            y: GreatCircle.earthRadius * level * Math.sine(turn),
            z: GreatCircle.earthRadius * (Math.sine(latitude) - sine)
        )
    }

    /// Returns the distance in metres from the place to `coordinate`, in steps of 0.01.
    func distance(to coordinate: Coordinate) -> Double {
        LocalFrame.quantized(vector(to: coordinate).length)
    }

    /// Returns the coordinate at a vector in metres from the place, projected onto the globe.
    func coordinate(_ vector: Vector) -> Coordinate {
        let x = GreatCircle.earthRadius * cosine + vector.x
        let z = GreatCircle.earthRadius * sine + vector.z
        let latitude = Math.arcTangent(y: z, x: (x * x + vector.y * vector.y).squareRoot())
        let turn = Math.arcTangent(y: vector.y, x: x)
        return Coordinate(
            wrappingLatitude: Math.degrees(latitude),
            longitude: longitude + Math.degrees(turn)
        )
    }

    /// Rounds metres to steps of 0.01, so that the last bits of libm never matter.
    static func quantized(_ metres: Double) -> Double { (metres * 100).rounded() / 100 }
}

/// A vector in metres.
struct Vector: Hashable, Sendable {
    let x: Double
    let y: Double
    let z: Double

    static let zero = Vector(x: 0, y: 0, z: 0)

    /// Returns the vector in axes rotated eastward by an angle with this sine and cosine.
    func turned(_ sine: Double, _ cosine: Double) -> Vector {
        Vector(x: x * cosine + y * sine, y: y * cosine - x * sine, z: z)
    }

    var length: Double { dot(self).squareRoot() }

    func dot(_ other: Vector) -> Double { x * other.x + y * other.y + z * other.z }

    static func - (a: Vector, b: Vector) -> Vector { Vector(x: a.x - b.x, y: a.y - b.y, z: a.z - b.z) }

    static func + (a: Vector, b: Vector) -> Vector { Vector(x: a.x + b.x, y: a.y + b.y, z: a.z + b.z) }

    static func * (vector: Vector, factor: Double) -> Vector {
        Vector(x: vector.x * factor, y: vector.y * factor, z: vector.z * factor)
    }
}
