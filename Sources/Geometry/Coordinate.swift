/// A position on the WGS 84 ellipsoid, in degrees.
///
/// An existing value is always valid: both numbers finite, latitude in -90...90, longitude in -180...180.
public struct Coordinate: Hashable, Sendable {
    /// Degrees north of the equator, -90...90.
    public let latitude: Double

    /// Degrees east of Greenwich, -180...180.
    public let longitude: Double

    /// Creates a coordinate, or `nil` if a number is not finite or out of range.
    ///
    /// Negative zero is stored as zero, so that equal places have equal bytes.
    public init?(latitude: Double, longitude: Double) {
        guard latitude.isFinite, longitude.isFinite else { return nil }
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        self.latitude = latitude == 0 ? 0 : latitude
        self.longitude = longitude == 0 ? 0 : longitude
    }

    /// Creates a coordinate from any finite numbers: latitude is clamped, longitude wrapped into -180...180.
    ///
    /// Numbers that are not finite become zero. Use it for computed numbers, never for input.
    public init(wrappingLatitude latitude: Double, longitude: Double) {
        let clamped = latitude.isFinite ? min(90, max(-90, latitude)) : 0
        self.latitude = clamped == 0 ? 0 : clamped
        let wrapped = Coordinate.wrap(longitude: longitude)
        self.longitude = wrapped == 0 ? 0 : wrapped
    }

    /// Returns `longitude`, in degrees, shifted by full turns into -180...180; zero if it is not finite.
    public static func wrap(longitude: Double) -> Double {
        guard longitude.isFinite else { return 0 }
        if (-180...180).contains(longitude) { return longitude }
        let turned = (longitude + 180).truncatingRemainder(dividingBy: 360)
        return turned < 0 ? turned + 180 : turned - 180
    }
}

extension Coordinate {
    /// Parses `LATITUDE,LONGITUDE` in degrees; `nil` for anything else or numbers out of range.
    public init?(parsing text: some StringProtocol) {
        let sides = text.split(separator: ",", omittingEmptySubsequences: false)
        guard sides.count == 2, let latitude = DecimalText.number(sides[0].drop { $0 == " " }),
            let longitude = DecimalText.number(sides[1].drop { $0 == " " })
        else { return nil }
        self.init(latitude: latitude, longitude: longitude)
    }
}
