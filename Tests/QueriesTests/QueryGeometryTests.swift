import Geometry
import Queries
import Testing

@Suite("Geometries that meet shapes")
struct QueryGeometryTests {
    private typealias Corner = QueryGeometry.Corner

    private static func ring(_ west: Double, _ south: Double, _ east: Double, _ north: Double) -> [Corner] {
        [
            Corner(west, south), Corner(east, south), Corner(east, north), Corner(west, north), Corner(west, south),
        ]
    }

    private static func meets(_ geometry: QueryGeometry, _ shape: QueryShape) -> Bool? {
        var steps = 100_000
        return geometry.meets(shape, steps: &steps)
    }

    @Test("Lines, areas with holes and points meet a box as they should, in both orders")
    func table() throws {
        let frame = QueryGeometry(areas: [[Self.ring(0, 0, 10, 10), Self.ring(2, 2, 8, 8)]])
        let line = QueryGeometry(lines: [[Corner(-5, 5), Corner(1, 5)]])
        let points = QueryGeometry(lines: [[Corner(3, 3)], [Corner(20, 20)]])
        let cases: [(QueryGeometry, [Double], Bool)] = [
            // In the area, in its hole, at the edge of the hole, around it all, beside it.
            (frame, [0.5, 0.5, 1, 1], true), (frame, [3, 3, 4, 4], false), (frame, [7, 7, 8, 8], true),
            (frame, [-1, -1, 11, 11], true), (frame, [10.1, 0, 11, 1], false), (frame, [3, 3, 9, 4], true),
            // Without a corner of the line in the box.
            (line, [-3, 4, -2, 6], true), (line, [-3, 5.1, -2, 6], false), (line, [1, 5, 2, 6], true),
            (points, [2, 2, 3, 3], true), (points, [4, 4, 19, 19], false), (points, [20, 20, 20, 20], true),
        ]
        for (geometry, edges, wanted) in cases {
            let box = try #require(BoundingBox(west: edges[0], south: edges[1], east: edges[2], north: edges[3]))
            #expect(Self.meets(geometry, .box(box)) == wanted, "\(edges)")
            var steps = 100_000
            let other = QueryGeometry(.box(box))
            #expect(other.meets(geometry, steps: &steps) == wanted, "\(edges)")
        }
    }

    @Test("Longitudes beyond 180 are those on the other side of the antimeridian")
    func turns() throws {
        let line = QueryGeometry(lines: [[Corner(179, 0), Corner(182, 0)]])
        for (west, east, wanted) in [(-179.5, -179.0, true), (-178.5, -178.1, true), (-177.9, -177.0, false)] {
            let box = try #require(BoundingBox(west: west, south: -1, east: east, north: 1))
            #expect(Self.meets(line, .box(box)) == wanted)
        }
        let across = try #require(BoundingBox(west: 179.5, south: -1, east: -179.5, north: 1))
        #expect(Self.meets(line, .box(across)) == true)
        let edge = QueryGeometry(lines: [[Corner(-180, 0)]])
        let west = try #require(BoundingBox(west: 170, south: -1, east: 180, north: 1))
        #expect(Self.meets(edge, .box(west)) == true)
    }

    @Test(
        "Random rectangles meet exactly where their boxes touch, and areas hold points as shapes do",
        arguments: UInt64(0)..<4
    )
    func random(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        func box() throws -> BoundingBox {
            let (x, y) = (20 * generator.unit() - 10, 20 * generator.unit() - 10)
            let (width, height) = (6 * generator.unit(), 6 * generator.unit())
            return try #require(BoundingBox(west: x, south: y, east: x + width, north: y + height))
        }
        for _ in 0..<300 {
            let (a, b) = (try box(), try box())
            #expect(Self.meets(QueryGeometry(.box(a)), .box(b)) == a.touches(b))
            var ring: [Coordinate] = []
            for _ in 0..<5 {
                ring.append(
                    Coordinate(wrappingLatitude: 20 * generator.unit() - 10, longitude: 20 * generator.unit() - 10)
                )
            }
            ring.append(ring[0])
            let polygon = QueryShape.polygons([[ring]])
            let point = Coordinate(wrappingLatitude: 20 * generator.unit() - 10, longitude: 20 * generator.unit() - 10)
            let geometry = QueryGeometry(lines: [[Corner(point.longitude, point.latitude)]])
            #expect(Self.meets(geometry, polygon) == polygon.contains(point))
        }
    }

    @Test("What needs more comparisons than are left is not decided")
    func limit() {
        let line = QueryGeometry(lines: [(0..<100).map { Corner(Double($0), Double($0 % 2)) }])
        var steps = 50
        #expect(line.meets(line, steps: &steps) == nil)
    }
}
