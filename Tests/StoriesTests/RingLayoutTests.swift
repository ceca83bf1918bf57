import Geometry
import Stories
import Testing

@Suite("LOC-10 How the rings and parts of areas lie to each other")
struct RingLayoutTests {
    typealias Ring = [(Double, Double)]

    private static func reason(_ areas: [[Ring]], isOne: Bool = false) throws -> String? {
        let corners = areas.map { rings in
            rings.map { ring in ring.map { PlaceShape.Corner(longitude: $0.0, latitude: $0.1) } }
        }
        let shape = try isOne ? PlaceShape(polygon: corners[0]) : PlaceShape(multiPolygon: corners)
        do throws(PlaceShape.Invalid) {
            try shape.checkRings()
            return nil
        } catch {
            return error.description
        }
    }

    private static let square: Ring = [(0, 0), (4, 0), (4, 4), (0, 4), (0, 0)]
    private static let hole: Ring = [(1, 1), (3, 1), (3, 3), (1, 3), (1, 1)]

    /// A square at a corner.
    private static func small(_ west: Double, _ south: Double, _ side: Double = 1) -> Ring {
        [(west, south), (west + side, south), (west + side, south + side), (west, south + side), (west, south)]
    }

    @Test("LOC-07 A hole that leaves its outer ring, or lies outside of it, is refused with its number")
    func holes() throws {
        for (hole, word) in [
            (Self.hole, nil), (Self.hole.reversed(), nil), (Self.small(5, 1), "a hole outside of its outer ring, "),
            (Self.small(-1, -1, 9), "a hole outside of its outer ring, "), (Self.small(3.5, 1), "rings that cross"),
            // It touches the outer ring: in a corner, along a line, and but for rounding.
            ([(0, 0), (2, 1), (1, 2), (0, 0)], nil), (Self.small(3, 1), nil), (Self.small(3.0000001, 1), nil),
        ] as [(Ring, String?)] {
            let reason = try Self.reason([[Self.square, hole]], isOne: true)
            #expect((reason == nil) == (word == nil), "\(hole) \(reason ?? "")")
            if let word { #expect(reason?.contains(word) == true && reason?.contains("coordinates[1]") == true) }
        }
        let crossing = try Self.reason([[Self.square, Self.small(1, 1), Self.small(1.5, 1.5)]], isOne: true)
        #expect(crossing?.contains("coordinates[1]") == true && crossing?.contains("coordinates[2]") == true)
        let second = try Self.reason([[Self.small(9, 9)], [Self.square, Self.small(1, 1), Self.small(6, 1)]])
        #expect(second?.contains("coordinates[1][2];") == true, "\(second ?? "")")
    }

    @Test("LOC-07 Parts that overlap are refused with their numbers; those that touch, or fill a hole, are not")
    func parts() throws {
        for (rings, isRefused) in [
            ([Self.small(5, 5)], false), ([Self.small(4, 0, 4)], false), ([Self.small(4, 4)], false),
            ([Self.hole], true),
            ([Self.square], true), ([Self.small(2, 0, 4)], true), ([Self.small(2, 2, 4)], true),
            ([Self.small(-1, -1, 9)], true), ([Self.square, Self.hole], true), ([Self.small(3.9999999, 0, 4)], false),
        ] as [([Ring], Bool)] {
            for areas in [[[Self.square], rings], [rings, [Self.square]]] {
                let reason = try Self.reason([[Self.small(20, 20)]] + areas)
                #expect((reason != nil) == isRefused, "\(rings) \(reason ?? "")")
                if isRefused { #expect(reason?.contains("[1]") == true && reason?.contains("[2]") == true) }
            }
        }
        #expect(try Self.reason([[Self.square, Self.hole], [Self.hole]]) == nil)
        #expect(try Self.reason([[Self.square, Self.hole], [Self.small(1.5, 1.5)]]) == nil)
        #expect(try Self.reason([[Self.square, Self.hole], [Self.small(2.5, 2.5)]])?.contains("cross") == true)
        // Cut at the antimeridian, as RFC 7946 says.
        #expect(try Self.reason([[Self.small(178, 0, 2)], [Self.small(-180, 0, 2)]]) == nil)
    }

    @Test("LOC-07 A line without a length is refused, also among others")
    func lengths() throws {
        let same = [PlaceShape.Corner(longitude: 1, latitude: 2), PlaceShape.Corner(longitude: 1, latitude: 2)]
        let line = [same[0], PlaceShape.Corner(longitude: 3, latitude: 4)]
        #expect(throws: PlaceShape.Invalid.self) { try PlaceShape(line: same).checkRings() }
        #expect(throws: PlaceShape.Invalid.self) { try PlaceShape(multiLine: [line, same]).checkRings() }
        try PlaceShape(line: same + line).checkRings()
        try PlaceShape(multiLine: [line, line]).checkRings()
        try PlaceShape(multiPoint: same).checkRings()
    }

    @Test(
        "LOC-07 What is refused of rectangles is what their edges say",
        arguments: 1...10 as ClosedRange<UInt64>
    )
    func bruteForce(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        func span() -> ClosedRange<Int> {
            let start = Int.random(in: 0...4, using: &random)
            return start...Int.random(in: start + 1...5, using: &random)
        }
        func ring(_ x: ClosedRange<Int>, _ y: ClosedRange<Int>) -> Ring {
            let (west, east) = (Double(x.lowerBound), Double(x.upperBound))
            let (south, north) = (Double(y.lowerBound), Double(y.upperBound))
            let ring = [(west, south), (east, south), (east, north), (west, north), (west, south)]
            return Bool.random(using: &random) ? ring : ring.reversed()
        }
        func isApart(_ a: ClosedRange<Int>, _ b: ClosedRange<Int>) -> Bool {
            a.upperBound <= b.lowerBound || b.upperBound <= a.lowerBound
        }
        var counts = [0, 0, 0, 0]
        for _ in 0..<500 {
            let (x, y, otherX, otherY) = (span(), span(), span(), span())
            let (first, second) = (ring(x, y), ring(otherX, otherY))
            let overlaps = !isApart(x, otherX) && !isApart(y, otherY)
            let parts = try Self.reason([[first], [second]])
            #expect((parts != nil) == overlaps, "\(first) \(second) \(parts ?? "")")
            let isWithin =
                x.contains(otherX.lowerBound) && x.contains(otherX.upperBound) && y.contains(otherY.lowerBound)
                && y.contains(otherY.upperBound)
            let hole = try Self.reason([[first, second]], isOne: true)
            #expect((hole == nil) == isWithin, "\(first) \(second) \(hole ?? "")")
            counts[overlaps ? 0 : 1] += 1
            counts[isWithin ? 2 : 3] += 1
        }
        #expect(counts.allSatisfy { $0 > 20 }, "\(counts)")
    }

    @Test("REL-10 As many rings as a place may have, all beside each other, take no longer than a moment")
    func cost() throws {
        // Long strips, whose boxes all overlap.
        let strips = (0..<200)
            .map { number -> [Ring] in
                let shift = Double(number) * 0.01
                return [[(shift, 0), (40 + shift, 40), (40 + shift, 40.005), (shift, 0.005), (shift, 0)]]
            }
        let start = ContinuousClock.now
        #expect(try Self.reason(strips) == nil)
        #expect(ContinuousClock.now - start < .seconds(5))
    }
}
