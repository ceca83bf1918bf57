import Geometry
import Projections
import Testing

@Suite("Geodesic distance")
struct GeodesicTests {
    // One degree along the equator and along the meridian: 2πa/360, and the meridian arc of WGS 84 from 0° to 1°.
    @Test(
        "Known lines on the ellipsoid",
        arguments: [
            (0.0, 0.0, 0.0, 1.0, 111_319.490_793), (0, 0, 1, 0, 110_574.388_558),
            (0, 179.5, 0, -179.5, 111_319.490_793),
            (-90, 0, 90, 0, 20_003_931.458_625), (33.7554, -84.3736, 33.7554, -84.3736, 0),
        ]
    )
    func known(latitudeA: Double, longitudeA: Double, latitudeB: Double, longitudeB: Double, metres: Double) throws {
        let a = try #require(Coordinate(latitude: latitudeA, longitude: longitudeA))
        let b = try #require(Coordinate(latitude: latitudeB, longitude: longitudeB))
        #expect(abs(Geodesic.distance(a, b) - metres) < 1e-5)
    }

    @Test("The sphere agrees within 0.56 %", arguments: UInt64(0)..<100)
    func sphere(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let a = Coordinate(wrappingLatitude: generator.unit() * 180 - 90, longitude: generator.unit() * 360)
        let b = Coordinate(wrappingLatitude: generator.unit() * 180 - 90, longitude: generator.unit() * 360)
        let exact = Geodesic.distance(a, b)
        #expect(abs(GreatCircle.distance(a, b) - exact) <= 0.0057 * exact)
    }
}
