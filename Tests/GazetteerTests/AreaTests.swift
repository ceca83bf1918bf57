import Gazetteer
import GazetteerCompiler
import Geometry
import Testing

@Suite("Areas")
struct AreaTests {
    private static func index(_ areas: AreaFixture) throws -> GazetteerIndex {
        var sources = Fixture.sources
        sources.areas = areas.bytes
        return try GazetteerIndex(bytes: GazetteerBytes(GazetteerBuilder.build(sources, checksum: [])))
    }

    /// Where the patchworks lie: of a cell's size and much larger, at the antimeridian, at a pole, across the equator.
    private static let layouts: [(x: Int, y: Int, size: Int, count: Int)] = [
        (100_000, 200_000, 2_000, 4), (-1_800_000, -900_000, 120_000, 8), (1_700_000, 800_000, 100_000, 6),
        (-3_000, -2_500, 6_000, 12), (-800_000, 300_000, 90_000, 5), (712_499, -12_501, 1_260, 9),
    ]

    @Test("GEO-02 The area of a position is the one whose rings contain it", arguments: 0..<6)
    func pointInPolygon(layout: Int) throws {
        var random = SplitMix64(seed: UInt64(layout))
        let place = Self.layouts[layout]
        let corner = AreaFixture.Point(x: place.x, y: place.y)
        let areas = AreaFixture.patchwork(corner: corner, size: place.size, count: place.count, random: &random)
        let index = try Self.index(AreaFixture(regions: areas))
        var inside = 0
        for round in 0..<3_000 {
            var x = place.x + Int(random.next() % UInt64(place.size))
            var y = place.y + Int(random.next() % UInt64(place.size))
            if round % 3 == 0 {
                // Next to a border: close to a corner of some ring.
                let ring = areas[Int(random.next() % UInt64(areas.count))].rings[0]
                let near = ring[Int(random.next() % UInt64(ring.count))]
                x = min(1_799_999, max(-1_800_000, near.x + Int(random.next() % 9) - 4))
                y = min(899_999, max(-900_000, near.y + Int(random.next() % 9) - 4))
            }
            let expected = areas.indices.filter { areas[$0].contains(x: Double(x) + 0.5, y: Double(y) + 0.5) }
            #expect(expected.count <= 1)
            let position = Coordinate(
                wrappingLatitude: (Double(y) + 0.5) / 10_000,
                longitude: (Double(x) + 0.5) / 10_000
            )
            let found = index.locate(position)
            if let area = expected.first {
                inside += 1
                #expect(found.unit == UInt32(area), "\(x), \(y)")
            } else if found.unit != .max {
                // Off the coast: within ten kilometres of it.
                let kilometres = Self.distance(position, areas[Int(found.unit)])
                #expect(kilometres < 10.01, "\(x), \(y): \(kilometres)")
            }
        }
        #expect(inside > 1_000)
    }

    /// The distance in kilometres from a position to the outline of an area, by trying many points of it.
    private static func distance(_ position: Coordinate, _ area: AreaFixture.Area) -> Double {
        var least = Double.infinity
        for ring in area.rings {
            for (a, b) in zip(ring, ring.dropFirst() + ring.prefix(1)) {
                for step in 0...400 {
                    let share = Double(step) / 400
                    let point = Coordinate(
                        wrappingLatitude: (Double(a.y) + Double(b.y - a.y) * share) / 10_000,
                        longitude: (Double(a.x) + Double(b.x - a.x) * share) / 10_000
                    )
                    least = min(least, GreatCircle.distance(position, point) / 1000)
                }
            }
        }
        return least - 0.35
    }

    @Test("Positions off a coast belong to the nearest land within ten kilometres, even across the antimeridian")
    func coast() throws {
        func square(_ west: Int, _ south: Int, _ name: String) -> AreaFixture.Area {
            let ring = [
                AreaFixture.Point(x: west, y: south), .init(x: west, y: south + 10_000),
                .init(x: west + 10_000, y: south + 10_000), .init(x: west + 10_000, y: south),
            ]
            return AreaFixture.Area(country: "FR", region: "", name: name, rings: [ring])
        }
        let index = try Self.index(
            AreaFixture(regions: [
                square(1_790_000, 0, "west"), square(-1_799_000, 0, "east"), square(100_000, 800_000, "north"),
            ])
        )
        func unit(_ latitude: Double, _ longitude: Double) -> UInt32 {
            index.locate(Coordinate(wrappingLatitude: latitude, longitude: longitude)).unit
        }
        #expect(unit(0.5, 179.99) == 0)
        #expect(unit(0.5, 180) == 0)
        // 0.1 degrees of sea between the two.
        #expect(unit(0.5, -179.96) == 0)
        #expect(unit(0.5, -179.94) == 1)
        #expect(unit(-0.08, 179.5) == 0)
        #expect(unit(-0.10, 179.5) == .max)
        // At 80 degrees north a degree of longitude is 19 km.
        #expect(unit(80.5, 9.6) == 2)
        #expect(unit(80.5, 9.3) == .max)
        #expect(unit(80.5, 11.4) == 2)
    }

