import Geometry
import Stories
import Testing

@Suite("Sensitive areas")
struct SensitiveAreaTests {
    private func ring(_ corners: [(Double, Double)]) -> SensitiveArea.Ring {
        corners.map { SensitiveArea.Corner(longitude: $0.0, latitude: $0.1) }
    }

    private func area(_ corners: [(Double, Double)]) throws(SensitiveArea.Invalid) -> SensitiveArea {
        try SensitiveArea(name: "A", precision: .hidden, polygons: [[ring(corners)]])
    }

    @Test(
        "LOC-08 An ambiguous area is rejected",
        arguments: [
            [(0, 0), (1, 0), (1, 1)], [(0, 0), (1, 0), (1, 1), (0, 1)], [(0, 89), (1, 89), (1, 91), (0, 89)],
            [(0, 0), (.nan, 0), (1, 1), (0, 0)], [(177, -20), (-178, -20), (-178, -15), (177, -15), (177, -20)],
            [(0, 0), (541, 0), (541, 1), (0, 0)], [],
        ] as [[(Double, Double)]]
    )
    func refused(corners: [(Double, Double)]) {
        #expect(throws: SensitiveArea.Invalid.self) { try area(corners) }
    }

    @Test("LOC-08 An area has a precision that is not exact, a short name and a bounded shape")
    func limits() throws {
        let square = ring([(0, 0), (1, 0), (1, 1), (0, 0)])
        let long = String(repeating: "a", count: StoryLimits.nameLength + 1)
        #expect(throws: SensitiveArea.Invalid.self) {
            try SensitiveArea(name: "", precision: .exact, polygons: [[square]])
        }
        #expect(throws: SensitiveArea.Invalid.self) {
            try SensitiveArea(name: long, precision: .hidden, polygons: [[square]])
        }
        #expect(throws: SensitiveArea.Invalid.self) { try SensitiveArea(name: "", precision: .hidden, polygons: []) }
        let many = [[SensitiveArea.Ring]](repeating: [square], count: StoryLimits.areaCorners / 4 + 1)
        #expect(throws: SensitiveArea.Invalid.self) { try SensitiveArea(name: "", precision: .hidden, polygons: many) }
        #expect(try SensitiveArea(name: "", precision: .hidden, polygons: [[square], []]).cornerCount == 4)
    }

    @Test("LOC-08 Longitudes beyond the antimeridian, east or west, describe the same area")
    func turns() throws {
        let east = try area([(177, -20), (182, -20), (182, -15), (177, -15), (177, -20)])
        let west = try area([(-183, -20), (-178, -20), (-178, -15), (-183, -15), (-183, -20)])
        #expect(east == west && east.crossesAntimeridian)
        let belt = try area([(-180, 60), (180, 60), (180, 70), (-180, 70), (-180, 60)])
        #expect(!belt.crossesAntimeridian)
    }

    @Test("LOC-08 The stricter of two precisions shows less, in either order")
    func stricter() {
        let order: [LocationPrecision] =
            [.exact, .approximate(.hundredth), .approximate(.tenth), .approximate(.degree), .hidden]
        for (index, a) in order.enumerated() {
            for (other, b) in order.enumerated() {
                #expect(a.stricter(b) == order[max(index, other)])
            }
        }
    }

    @Test("PRV-09 LOC-08 The footprint of a location is the area's cell, or its owner's if larger")
    func footprint() throws {
        let point = Coordinate(wrappingLatitude: 33.7554, longitude: -84.3736)
        var location = StoryLocation(coordinate: point)
        for precision in [LocationPrecision.exact, .hidden, .approximate(.hundredth)] {
            location.precision = precision
            #expect(
                location.footprint(inCellsOf: .hundredth)
                    == BoundingBox(west: -84.38, south: 33.75, east: -84.37, north: 33.76)
            )
        }
        location.precision = .approximate(.tenth)
        let tenth = BoundingBox(west: -84.4, south: 33.7, east: -84.3, north: 33.8)
        #expect(location.footprint(inCellsOf: .hundredth) == tenth && location.footprint(inCellsOf: .tenth) == tenth)
        #expect(
            location.footprint(inCellsOf: .degree) == BoundingBox(west: -85, south: 33, east: -84, north: 34)
        )
    }
}
