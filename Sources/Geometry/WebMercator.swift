/// A position on the Web Mercator square in 32-bit fixed point: x from the west, y from the north.
///
/// One unit is 40,075,017 m / 2³² ≈ 9.3 mm at the equator.
public struct MercatorPoint: Hashable, Sendable {
    /// Units east of the antimeridian.
    public let x: UInt32
    /// Units south of the northern edge.
    public let y: UInt32

    /// Creates a point from its units.
    public init(x: UInt32, y: UInt32) {
        self.x = x
        self.y = y
    }

    /// Projects a coordinate; latitudes beyond ±85.0511° are clamped to the square's edge.
    public init(_ coordinate: Coordinate) {
        let size = WebMercator.size
        let fractionX = (coordinate.longitude + 180) / 360
        let sine = Math.sine(Math.radians(coordinate.latitude))
        let clamped = min(0.9999999999, max(-0.9999999999, sine))
        let fractionY = 0.5 - 0.25 * Math.naturalLogarithm((1 + clamped) / (1 - clamped)) / .pi
        self.x = WebMercator.clampedUnit(fractionX * size)
        self.y = WebMercator.clampedUnit(fractionY * size)
    }

    /// The coordinate at the centre of this unit.
    public var coordinate: Coordinate {
        WebMercator.coordinate(x: Double(x) + 0.5, y: Double(y) + 0.5)
    }
}

/// Web Mercator (EPSG:3857) on a square of 2³² units.
public enum WebMercator: Sendable {
    /// Units along one side of the square.
    public static let size = 4_294_967_296.0

    /// The latitude in degrees of the square's edge: atan(sinh π).
    public static let maximumLatitude = 85.0511287798066

    /// Returns the coordinate at a position on the square in units; x is wrapped if it lies outside.
    public static func coordinate(x: Double, y: Double) -> Coordinate {
        let longitude = x / size * 360 - 180
        let latitude = Math.degrees(Math.arcTangent(Math.hyperbolicSine(.pi * (1 - 2 * y / size))))
        return Coordinate(wrappingLatitude: latitude, longitude: longitude)
    }

    /// Returns `value` rounded down and clamped to a 32-bit unit; NaN becomes zero.
    static func clampedUnit(_ value: Double) -> UInt32 {
        guard value > 0 else { return 0 }
        return value >= 4_294_967_295 ? .max : UInt32(value)
    }
}
