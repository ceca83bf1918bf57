/// Distances and directions on the sphere of mean Earth radius.
public enum GreatCircle: Sendable {
    /// The mean Earth radius in metres: (2a + b) / 3 of WGS 84 (Moritz 2000).
    public static let earthRadius = 6_371_008.8

    /// Returns the distance in metres between two coordinates, by the haversine formula.
    ///
    /// Within 0.56 % of the distance on the ellipsoid.
    public static func distance(_ a: Coordinate, _ b: Coordinate) -> Double {
        let latitudeA = Math.radians(a.latitude)
        let latitudeB = Math.radians(b.latitude)
        let halfLatitude = Math.sine((latitudeB - latitudeA) / 2)
        let halfLongitude = Math.sine(Math.radians(b.longitude - a.longitude) / 2)
        let h =
            halfLatitude * halfLatitude
            + Math.cosine(latitudeA) * Math.cosine(latitudeB) * halfLongitude * halfLongitude
        return 2 * earthRadius * Math.arcSine(min(1, h.squareRoot()))
    }

    /// Returns the initial bearing from `a` to `b` in degrees clockwise from north, 0..<360.
    public static func bearing(from a: Coordinate, to b: Coordinate) -> Double {
        let latitudeA = Math.radians(a.latitude)
        let latitudeB = Math.radians(b.latitude)
        let difference = Math.radians(b.longitude - a.longitude)
        let y = Math.sine(difference) * Math.cosine(latitudeB)
        let x =
            Math.cosine(latitudeA) * Math.sine(latitudeB)
            - Math.sine(latitudeA) * Math.cosine(latitudeB) * Math.cosine(difference)
        let degrees = Math.degrees(Math.arcTangent(y: y, x: x))
        return degrees < 0 ? degrees + 360 : degrees
    }

    /// Returns the coordinate `distance` metres from `start` in the direction `bearing`, degrees clockwise from north.
    public static func destination(from start: Coordinate, bearing: Double, distance: Double) -> Coordinate {
        let angle = distance / earthRadius
        let direction = Math.radians(bearing)
        let latitude = Math.radians(start.latitude)
        let sine =
            Math.sine(latitude) * Math.cosine(angle)
            + Math.cosine(latitude) * Math.sine(angle) * Math.cosine(direction)
        let target = Math.arcSine(sine)
        let east = Math.arcTangent(
            y: Math.sine(direction) * Math.sine(angle) * Math.cosine(latitude),
            x: Math.cosine(angle) - Math.sine(latitude) * sine
        )
        return Coordinate(
            wrappingLatitude: Math.degrees(target),
            longitude: start.longitude + Math.degrees(east)
        )
    }

    /// The length in metres of one degree of latitude on this sphere.
    public static let metresPerDegree = earthRadius * .pi / 180
}
