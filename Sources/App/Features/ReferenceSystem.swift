import Geometry
import Queries
import Web

/// A reference system in which features are answered and boxes and areas are read.
struct ReferenceSystem: Hashable, Sendable {
    /// The name in the OGC's register.
    let uri: String
    /// The name by which PROJ knows it.
    let code: String
    /// Whether its positions begin with latitude or northing.
    let isNorthFirst: Bool
    /// Whether its positions are degrees.
    let isInDegrees: Bool

    private init(_ code: Int, isNorthFirst: Bool = false, isInDegrees: Bool = false) {
        uri = "http://www.opengis.net/def/crs/EPSG/0/\(code)"
        self.code = "EPSG:\(code)"
        self.isNorthFirst = isNorthFirst
        self.isInDegrees = isInDegrees
    }

    private init(uri: String, code: String) {
        (self.uri, self.code, isNorthFirst, isInDegrees) = (uri, code, false, true)
    }

    /// Longitude and latitude on WGS 84, as GeoJSON has them: the system of the store, and of answers unless asked otherwise.
    static let degrees = ReferenceSystem(uri: "http://www.opengis.net/def/crs/OGC/1.3/CRS84", code: "OGC:CRS84")

    /// Latitude and longitude on WGS 84.
    private static let northFirst = ReferenceSystem(4326, isNorthFirst: true, isInDegrees: true)

    /// All systems, in the order in which they are listed: the world, then Europe, Great Britain, France and North America.
    static let all: [ReferenceSystem] = [
        degrees, northFirst, ReferenceSystem(3857),
        ReferenceSystem(4258, isNorthFirst: true, isInDegrees: true), ReferenceSystem(3035, isNorthFirst: true),
        ReferenceSystem(25832), ReferenceSystem(25833), ReferenceSystem(27700), ReferenceSystem(2154),
        ReferenceSystem(4269, isNorthFirst: true, isInDegrees: true), ReferenceSystem(5070),
    ]

    /// Returns positions of coordinates, in the order of the axes; `nil` where the system has none.
    func positions(of points: [Coordinate], by projection: FeatureProjection) throws -> [QueryPlane.Position?] {
        if self == .degrees { return points.map { ($0.longitude, $0.latitude) } }
        if self == .northFirst { return points.map { ($0.latitude, $0.longitude) } }
        return try projection.positions(code, points).map { $0.map(ordered) }
    }

    /// Returns the coordinates of positions, which are in the order of the axes; `nil` where there are none.
    func coordinates(of positions: [QueryPlane.Position], by projection: FeatureProjection) throws -> [Coordinate?] {
        let eastFirst = positions.map(ordered)
        if isInDegrees, self == .degrees || self == .northFirst {
            return eastFirst.map { Coordinate(latitude: $0.second, longitude: $0.first) }
        }
        return try projection.coordinates(code, eastFirst)
    }

    /// Returns a position with east first and the axes' own order exchanged for each other.
    private func ordered(_ position: QueryPlane.Position) -> QueryPlane.Position {
        isNorthFirst ? (position.second, position.first) : position
    }
}

/// Conversions between reference systems, with east before north.
///
/// The composition root makes it from PROJ, whose objects are not for two threads.
struct FeatureProjection: Sendable {
    /// Returns the positions of coordinates in a system that PROJ knows by a name.
    let positions: @Sendable (_ system: String, _ points: [Coordinate]) throws -> [QueryPlane.Position?]
    /// Returns the coordinates of positions.
    let coordinates: @Sendable (_ system: String, _ positions: [QueryPlane.Position]) throws -> [Coordinate?]
}

extension FeatureProjection {
    /// Returns the plane in which a condition gives its positions.
    func plane(of system: ReferenceSystem) -> QueryPlane {
        QueryPlane(isInDegrees: system.isInDegrees) { positions in
            (try? system.coordinates(of: positions, by: self)) ?? positions.map { _ in nil }
        }
    }
}
