import Geometry
import Stories
import TestSupport
import Testing

@Suite("Lines and areas of stories")
struct PlaceShapeTests {
    private static func corners(_ numbers: [(Double, Double)]) -> [PlaceShape.Corner] {
        numbers.map { PlaceShape.Corner(longitude: $0.0, latitude: $0.1) }
    }

    @Test("LOC-10 A line is placed at its middle, an area inside it, also with a bay")
    func anchors() throws {
        let line = try PlaceShape(line: PlaceShapeTests.corners([(0, 0), (10, 0), (10, 10)]))
        #expect(line.anchor == Coordinate(wrappingLatitude: 0, longitude: 10))
        // A U: the middle of its box lies in the bay.
        let bay = try PlaceShape(
            polygon: [
                PlaceShapeTests.corners([(0, 0), (9, 0), (9, 8), (6, 8), (6, 2), (2, 2), (2, 8), (0, 8), (0, 0)])
            ]
        )
        #expect(bay.anchor == Coordinate(wrappingLatitude: 4, longitude: 7.5))
        #expect(bay.box == BoundingBox(west: 0, south: 0, east: 9, north: 8))
    }

    @Test("LOC-10 An area across the antimeridian goes on beyond 180 degrees")
    func antimeridian() throws {
        let ring = PlaceShapeTests.corners([(178, -18), (184, -18), (184, -16), (178, -16), (178, -18)])
        let shape = try PlaceShape(polygon: [ring])
        #expect(shape.anchor == Coordinate(wrappingLatitude: -17, longitude: -179))
        #expect(shape.box == BoundingBox(west: 178, south: -18, east: -176, north: -16))
        #expect(shape.lines == [ring])
    }

    @Test(
        "LOC-10 LOC-07 A shape that is open, too short, off the globe or jumps is refused",
        arguments: [
            [(0.0, 0.0), (1, 0), (1, 1), (0, 1)], [(0, 0), (1, 1), (0, 0)], [(0, 0), (1, 0), (1, 91), (0, 0)],
            [(170, 0), (-170, 0), (-170, 1), (170, 0)], [(200, 0), (201, 0), (201, 1), (200, 0)],
            [(-200, 0), (-199, 0), (-199, 1), (-200, 0)],
        ]
    )
    func invalid(ring: [(Double, Double)]) {
        #expect(throws: PlaceShape.Invalid.self) { try PlaceShape(polygon: [PlaceShapeTests.corners(ring)]) }
    }

    @Test("LOC-10 A shape has at most 2,000 positions")
    func limit() throws {
        let many = (0..<2_000).map { (Double($0) / 100, 1.0) }
        _ = try PlaceShape(line: PlaceShapeTests.corners(many))
        #expect(throws: PlaceShape.Invalid.self) { try PlaceShape(line: PlaceShapeTests.corners(many + [(0, 1)])) }
    }

    @Test("LOC-10 A shape of several parts is placed on its first point, its longest line, or inside its largest area")
    func partAnchors() throws {
        let points = try PlaceShape(multiPoint: PlaceShapeTests.corners([(3, 4), (190 - 360, 5)]))
        #expect(points.anchor == Coordinate(wrappingLatitude: 4, longitude: 3) && points.lines.count == 2)
        let lines = [[(0.0, 0.0), (1, 0)], [(20, 10), (24, 10)]].map(PlaceShapeTests.corners)
        #expect(try PlaceShape(multiLine: lines).anchor == Coordinate(wrappingLatitude: 10, longitude: 22))
        // The largest has a hole in its middle; the hole does not make it smaller than the other.
        let small = [PlaceShapeTests.corners([(0, 0), (3, 0), (3, 3), (0, 3), (0, 0)])]
        let large = [
            [(10.0, 10.0), (14, 10), (14, 14), (10, 14), (10, 10)], [(11, 11), (13, 11), (13, 13), (11, 11)],
        ]
        let areas = try PlaceShape(multiPolygon: [small, large.map(PlaceShapeTests.corners)])
        #expect(areas.anchor == Coordinate(wrappingLatitude: 12, longitude: 11) && areas.lines.count == 3)
        #expect([points, areas].allSatisfy(\.hasParts) && areas.cornerCount == 14)
        // Shapes of several parts make no fence, even with one part that would.
        let part = try PlaceShape(multiPolygon: [[PlaceShapeTests.corners([(0, 0), (0.1, 0), (0.1, 0.1), (0, 0)])]])
        #expect([points, areas, part].allSatisfy { $0.outline == nil })
        #expect(areas.box == BoundingBox(west: 0, south: 0, east: 14, north: 14))
    }

