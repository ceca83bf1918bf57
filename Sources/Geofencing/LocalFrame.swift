import Geometry

/// Metres around a place, in the Cartesian axes of the globe turned so that the place lies on meridian zero.
///
/// Chords instead of a tangent plane: the same at the poles and on the antimeridian, and within 0.2 mm of the great
/// circle at 5 km. Only differences of longitude enter, so a scene moved along its parallel gives the same numbers.
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

    /// The vector in metres from the place to `coordinate`.
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

    /// The distance in metres from the place to `coordinate`, in steps of 0.01.
    func distance(to coordinate: Coordinate) -> Double {
        LocalFrame.quantized(vector(to: coordinate).length)
    }

    /// Metres in steps of 0.01, so that the last bits of libm never decide.
    static func quantized(_ metres: Double) -> Double { (metres * 100).rounded() / 100 }
}

/// A vector in metres.
struct Vector {
    let x: Double
    let y: Double
    let z: Double

    var length: Double { dot(self).squareRoot() }

    func dot(_ other: Vector) -> Double { x * other.x + y * other.y + z * other.z }

    static func - (a: Vector, b: Vector) -> Vector { Vector(x: a.x - b.x, y: a.y - b.y, z: a.z - b.z) }

    static func + (a: Vector, b: Vector) -> Vector { Vector(x: a.x + b.x, y: a.y + b.y, z: a.z + b.z) }

    static func * (vector: Vector, factor: Double) -> Vector {
        Vector(x: vector.x * factor, y: vector.y * factor, z: vector.z * factor)
    }
}
