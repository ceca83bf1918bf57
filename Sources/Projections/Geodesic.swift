import CProj
public import Geometry

/// Distances on the WGS 84 ellipsoid.
///
/// C. F. F. Karney, "Algorithms for geodesics" (2013), as implemented in PROJ: accurate to a few nanometres.
public enum Geodesic: Sendable {
    /// Returns the length in metres of the shortest line between two coordinates on the ellipsoid.
    public static func distance(_ a: Coordinate, _ b: Coordinate) -> Double {
        var ellipsoid = geod_geodesic()
        geod_init(&ellipsoid, 6_378_137, 1 / 298.257_223_563)
        var distance = 0.0
        geod_inverse(&ellipsoid, a.latitude, a.longitude, b.latitude, b.longitude, &distance, nil, nil)
        return distance
    }
}
