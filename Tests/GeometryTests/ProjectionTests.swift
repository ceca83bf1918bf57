import Geometry
import Testing

@Suite("Web Mercator, Morton order and places")
struct ProjectionTests {
    @Test(
        "Known positions project to known units",
        arguments: [
            (0, 0, 0x8000_0000, 0x8000_0000), (0, -180, 0, 0x8000_0000), (0, 180, .max, 0x8000_0000),
            (85.0511287798066, -180, 0, 0), (90, 0, 0x8000_0000, 0), (-90, 0, 0x8000_0000, .max),
            (66.51326044311186, 90, 0xC000_0000, 0x4000_0000),
        ] as [(Double, Double, UInt32, UInt32)]
    )
    func projection(latitude: Double, longitude: Double, x: UInt32, y: UInt32) throws {
        let point = MercatorPoint(try #require(Coordinate(latitude: latitude, longitude: longitude)))
        #expect(abs(Int64(point.x) - Int64(x)) <= 1 && abs(Int64(point.y) - Int64(y)) <= 1)
    }

    @Test("A round trip moves a position by at most one unit", arguments: UInt64(0)..<10)
    func roundTrip(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<500 {
            let unit = MercatorPoint(morton: generator.next())
            let back = MercatorPoint(unit.coordinate)
            #expect(abs(Int64(unit.x) - Int64(back.x)) <= 1 && abs(Int64(unit.y) - Int64(back.y)) <= 1)
            let point = Coordinate(
                wrappingLatitude: generator.unit() * 170 - 85,
                longitude: generator.unit() * 360 - 180
            )
            #expect(GreatCircle.distance(point, MercatorPoint(point).coordinate) < 0.02)
        }
    }

    @Test("Projection preserves the order of latitudes and longitudes", arguments: UInt64(0)..<10)
    func monotone(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<300 {
            let a = Coordinate(wrappingLatitude: generator.unit() * 180 - 90, longitude: generator.unit() * 360 - 180)
            let b = Coordinate(
                wrappingLatitude: a.latitude + generator.unit() * 1e-6,
                longitude: a.longitude + generator.unit() * 1e-6
            )
            #expect(Int64(MercatorPoint(b).y) <= Int64(MercatorPoint(a).y) + 1)
            if b.longitude >= a.longitude { #expect(MercatorPoint(b).x >= MercatorPoint(a).x) }
        }
    }

    @Test("Morton codes interleave the bits and can be split again", arguments: UInt64(0)..<10)
    func morton(seed: UInt64) {
        #expect(Morton.encode(x: 0b101, y: 0b011) == 0b01_1011)
        #expect(Morton.encode(x: .max, y: 0) == 0x5555_5555_5555_5555)
        #expect(Morton.encode(x: 0, y: .max) == 0xAAAA_AAAA_AAAA_AAAA)
        var generator = SplitMix64(seed: seed)
        for _ in 0..<500 {
            let code = generator.next()
            let (x, y) = Morton.decode(code)
            #expect(Morton.encode(x: x, y: y) == code)
            // The cell of a level is the code without its low bits.
            let level = UInt32.random(in: 1...31, using: &generator)
            let cell = Morton.encode(x: x >> (32 - level), y: y >> (32 - level))
            #expect(code >> UInt64(64 - 2 * level) == cell)
        }
    }

    @Test("A place is the cell of its coordinate, and its text is parsed back to it", arguments: UInt64(0)..<10)
    func places(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<300 {
            let point = Coordinate(
                wrappingLatitude: generator.unit() * 180 - 90,
                longitude: generator.unit() * 360 - 180
            )
            let place = PlaceID(point)
            #expect(PlaceID(place.description) == place && PlaceID(rawValue: place.rawValue) == place)
            #expect(PlaceID(place.coordinate) == place)
            #expect(abs(place.coordinate.latitude - point.latitude) <= 0.500_001e-5)
            #expect(GreatCircle.distance(point, place.coordinate) < 0.8)
        }
    }

    @Test("Both sides of the antimeridian are one place; other texts are rejected")
    func placeEdges() throws {
        let east = try #require(Coordinate(latitude: 10, longitude: 180))
        let west = try #require(Coordinate(latitude: 10, longitude: -180))
        #expect(PlaceID(east) == PlaceID(west))
        #expect(PlaceID(try #require(Coordinate(latitude: 0, longitude: 0))).rawValue == 9_000_000 << 32 | 18_000_000)
        for text in ["", "p", "q1", "p-1", "p+1", "P1", "p01", "p1 ", "pzzzzzzzzzzzzz", "pzzzzzzzzzzzzzzzz", "p1/2"] {
            #expect(PlaceID(text) == nil)
        }
        #expect(PlaceID(rawValue: .max) == nil)
        #expect(PlaceID(rawValue: 36_000_000) == nil)
    }

    @Test("The generator produces the published numbers")
    func generator() {
        // The sequence of seed 1234567, from the reference program of S. Vigna (prng.di.unimi.it/splitmix64.c).
        var generator = SplitMix64(seed: 1_234_567)
        let expected: [UInt64] = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        #expect((0..<3).map { _ in generator.next() } == expected)
        #expect((0..<1_000).allSatisfy { _ in (0..<1).contains(generator.unit()) })
    }
}
