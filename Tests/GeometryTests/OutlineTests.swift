import Geometry
import Testing

/// Distances to lines and areas, found the obvious way: along every edge, and by the triangles of a star.
private struct Star {
    /// The corners as seen from the centre, in degrees, in the order of their angles.
    let corners: [SIMD2<Double>]
    let center: SIMD2<Double>

    /// A star whose corners are at most `reach` metres north or south of its centre, and as far east or west.
    init(_ center: SIMD2<Double>, reach: Double, count: Int, using random: inout SplitMix64) {
        self.center = center
        let height = reach / GreatCircle.metresPerDegree
        let width = height / Math.cosine(Math.radians(center.y))
        corners = (0..<count)
            .map { number in
                let angle = 2 * Double.pi * (Double(number) + 0.8 * random.unit()) / Double(count)
                let far = 0.2 + 0.8 * random.unit()
                return center + SIMD2(width * Math.cosine(angle), height * Math.sine(angle)) * far
            }
    }

    private init(_ corners: [SIMD2<Double>], _ center: SIMD2<Double>) {
        self.corners = corners
        self.center = center
    }

    func scaled(_ factor: Double) -> Star { Star(corners.map { center + ($0 - center) * factor }, center) }

    var ring: [SIMD2<Double>] { corners + corners.prefix(1) }

    /// Whether a place lies in a triangle of the centre and two neighbouring corners.
    func contains(_ place: SIMD2<Double>) -> Bool {
        func side(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Double {
            (b.x - a.x) * (place.y - a.y) - (b.y - a.y) * (place.x - a.x)
        }
        return zip(ring, ring.dropFirst())
            .contains { side(center, $0) >= 0 && side($0, $1) >= 0 && side($1, center) >= 0 }
    }
}

@Suite("Distances to lines and areas")
struct OutlineTests {
    private static func coordinate(_ place: SIMD2<Double>) -> Coordinate {
        Coordinate(wrappingLatitude: place.y, longitude: place.x)
    }

