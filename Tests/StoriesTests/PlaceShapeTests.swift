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

    @Test(
        "A role is a short word of small letters",
        arguments: [("born", true), ("spoken_of", true), ("_x", false), ("Born", false), ("", false), ("a b", false)]
    )
    func roles(text: String, isRole: Bool) {
        #expect((PlaceRole(text) != nil) == isRole)
    }
}
