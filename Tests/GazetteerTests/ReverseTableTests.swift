import Gazetteer
import GazetteerCompiler
import Geometry
import Testing

@Suite("Names of many positions")
struct ReverseTableTests {
    private static let options = ReverseOptions(farthestKilometres: 5_000, farthestAtSeaKilometres: 5_000)

    private static func positions(seed: UInt64, count: Int) -> [Coordinate] {
        var random = SplitMix64(seed: seed)
        return (0..<count)
            .map { _ in
                Coordinate(
                    wrappingLatitude: Math.degrees(Math.arcSine(random.unit() * 2 - 1)),
                    longitude: random.unit() * 360 - 180
                )
            }
    }

    /// Whether a table says of each position what is said of it alone.
    private static func expectSame(_ index: GazetteerIndex, _ positions: [Coordinate], _ options: ReverseOptions) {
        let table = index.names(of: positions, options: options)
        #expect(table.count == positions.count)
        var wrong: [Coordinate] = []
        for (row, position) in positions.enumerated() {
            let match = index.reverse(position, options: options)
            let isSame =
                table.label(row) == match?.label && table.match(row) == match
                && table.labelBytes(row).elementsEqual((match?.label ?? "").utf8)
            if !isSame { wrong.append(position) }
        }
        #expect(wrong.isEmpty)
    }

    @Test("GEO-02 A table of names gives the same as each position alone")
    func table() throws {
        var random = SplitMix64(seed: 9)
        let areas = AreaFixture.patchwork(corner: .init(x: 0, y: 0), size: 900_000, count: 9, random: &random)
        var sources = Fixture.sources
        sources.areas = AreaFixture(regions: areas, waters: [("Sea", areas[0].rings[0])]).bytes
        let index = try GazetteerIndex(bytes: GazetteerBytes(GazetteerBuilder.build(sources, checksum: [])))
        Self.expectSame(index, Self.positions(seed: 3, count: 2_000), Self.options)
        // Many about a few towns, on either side of borders.
        let about = (0..<2_000)
            .map { number in
                let centre = index.surveyedPlace(number % 40)?.match.coordinate
                return Coordinate(
                    wrappingLatitude: (centre?.latitude ?? 0) + (random.unit() - 0.5) * 16,
                    longitude: (centre?.longitude ?? 0) + (random.unit() - 0.5) * 16
                )
            }
        Self.expectSame(index, about, ReverseOptions(nearKilometres: 2_000, farthestKilometres: 5_000))
        Self.expectSame(index, [], Self.options)
    }

    @Test("GEO-02 World positions too: at sea, near settlements and within them", arguments: UInt64(0)..<2)
    func real(seed: UInt64) throws {
        let index = try RealGazetteer.index.get()
        let centres = (0..<400).compactMap { index.surveyedPlace($0 * 7)?.match.coordinate }
        var random = SplitMix64(seed: seed + 40)
        let near = centres.map {
            Coordinate(
                wrappingLatitude: $0.latitude + (random.unit() - 0.5) * 0.1,
                longitude: $0.longitude + (random.unit() - 0.5) * 0.1
            )
        }
        Self.expectSame(index, Self.positions(seed: seed, count: 1_000) + centres + near, ReverseOptions())
    }

    @Test(
        "Far from everything nothing is searched, and just within reach it is found",
        .enabled(if: !RealGazetteer.isDebug)
    )
    func reach() throws {
        let index = try RealGazetteer.index.get()
        // Honolulu: its island is small, and Hawaii far from everything else.
        let middle = Coordinate(wrappingLatitude: 37.7333, longitude: -25.6667)
        var reached: Set<Bool> = []
        for bearing in stride(from: 0.0, to: 360, by: 15) {
            for kilometres in stride(from: 10.0, through: 120, by: 10) {
                let position = GreatCircle.destination(from: middle, bearing: bearing, distance: kilometres * 1000)
                let wide = index.reverse(position, options: ReverseOptions(farthestAtSeaKilometres: 400))
                let outside = index.locate(position, options: ReverseOptions(farthestAtSeaKilometres: 400))
                let isFound = index.reverse(position)?.isSettlement ?? false
                #expect(isFound == (wide?.isSettlement ?? false && outside.kilometresOutside <= 30))
                reached.insert(isFound)
            }
        }
        #expect(reached.count == 2)
    }
}
