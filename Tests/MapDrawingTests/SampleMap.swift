import Basemap
import Formats
import Geometry
import MapDrawing
import Stories
import Testing

/// Tiles and markers that tests make.
enum SampleMap: Sendable {
    private struct Memory: TileBytes {
        let bytes: [UInt8]
        var count: Int { bytes.count }
        func read(_ range: Range<Int>) -> [UInt8] { Array(bytes[range]) }
    }

    private static func positions(_ values: [(Int32, Int32)]) -> [VectorTile.Position] {
        values.map { VectorTile.Position(x: $0.0, y: $0.1) }
    }

    static func archive(_ tile: [UInt8], zoom: Int = 0, column: Int = 0, row: Int = 0) throws -> TileArchive {
        var builder = TileArchiveBuilder()
        try builder.add(try #require(TileAddress(zoom: zoom, column: column, row: row)), bytes: tile)
        let bytes = try builder.finish(metadata: Array("{}".utf8), bounds: [-180, -85, 180, 85])
        return try TileArchive(bytes: Memory(bytes: bytes))
    }

    /// Land in the east with a lake, a border along the equator, and names.
    static func tiles(names: [(text: String, kind: String, x: Int, y: Int)]) throws -> [DrawnTiles] {
        var land = VectorTile(name: "land")
        land.addPolygon([positions([(2_048, 0), (4_096, 0), (4_096, 4_096), (2_048, 4_096)])], properties: [])
        var lakes = VectorTile(name: "lakes")
        lakes.addPolygon([positions([(3_000, 1_000), (3_400, 1_000), (3_400, 1_400), (3_000, 1_400)])], properties: [])
        var borders = VectorTile(name: "borders")
        borders.addLines([positions([(0, 2_048), (4_096, 2_048)])], properties: [])
        var layer = VectorTile(name: "names")
        for name in names {
            let properties: [(key: String, value: VectorTile.Value)] = [
                ("name", .text(name.text)), ("class", .text(name.kind)), ("min_zoom", .integer(0)),
            ]
            layer.addPoint(x: name.x, y: name.y, properties: properties)
        }
        return [
            DrawnTiles(.land, try archive(land.bytes + lakes.bytes + borders.bytes), attribution: "Land: nobody"),
            DrawnTiles(.names, try archive(layer.bytes), attribution: "Names: <no>body & sons"),
        ]
    }

    /// Streets of the whole world at zoom 0: a road, a building, a tunnel, and the name of the road.
    static func streets() throws -> DrawnTiles {
        var roads = VectorTile(name: "transportation")
        for (kind, brunnel, y) in [("primary", "", Int32(1_000)), ("minor", "tunnel", 1_500), ("primary", "", 2_500)] {
            let properties: [(key: String, value: VectorTile.Value)] = [
                ("class", .text(kind)), ("brunnel", .text(brunnel)), ("ramp", .integer(y == 2_500 ? 1 : 0)),
            ]
            roads.addLines([positions([(0, y), (4_096, y)])], properties: properties)
        }
        var names = VectorTile(name: "transportation_name")
        let properties: [(key: String, value: VectorTile.Value)] = [
            ("name", .text("Main Street")), ("class", .text("primary")), ("angle", .integer(-30)),
        ]
        names.addPoint(x: 2_048, y: 2_048, properties: properties)
        return DrawnTiles(.streets, try archive(roads.bytes + names.bytes), attribution: "Roads: us")
    }

    /// Markers at random within a view.
    static func markers(_ count: Int, in view: MapView, seed: UInt64) -> [DrawnMarker] {
        var generator = SplitMix64(seed: seed)
        let kinds: [StoryKind?] = ["interview", "photo", "document", "video_object", "observation", "song"]
            .map { StoryKind($0) }
        return (0..<count)
            .map { number in
                let position = Coordinate(
                    wrappingLatitude: view.box.south + view.box.height * generator.unit(),
                    longitude: view.box.west + view.box.width * generator.unit()
                )
                let isOne = number % 2 == 0
                return DrawnMarker(
                    position: position,
                    count: isOne ? 1 : Int(2 * Math.power(10, generator.unit() * 6)),
                    kind: isOne ? kinds[number / 2 % kinds.count] : nil,
                    isStacked: number % 3 == 1,
                    title: isOne ? "Story \(number)" : ""
                )
            }
    }
}