    @Test("LOC-10 Parts on both sides of the antimeridian have a box across it, as RFC 7946 cuts areas there")
    func partsAcross() throws {
        let west = [PlaceShapeTests.corners([(178, -18), (180, -18), (180, -16), (178, -18)])]
        let east = [PlaceShapeTests.corners([(-180, -18), (-176, -18), (-180, -16), (-180, -18)])]
        let shape = try PlaceShape(multiPolygon: [west, east])
        #expect(shape.box == BoundingBox(west: 178, south: -18, east: -176, north: -16))
        let alone = try PlaceShape(multiPolygon: [west])
        #expect(alone.box == BoundingBox(west: 178, south: -18, east: 180, north: -16))
    }

    @Test(
        "LOC-10 The box of several parts is the narrowest, tried at the beginning of each",
        arguments: [1, 2, 3] as [UInt64]
    )
    func narrowest(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<2_000 {
            let spans = (0..<Int.random(in: 1...5, using: &generator))
                .map { _ in
                    (
                        west: Int.random(in: -18...18, using: &generator),
                        width: Int.random(in: 0...12, using: &generator)
                    )
                }
            let lines = spans.map { span in
                PlaceShapeTests.corners([(Double(span.west * 10), 0), (Double((span.west + span.width) * 10), 1)])
            }
            let box = try PlaceShape(multiLine: lines).box
            let widths = spans.map { start in
                spans.map { ($0.west - start.west + 72) % 36 + $0.width }.max() ?? 0
            }
            let width = box.east < box.west ? box.east - box.west + 360 : box.east - box.west
            #expect(width == Double(min(36, widths.min() ?? 36) * 10), "\(spans) \(box)")
            // A box around the globe aside, it begins where a part begins.
            #expect(width == 360 || spans.contains { Double($0.west * 10) == box.west }, "\(spans) \(box)")
        }
    }

    @Test("LOC-10 LOC-07 A shape without parts, with a part that alone is invalid, or with too many corners is refused")
    func invalidParts() throws {
        let ring = PlaceShapeTests.corners([(0, 0), (1, 0), (1, 1), (0, 0)])
        let far = PlaceShapeTests.corners([(200, 0)])
        #expect(throws: PlaceShape.Invalid.self) { try PlaceShape(multiPoint: []) }
        #expect(throws: PlaceShape.Invalid.self) { try PlaceShape(multiPoint: far) }
        #expect(throws: PlaceShape.Invalid.self) { try PlaceShape(multiLine: []) }
        #expect(throws: PlaceShape.Invalid.self) { try PlaceShape(multiLine: [ring, far]) }
        #expect(throws: PlaceShape.Invalid.self) { try PlaceShape(multiPolygon: []) }
        #expect(throws: PlaceShape.Invalid.self) { try PlaceShape(multiPolygon: [[]]) }
        #expect(throws: PlaceShape.Invalid.self) { try PlaceShape(multiPolygon: [[ring], [Array(ring.dropLast())]]) }
        // 500 rings of four corners, and one more.
        let many = Array(repeating: [ring], count: 500)
        #expect(try PlaceShape(multiPolygon: many).cornerCount == 2_000)
        #expect(throws: PlaceShape.Invalid.self) { try PlaceShape(multiPolygon: many + [[ring]]) }
        #expect(throws: PlaceShape.Invalid.self) { try PlaceShape(multiLine: Array(repeating: ring, count: 501)) }
    }

    @Test(
        "A role is a short word of small letters",
        arguments: [("born", true), ("spoken_of", true), ("_x", false), ("Born", false), ("", false), ("a b", false)]
    )
    func roles(text: String, isRole: Bool) {
        #expect((PlaceRole(text) != nil) == isRole)
    }
}
