import Library
import App
import Geometry
import Testing

@Suite("Tiles and their units")
struct MapTileTests {
    @Test("MAP-08 A tile has one address, and none exists outside the pyramid")
    func addresses() {
        #expect(MapTile(zoom: "0", column: "0", row: "0") == MapTile(zoom: 0, column: 0, row: 0))
        #expect(MapTile(zoom: "20", column: "1048575", row: "3") == MapTile(zoom: 20, column: 1_048_575, row: 3))
        let none = [
            ("21", "0", "0"), ("-1", "0", "0"), ("1", "2", "0"), ("1", "0", "2"), ("1", "-1", "0"), ("01", "0", "0"),
            ("1", "+1", "0"), ("1", "0", ""), ("1", "0", "1.0"), ("1", " 1", "0"), ("٣", "0", "0"),
            ("1", "0", "99999999999999999999"),
        ]
        for (zoom, column, row) in none { #expect(MapTile(zoom: zoom, column: column, row: row) == nil) }
    }

    @Test(
        "MAP-08 A place has the unit that contains it; one outside is moved to the nearest edge",
        arguments: [
            (0, 0, 0, 0.0, 0.0, 2_048, 2_048), (0, 0, 0, 85.06, -180, 0, 0), (0, 0, 0, -90, 180, 4_095, 4_095),
            (1, 1, 1, 0, 0, 0, 0), (1, 0, 0, -0.000_001, -0.000_001, 4_095, 4_095), (1, 1, 0, 89, 90, 2_048, 0),
            // 180 and -180 are one meridian and two edges.
            (3, 7, 4, -1, -180, 4_095, 91), (3, 0, 4, -1, 180, 0, 91), (3, 7, 4, -1, -179.9, 4_095, 91),
            (3, 2, 4, -1, -40, 4_095, 91), (3, 2, 4, -1, -100, 0, 91), (2, 1, 1, -10, -45, 2_048, 4_095),
            (2, 1, 2, 10, -45, 2_048, 0),
        ] as [(Int, Int, Int, Double, Double, Int, Int)]
    )
    func positions(zoom: Int, column: Int, row: Int, latitude: Double, longitude: Double, x: Int, y: Int) throws {
        let tile = try #require(MapTile(zoom: zoom, column: column, row: row))
        let position = tile.position(of: Coordinate(wrappingLatitude: latitude, longitude: longitude))
        #expect(position == (x, y))
    }

    @Test("MAP-08 Every unit of the deepest tiles belongs to the map", arguments: UInt64(0)..<3)
    func deepest(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let point = MercatorPoint(
                x: UInt32.random(in: 0 ... .max, using: &generator),
                y: .random(in: 0 ... .max, using: &generator)
            )
            let tile = try #require(MapTile(zoom: 20, column: Int(point.x >> 12), row: Int(point.y >> 12)))
            let found = tile.position(of: point.coordinate)
            // The way through degrees and back costs a unit at most.
            #expect(abs(found.x - Int(point.x & 4_095)) <= 1 && abs(found.y - Int(point.y & 4_095)) <= 1)
        }
    }
}
