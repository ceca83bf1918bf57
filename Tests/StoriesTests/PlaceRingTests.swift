import Geometry
import Stories
import Testing

@Suite("Rings of areas")
struct PlaceRingTests {
    private static func shape(_ rings: [[(Double, Double)]]) throws -> PlaceShape {
        try PlaceShape(polygon: rings.map { ring in ring.map { .init(longitude: $0.0, latitude: $0.1) } })
    }

    private static func reason(_ rings: [[(Double, Double)]]) throws -> String? {
        let shape = try shape(rings)
        do throws(PlaceShape.Invalid) {
            try shape.checkRings()
            return nil
        } catch {
            return error.description
        }
    }

    private static let square = [(0.0, 0.0), (4, 0), (4, 4), (0, 4), (0, 0)]

    @Test("LOC-07 A ring may turn as it likes, repeat a position at once, and have holes")
    func good() throws {
        #expect(try Self.reason([Self.square]) == nil)
        #expect(try Self.reason([Self.square.reversed(), [(1, 1), (2, 1), (2, 2), (1, 1)]]) == nil)
        #expect(try Self.reason([[(0, 0), (2, 0), (4, 0), (4, 0), (4, 4), (0, 0)]]) == nil)
        #expect(try Self.reason([[(0, 0), (9, 0), (9, 8), (6, 8), (6, 2), (2, 2), (2, 8), (0, 8), (0, 0)]]) == nil)
        // A strip of a metre, ten kilometres long.
        #expect(try Self.reason([[(0, 0), (0.1, 0.1), (0.10001, 0.1), (0.00001, 0), (0, 0)]]) == nil)
    }

    @Test(
        "LOC-07 A ring that crosses or touches itself is refused, with the ring and the positions",
        arguments: [
            ([(0, 0), (4, 4), (4, 0), (0, 4), (0, 0)], 0, 2), ([(0, 0), (4, 0), (4, 4), (2, 0), (0, 4), (0, 0)], 0, 3),
            ([(0, 0), (4, 0), (4, 4), (4, 0), (0, 0)], 1, 2), ([(0, 0), (4, 0), (6, 0), (4, 0), (4, 4), (0, 0)], 1, 2),
            ([(0, 0), (2, 2), (4, 4), (4, 0), (2, 2), (0, 4), (0, 0)], 0, 4),
        ] as [([(Double, Double)], Int, Int)]
    )
    func crossing(ring: [(Double, Double)], first: Int, second: Int) throws {
        let reason = try #require(try Self.reason([Self.square, ring]))
        #expect(reason.contains("coordinates[1], the line after position \(first) meets"), "\(reason)")
        #expect(reason.contains("after position \(second),"), "\(reason)")
    }

    @Test(
        "LOC-07 A ring without an area is refused",
        arguments: [
            [(0, 0), (1, 1), (2, 2), (0, 0)], [(5, 5), (5, 5), (5, 5), (5, 5)],
            [(0, 0), (0.1, 0.1), (0.3, 0.3), (0, 0)],
        ] as [[(Double, Double)]]
    )
    func flat(ring: [(Double, Double)]) throws {
        let reason = try #require(try Self.reason([ring]))
        #expect(reason.contains("without an area, coordinates[0]"), "\(reason)")
    }

    /// A point on a small grid, where whole numbers decide exactly.
    private struct Point: Hashable {
        let x: Int
        let y: Int

        static func turn(_ a: Point, _ b: Point, _ c: Point) -> Int {
            ((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)).signum()
        }

        func isOn(_ a: Point, _ b: Point) -> Bool {
            Point.turn(a, b, self) == 0 && min(a.x, b.x)...max(a.x, b.x) ~= x && min(a.y, b.y)...max(a.y, b.y) ~= y
        }
    }

    /// Whether a ring of distinct neighbours is simple, by all pairs of its lines.
    private static func isSimple(_ ring: [Point]) -> Bool {
        let count = ring.count
        for first in 0..<count {
            for second in 0..<first {
                let (a, b, c, d) = (ring[first], ring[(first + 1) % count], ring[second], ring[(second + 1) % count])
                let shared: Set<Point> = Set([a, b]).intersection([c, d])
                let areNeighbours = (second + 1) % count == first || (first + 1) % count == second
                if areNeighbours {
                    // They have their corner in common, and nothing else.
                    if shared.count > 1 { return false }
                    let others = [a, b, c, d].filter { !shared.contains($0) }
                    if others.contains(where: {
                        $0.isOn(a, b) && $0 != a && $0 != b || $0.isOn(c, d) && $0 != c && $0 != d
                    }) {
                        return false
                    }
                } else {
                    let isCrossing =
                        Point.turn(a, b, c) * Point.turn(a, b, d) < 0 && Point.turn(c, d, a) * Point.turn(c, d, b) < 0
                    if isCrossing || c.isOn(a, b) || d.isOn(a, b) || a.isOn(c, d) || b.isOn(c, d) { return false }
                }
            }
        }
        return true
    }

    @Test(
        "LOC-07 What is refused is what a look at all pairs of lines refuses",
        arguments: 1...20 as ClosedRange<UInt64>
    )
    func bruteForce(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var counts = [true: 0, false: 0]
        for _ in 0..<400 {
            let side = Int.random(in: 3...9, using: &random)
            var ring: [Point] = []
            for _ in 0..<Int.random(in: 3...7, using: &random) {
                let point = Point(x: .random(in: 0...side, using: &random), y: .random(in: 0...side, using: &random))
                if point != ring.last, point != ring.first { ring.append(point) }
            }
            guard ring.count >= 3 else { continue }
            let isSimple = Self.isSimple(ring)
            let reason = try Self.reason([(ring + ring.prefix(1)).map { (Double($0.x), Double($0.y)) }])
            #expect((reason == nil) == isSimple, "\(ring) \(reason ?? "")")
            counts[isSimple, default: 0] += 1
        }
        #expect(counts.values.allSatisfy { $0 > 20 }, "\(counts)")
    }
}
