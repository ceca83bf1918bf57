import Geometry
import Testing

@Suite("Bounding boxes")
struct BoundingBoxTests {
    @Test(
        "MAP-02 A valid box is parsed",
        arguments: [
            ("-9.6,36.9,3.4,43.8", [-9.6, 36.9, 3.4, 43.8]), ("170,-20,-170,-10", [170, -20, -170, -10]),
            ("-180,-90,180,90", [-180, -90, 180, 90]), ("1, 2, 3, 4", [1, 2, 3, 4]), ("1,2,1,2", [1, 2, 1, 2]),
        ] as [(String, [Double])]
    )
    func parsing(text: String, edges: [Double]) throws {
        let box = try BoundingBox(parsing: text)
        #expect([box.west, box.south, box.east, box.north] == edges)
    }

    @Test(
        "LOC-07 An invalid box reports the error",
        arguments: [
            ("", "four numbers"), ("1,2,3", "found 3"), ("1,2,3,4,5", "found 5"), ("1,x,3,4", "south"),
            ("1,2,3,nan", "north"), ("inf,2,3,4", "west"), ("181,2,3,4", "west must lie between -180 and 180"),
            ("1,2,3,91", "north must lie between -90 and 90"), ("1,5,3,4", "south is greater than north"),
            ("1,,3,4", "south is not a number"),
        ]
    )
    func wrong(text: String, words: String) {
        let error = #expect(throws: BoundingBox.ParsingError.self) { try BoundingBox(parsing: text) }
        #expect(error?.description.contains(words) == true)
    }

    @Test("Invalid boxes cannot be created")
    func invalid() {
        #expect(BoundingBox(west: 0, south: 1, east: 0, north: 0) == nil)
        #expect(BoundingBox(west: -181, south: 0, east: 0, north: 1) == nil)
        #expect(BoundingBox(west: 0, south: .nan, east: 0, north: 1) == nil)
        #expect(BoundingBox(west: 0, south: 0, east: 0, north: 90.1) == nil)
    }

    @Test(
        "MAP-02 A closed box includes its edges, on both sides of the antimeridian",
        arguments: [
            ("170,-10,-170,10", 0.0, 180.0, true), ("170,-10,-170,10", 0, -180, true),
            ("170,-10,-170,10", 0, 170, true), ("170,-10,-170,10", 0, -170, true), ("170,-10,-170,10", 0, 0, false),
            ("170,-10,180,10", 0, -180, true), ("-180,-10,-170,10", 0, 180, true), ("0,0,10,10", 10, 10, true),
            ("0,0,10,10", 10.0001, 10, false), ("0,0,10,10", 0, -0.0001, false), ("0,80,10,90", 90, 5, true),
        ] as [(String, Double, Double, Bool)]
    )
    func contains(text: String, latitude: Double, longitude: Double, expected: Bool) throws {
        let box = try BoundingBox(parsing: text)
        let coordinate = try #require(Coordinate(latitude: latitude, longitude: longitude))
        #expect(box.contains(coordinate) == expected)
    }

    @Test("The parts cover the same area as the box, and none crosses the antimeridian", arguments: UInt64(0)..<10)
    func parts(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<100 {
            let box = randomBox(&generator)
            #expect(box.parts.allSatisfy { !$0.crossesAntimeridian })
            #expect(abs(box.parts.reduce(0) { $0 + $1.width } - box.width) < 1e-9)
            #expect(box.contains(box.center))
            for _ in 0..<20 {
                let point = randomPoint(&generator)
                #expect(box.contains(point) == box.parts.contains { $0.contains(point) })
            }
        }
    }

    @Test("A union contains both boxes and is no wider than necessary", arguments: UInt64(0)..<10)
    func unions(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<100 {
            let (a, b) = (randomBox(&generator), randomBox(&generator))
            let union = a.union(b)
            #expect(union.width <= 360)
            for _ in 0..<20 {
                let point = randomPoint(&generator)
                if a.contains(point) || b.contains(point) { #expect(union.contains(point)) }
            }
        }
    }

    @Test("The union of two points at the antimeridian is narrow")
    func narrowUnion() throws {
        let east = BoundingBox(try #require(Coordinate(latitude: 0, longitude: 179)))
        let west = BoundingBox(try #require(Coordinate(latitude: 0, longitude: -179)))
        #expect(east.union(west) == west.union(east))
        #expect(east.union(west).width == 2)
    }

    @Test("A box expanded by a distance contains everything within that distance", arguments: UInt64(0)..<20)
    func expanded(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let center = randomPoint(&generator)
            let metres = Math.power(10, 7 * generator.unit())
            let grown = BoundingBox(center).expanded(byMetres: metres)
            let target = GreatCircle.destination(
                from: center,
                bearing: generator.unit() * 360,
                distance: metres * 0.999999 * generator.unit()
            )
            #expect(grown.contains(target))
        }
        #expect(BoundingBox.world.expanded(byMetres: 1e9) == .world)
        #expect(BoundingBox(BoundingBox.world.center).expanded(byMetres: -5) == BoundingBox(BoundingBox.world.center))
    }

    private func randomPoint(_ generator: inout SplitMix64) -> Coordinate {
        Coordinate(wrappingLatitude: generator.unit() * 180 - 90, longitude: generator.unit() * 360 - 180)
    }

    private func randomBox(_ generator: inout SplitMix64) -> BoundingBox {
        let (a, b) = (randomPoint(&generator), randomPoint(&generator))
        let south = min(a.latitude, b.latitude)
        let north = max(a.latitude, b.latitude)
        return BoundingBox(west: a.longitude, south: south, east: b.longitude, north: north) ?? .world
    }
}