    @Test("A county takes precedence over the coarser region, also at sea between its islands")
    func layers() throws {
        func box(_ west: Int, _ south: Int, _ east: Int, _ north: Int) -> [AreaFixture.Point] {
            [.init(x: west, y: south), .init(x: west, y: north), .init(x: east, y: north), .init(x: east, y: south)]
        }
        let index = try Self.index(
            AreaFixture(
                counties: [
                    .init(
                        country: "US",
                        region: "GA",
                        county: "13121",
                        rings: [box(-850_000, 330_000, -840_000, 340_000)]
                    )
                ],
                regions: [
                    .init(country: "US", region: "GA", rings: [box(-851_000, 329_000, -800_000, 341_000)]),
                    .init(country: "FR", region: "11", rings: [box(-860_000, 329_000, -851_000, 341_000)]),
                ],
                waters: [("Gulf", box(-860_000, 320_000, -800_000, 345_000))]
            )
        )
        func match(_ latitude: Double, _ longitude: Double) throws -> ReverseMatch {
            try #require(index.reverse(Coordinate(wrappingLatitude: latitude, longitude: longitude)))
        }
        let inside = try match(33.75, -84.39)
        #expect(inside.label == "Atlanta, Georgia, United States")
        #expect(inside.place.admin2 == "Fulton County")
        #expect(inside.regionCode == "US-GA")
        #expect(inside.postcode == "30303")
        #expect(inside.water == nil)
        #expect(try match(32.95, -84.5).place.admin2 == "Fulton County")
        #expect(try match(32.95, -84.5).water == "Gulf")
        // Only the coarse outline has land here, far from any county: a lake or the like.
        let lake = try match(33.5, -82)
        #expect(lake.water == "Gulf")
        #expect(lake.place.admin1 == "Georgia")
        #expect(try match(33.5, -85.5).place.country == "France")
        #expect(try match(32.2, -82).label == "Gulf")
        #expect(try match(32.2, -82).place.kind == .water)
        #expect(index.reverse(Coordinate(wrappingLatitude: 0, longitude: -30)) == nil)
    }

    @Test("A batch finds the same as single lookups")
    func batch() throws {
        var random = SplitMix64(seed: 9)
        let areas = AreaFixture.patchwork(corner: .init(x: 0, y: 0), size: 900_000, count: 9, random: &random)
        let index = try Self.index(AreaFixture(regions: areas))
        let positions = (0..<2_000)
            .map { _ in
                Coordinate(
                    wrappingLatitude: Math.degrees(Math.arcSine(random.unit() * 2 - 1)),
                    longitude: random.unit() * 360 - 180
                )
            }
        let options = ReverseOptions(farthestKilometres: 5_000, farthestAtSeaKilometres: 5_000)
        let found = index.locate(positions, options: options)
        #expect(found == positions.map { index.locate($0, options: options) })
        #expect(index.reverse(positions, options: options) == positions.map { index.reverse($0, options: options) })
        #expect(index.reverse([], options: options).isEmpty)
    }

    @Test("Damaged area tables are rejected with a message, wherever the damage is")
    func damagedTable() throws {
        var random = SplitMix64(seed: 3)
        let areas = AreaFixture.patchwork(corner: .init(x: 0, y: 0), size: 20_000, count: 3, random: &random)
        let whole = AreaFixture(regions: areas, waters: [("Sea", areas[0].rings[0])]).bytes
        var sources = Fixture.sources
        for length in stride(from: 1, to: whole.count, by: 7) {
            sources.areas = Array(whole.prefix(length))
            #expect(throws: GazetteerSourceError.self) { try GazetteerBuilder.build(sources, checksum: []) }
        }
        for _ in 0..<60 {
            sources.areas = whole
            for _ in 0..<4 {
                let position = 8 + Int(random.next() % UInt64(whole.count - 8))
                sources.areas[position] = UInt8(truncatingIfNeeded: random.next())
            }
            // Either refused or some other areas; never a crash.
            let built = try? GazetteerBuilder.build(sources, checksum: [])
            guard let built else { continue }
            let index = try GazetteerIndex(bytes: GazetteerBytes(built))
            _ = index.reverse(Coordinate(wrappingLatitude: 1, longitude: 1))
        }
    }

    @Test("GEO-01 A body of water known only by its outline is found by its name, once")
    func waterByName() throws {
        let outline = [(10, 20), (14, 20), (14, 24), (10, 24)]
            .map { AreaFixture.Point(x: $0.0 * 10_000, y: $0.1 * 10_000) }
        var sources = Fixture.sources
        sources.areas = AreaFixture(waters: [("Amber Sound", outline), ("Amber Sound", outline)]).bytes
        let index = try GazetteerIndex(bytes: GazetteerBytes(try GazetteerBuilder.build(sources, checksum: [])))
        let found = index.search("Amber Sound")
        #expect(found.map(\.name) == ["Amber Sound"] && found.first?.kind == .water)
        let middle = try #require(found.first?.coordinate)
        #expect(abs(middle.latitude - 22) < 1e-6 && abs(middle.longitude - 12) < 1e-6)
    }

    @Test("Damaged area bytes give wrong answers, never a crash", arguments: UInt64(0)..<40)
    func damagedFile(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let areas = AreaFixture.patchwork(corner: .init(x: 0, y: 0), size: 60_000, count: 3, random: &random)
        var sources = Fixture.sources
        sources.areas = AreaFixture(counties: areas, regions: areas, waters: [("Sea", areas[0].rings[0])]).bytes
        var bytes = try GazetteerBuilder.build(sources, checksum: [])
        for _ in 0..<(1 + Int(random.next() % 3_000)) {
            let position = 2_000 + Int(random.next() % UInt64(bytes.count - 2_000))
            bytes[position] = seed % 2 == 0 ? 0xFF : UInt8(truncatingIfNeeded: random.next())
        }
        guard let index = try? GazetteerIndex(bytes: GazetteerBytes(bytes)) else { return }
        for round in 0..<60 {
            let position =
                round % 2 == 0
                ? Coordinate(wrappingLatitude: random.unit() * 6, longitude: random.unit() * 6)
                : Coordinate(wrappingLatitude: random.unit() * 180 - 90, longitude: random.unit() * 360)
            _ = index.reverse(position)
        }
    }
}
