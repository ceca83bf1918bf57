import Geometry
import Testing

@Suite("Coordinates")
struct CoordinateTests {
    @Test(
        "LOC-07 Numbers outside the globe are rejected",
        arguments: [
            (90.0001, 0), (-90.0001, 0), (0, 180.0001), (0, -180.0001), (Double.nan, 0), (0, Double.nan),
            (Double.infinity, 0), (0, -Double.infinity), (1e308, 0),
        ] as [(Double, Double)]
    )
    func invalid(latitude: Double, longitude: Double) {
        #expect(Coordinate(latitude: latitude, longitude: longitude) == nil)
    }

    @Test("The globe's edges are valid positions", arguments: [(90, 180), (-90, -180), (0, 0)] as [(Double, Double)])
    func valid(latitude: Double, longitude: Double) {
        let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        #expect(coordinate?.latitude == latitude && coordinate?.longitude == longitude)
    }

    @Test("Negative zero is stored as zero")
    func negativeZero() throws {
        let coordinate = try #require(Coordinate(latitude: -0.0, longitude: -0.0))
        #expect(coordinate.latitude.sign == .plus && coordinate.longitude.sign == .plus)
        let wrapped = Coordinate(wrappingLatitude: -0.0, longitude: -0.0)
        #expect(wrapped.latitude.sign == .plus && wrapped.longitude.sign == .plus)
    }

    @Test(
        "Longitudes wrap by whole turns",
        arguments: [
            (0.0, 0.0), (180, 180), (-180, -180), (190, -170), (-190, 170), (540, -180), (-540, 180), (720.5, 0.5),
            (Double.nan, 0), (Double.infinity, 0),
        ] as [(Double, Double)]
    )
    func wrapping(longitude: Double, expected: Double) {
        let wrapped = Coordinate.wrap(longitude: longitude)
        #expect(abs(wrapped) == abs(expected))
        #expect(wrapped == expected || abs(expected) == 180)
    }

    @Test("Wrapping any number gives a valid position", arguments: UInt64(0)..<20)
    func wrappingAnything(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<500 {
            let latitude = Double(bitPattern: generator.next())
            let longitude = Double(bitPattern: generator.next())
            let coordinate = Coordinate(wrappingLatitude: latitude, longitude: longitude)
            #expect(Coordinate(latitude: coordinate.latitude, longitude: coordinate.longitude) == coordinate)
        }
    }
}

@Suite("Great circles")
struct GreatCircleTests {
    /// Distances on the ellipsoid: Vincenty's Australian test line, quarters of equator and meridian, pole to pole.
    @Test(
        "Distances are within 0.56 % of those on the ellipsoid",
        arguments: [
            (-37.951033416666667, 144.424867888888889, -37.652821138888889, 143.926495527777778, 54_972.271),
            (0.0, 0.0, 0.0, 90.0, 10_018_754.171), (0, 0, 90, 0, 10_001_965.729),
            (90, 0, -90, 0, 20_003_931.459), (0, 179.5, 0, -179.5, 111_319.491),
        ] as [(Double, Double, Double, Double, Double)]
    )
    func distances(a: Double, b: Double, c: Double, d: Double, metres: Double) throws {
        let first = try #require(Coordinate(latitude: a, longitude: b))
        let second = try #require(Coordinate(latitude: c, longitude: d))
        #expect(abs(GreatCircle.distance(first, second) - metres) < 0.0056 * metres)
        #expect(GreatCircle.distance(first, second) == GreatCircle.distance(second, first))
        #expect(GreatCircle.distance(first, first) == 0)
    }

    @Test("A destination lies at its distance and bearing", arguments: UInt64(0)..<10)
    func destinations(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let start = Coordinate(
                wrappingLatitude: generator.unit() * 170 - 85,
                longitude: generator.unit() * 360 - 180
            )
            let bearing = generator.unit() * 360
            let distance = Math.power(10, 1 + 5 * generator.unit())
            let end = GreatCircle.destination(from: start, bearing: bearing, distance: distance)
            #expect(abs(GreatCircle.distance(start, end) - distance) < 1e-6 * distance + 1e-3)
            let difference = abs(GreatCircle.bearing(from: start, to: end) - bearing)
            #expect(min(difference, 360 - difference) < 0.01)
        }
    }
}