    /// The distance to the nearest point of an edge, by halving the part in which it lies.
    private static func distance(_ position: Coordinate, _ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Double {
        func at(_ share: Double) -> Double { GreatCircle.distance(position, coordinate(a + (b - a) * share)) }
        let step = 1 / 16.0
        let best = (0...16).min { at(Double($0) * step) < at(Double($1) * step) } ?? 0
        var (low, high) = (max(0, Double(best - 1) * step), min(1, Double(best + 1) * step))
        for _ in 0..<36 {
            let (first, second) = (low + (high - low) / 3, high - (high - low) / 3)
            if at(first) < at(second) { high = second } else { low = first }
        }
        return min(at((low + high) / 2), at(0), at(1))
    }

    private static func distance(_ position: Coordinate, _ lines: [[SIMD2<Double>]]) -> Double {
        lines.flatMap { zip($0, $0.dropFirst()) }.map { distance(position, $0, $1) }.min() ?? .infinity
    }

    /// A square of 0.02 degrees with a hole of 0.01 degrees in its middle.
    private static let square = [
        [SIMD2(-0.01, -0.01), SIMD2(0.01, -0.01), SIMD2(0.01, 0.01), SIMD2(-0.01, 0.01), SIMD2(-0.01, -0.01)],
        [
            SIMD2(-0.005, -0.005), SIMD2(0.005, -0.005), SIMD2(0.005, 0.005), SIMD2(-0.005, 0.005),
            SIMD2(-0.005, -0.005),
        ],
    ]

    @Test(
        "LOC-10 The distance to an area is zero inside, and to its edge outside and in a hole",
        arguments: [
            (0.0, 0.0, 0.005), (0.004, 0, 0.001), (0.0075, 0, 0), (0, -0.0075, 0), (0.0099, 0.0099, 0), (0.01, 0.01, 0),
            (0.012, 0, 0.002), (0, 0.03, 0.02), (-0.013, -0.014, 0.005), (0.013, 0.014, 0.005), (0.005, 0, 0),
        ]
    )
    func area(east: Double, north: Double, degrees: Double) throws {
        // The same on both sides of the antimeridian, and of Greenwich.
        for middle in [-84.0, 0, 179.995, 180, -179.995] {
            let west = middle < -179 ? middle + 360 : middle
            let lines = OutlineTests.square.map { $0.map { $0 + SIMD2(west, 0) } }
            let outline = try #require(Outline(lines: lines, isArea: true))
            let position = Coordinate(wrappingLatitude: north, longitude: middle + east)
            #expect(abs(outline.distance(to: position) - degrees * GreatCircle.metresPerDegree) < 0.05)
            // Rounding decides about the edge itself.
            if abs(east) != 0.01 {
                #expect(outline.box.contains(position) == (abs(east) < 0.01 && abs(north) < 0.01))
            }
            // Without the hole and the inside it is a line.
            let line = try #require(Outline(lines: [lines[0]], isArea: false))
            #expect(abs(line.distance(to: position) - OutlineTests.distance(position, [lines[0]])) < 0.05)
        }
    }

    @Test(
        "LOC-10 Distances match a search along every edge, with holes and beyond 180 degrees",
        arguments: UInt64(0)..<40
    )
    func bruteForce(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let latitude = [0.0, 33.7, -46, 61, -80, 84.9][Int(seed) % 6]
        let longitude = [-84.3, 0, 179.999, 180, -179.98][Int(seed) % 5]
        let reach = [60.0, 800, 4_000][Int(seed) % 3]
        let middle = SIMD2(longitude < -179 ? longitude + 360 : longitude, latitude * 0.99)
        let outer = Star(middle, reach: reach, count: Int.random(in: 5...90, using: &random), using: &random)
        let hole = outer.scaled(0.3 + 0.4 * random.unit())
        let isArea = seed % 4 != 3
        let rings = isArea ? [outer.ring, hole.ring] : [outer.corners]
        let outline = try #require(Outline(lines: rings, isArea: isArea))
        for number in 0..<24 {
            let far = (number % 2 == 0 ? 0.6 : 2) * reach / GreatCircle.metresPerDegree
            let offset = SIMD2(2 * random.unit() - 1, 2 * random.unit() - 1) * far
            let place = middle + SIMD2(offset.x / Math.cosine(Math.radians(middle.y)), offset.y)
            let position = OutlineTests.coordinate(place)
            let isInside = isArea && outer.contains(place) && !hole.contains(place)
            let expected = isInside ? 0 : OutlineTests.distance(position, rings)
            let found = outline.distance(to: position)
            let tolerance = 0.1 + 0.001 * max(0, expected - 5_000)
            #expect(abs(found - expected) < tolerance, "\(found) instead of \(expected)")
            // A fence never begins where its box does not reach.
            #expect(outline.box.expanded(byMetres: found * 1.01 + 1).contains(position))
        }
    }

    @Test("Distances of many kilometres are within a hundredth", arguments: UInt64(0)..<12)
    func far(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let middle = SIMD2(20.0, [0.0, 33, -58, 70, 80, -84][Int(seed) % 6])
        let star = Star(middle, reach: 12_000, count: 40, using: &random)
        let outline = try #require(Outline(lines: [star.ring], isArea: true))
        for _ in 0..<12 {
            let bearing = 360 * random.unit()
            let position = GreatCircle.destination(
                from: OutlineTests.coordinate(middle),
                bearing: bearing,
                distance: 20_000 + 70_000 * random.unit()
            )
            let expected = OutlineTests.distance(position, [star.ring])
            #expect(abs(outline.distance(to: position) - expected) < 0.01 * expected)
        }
    }

    @Test("What several outlines have in common is as far away as the farthest of them")
    func common() throws {
        let first = try #require(Outline(lines: [OutlineTests.square[0]], isArea: true))
        let second = try #require(Outline(lines: [OutlineTests.square[0].map { $0 + SIMD2(0.01, 0) }], isArea: true))
        let both = try #require(Outline.common(to: [first, second, first]))
        for east in [-0.02, -0.005, 0.005, 0.015, 0.03] {
            let position = Coordinate(wrappingLatitude: 0, longitude: east)
            let expected = max(first.distance(to: position), second.distance(to: position))
            #expect(both.distance(to: position) == expected)
        }
        #expect(both.cornerCount == 10 && Outline.common(to: [first]) == first && Outline.common(to: []) == nil)
        #expect(first != second && Outline.common(to: [second, first]) != first)
    }

    @Test(
        "LOC-10 An outline is at most 200 km wide and high, and not at a pole",
        arguments: [
            (0.0, 1.79, 1.79, true), (0, 1.81, 0.1, false), (0, 0.1, 1.81, false), (60, 3.5, 1, true),
            (60, 3.7, 1, false),
            (-62, 3.5, 1, true), (84.5, 1, 0.4, true), (84.5, 1, 0.6, false), (-85.2, 1, 0.1, false),
            (-0.5, 1.81, 1, false),
        ]
    )
    func limits(south: Double, width: Double, height: Double, fits: Bool) {
        let lines = [[SIMD2(179, south), SIMD2(179 + width, south + height)]]
        #expect((Outline(lines: lines, isArea: false) != nil) == fits)
    }

    @Test("No outline is made of too little, or of numbers that are none")
    func invalid() {
        #expect(Outline(lines: [], isArea: true) == nil)
        #expect(Outline(lines: [[SIMD2(1, 1)]], isArea: false) == nil)
        for number in [Double.nan, .infinity, -.infinity, 541] {
            #expect(Outline(lines: [[SIMD2(1, 1), SIMD2(number, 1)]], isArea: false) == nil)
            #expect(Outline(lines: [[SIMD2(1, number), SIMD2(1, 1)]], isArea: false) == nil)
        }
        // All corners in one place are as a point.
        let point = Outline(lines: [[SIMD2(1, 1), SIMD2(1, 1)]], isArea: true)
        #expect(point?.distance(to: Coordinate(wrappingLatitude: 1, longitude: 1)) == 0)
    }

    @Test("Boxes touch if they have a point in common, also across the antimeridian", arguments: UInt64(0)..<20)
    func boxes(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let boxes = try (0..<2)
                .map { _ in
                    let (west, south) = (360 * random.unit() - 180, 180 * random.unit() - 90)
                    let width = random.unit() < 0.1 ? 359.9 * random.unit() : 40 * random.unit()
                    return try #require(
                        BoundingBox(
                            west: west,
                            south: south,
                            east: Coordinate.wrap(longitude: west + width),
                            north: min(90, south + 60 * random.unit())
                        )
                    )
                }
            let (a, b) = (boxes[0], boxes[1])
            let isTouching = a.parts.contains { first in
                b.parts.contains { second in
                    first.west <= second.east && second.west <= first.east && first.south <= second.north
                        && second.south <= first.north
                }
            }
            #expect(a.touches(b) == isTouching && b.touches(a) == isTouching)
        }
        let east = try #require(BoundingBox(west: 170, south: 0, east: 180, north: 1))
        let west = try #require(BoundingBox(west: -180, south: 1, east: -170, north: 2))
        #expect(east.touches(west) && west.touches(east) && BoundingBox.world.touches(east))
    }
}
