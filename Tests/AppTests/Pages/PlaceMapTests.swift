import App
import Basemap
import Formats
import Geometry
import Stories
import Testing

@Suite("Small maps of places")
struct PlaceMapTests {
    private struct Memory: TileBytes {
        let bytes: [UInt8]
        var count: Int { bytes.count }
        func read(_ range: Range<Int>) -> [UInt8] { Array(bytes[range]) }
    }

    /// Tiles of zoom 0, in which the eastern half is land and a border runs along the equator.
    private static func archive(_ tile: [UInt8]? = nil) throws -> TileArchive {
        func positions(_ values: [(Int32, Int32)]) -> [VectorTile.Position] {
            values.map { VectorTile.Position(x: $0.0, y: $0.1) }
        }
        var land = VectorTile(name: "land")
        land.addPolygon([positions([(2_048, 0), (4_096, 0), (4_096, 4_096), (2_048, 4_096)])], properties: [])
        var borders = VectorTile(name: "borders")
        borders.addLines([positions([(0, 2_048), (4_096, 2_048)])], properties: [])
        var unknown = VectorTile(name: "<script>")
        unknown.addLines([positions([(0, 0), (4_096, 4_096)])], properties: [])
        var builder = TileArchiveBuilder()
        let address = try #require(TileAddress(zoom: 0, column: 0, row: 0))
        try builder.add(address, bytes: tile ?? (land.bytes + borders.bytes + unknown.bytes))
        let bytes = try builder.finish(metadata: Array("{}".utf8), bounds: [-180, -85, 180, 85])
        return try TileArchive(bytes: Memory(bytes: bytes))
    }

    private static func drawn(_ latitude: Double, _ longitude: Double, _ cell: PublishedCell?) throws -> PageReader {
        let center = Coordinate(wrappingLatitude: latitude, longitude: longitude)
        let map = try #require(PlaceMap(around: center, cell: cell, tiles: try archive()))
        var html = HTMLWriter()
        map.write(label: "A map", to: &html)
        return try PageReader(html.bytes)
    }

    @Test("Land and borders are drawn where they are; layers of other names are not")
    func layers() throws {
        let coast = try PlaceMapTests.drawn(0, 0, nil)
        #expect(coast.first("svg", "aria-label", "A map") != nil)
        // At zoom 11 the world is 2,048 drawings wide; the coast is in the middle of this one.
        #expect(coast.first("path", "class", "map-land")?.attributes["d"]?.hasPrefix("M480 ") == true)
        let border = try #require(coast.first("path", "class", "map-border")?.attributes["d"])
        #expect(border.hasSuffix(" 320"))
        #expect(coast.elements.count { $0.name == "path" } == 2)
        #expect(try PlaceMapTests.drawn(10, -90, nil).first("path") == nil)
    }

    @Test("LOC-08 A point is a point and a cell is its box, never both")
    func shapes() throws {
        let point = try PlaceMapTests.drawn(33.7512, -84.3987, nil)
        #expect(point.first("circle", "class", "map-point") != nil && point.first("rect") == nil)
        for cell in PublishedCell.allCases {
            let center = cell.center(of: Coordinate(wrappingLatitude: 33.7512, longitude: -84.3987))
            let area = try PlaceMapTests.drawn(center.latitude, center.longitude, cell)
            #expect(area.first("circle") == nil)
            let box = try #require(area.first("rect")).attributes.compactMapValues { Int($0) }
            let (width, height) = (try #require(box["width"]), try #require(box["height"]))
            let (left, top) = (try #require(box["x"]), try #require(box["y"]))
            // It is in the middle, and large enough to be seen.
            #expect((90...200).contains(width) && (90...260).contains(height), "\(cell)")
            #expect(abs(left + width / 2 - 480) <= 2 && abs(top + height / 2 - 320) <= 4, "\(cell)")
        }
    }

    @Test("At the antimeridian the cell stays in the picture", arguments: [179.95, -179.95])
    func antimeridian(longitude: Double) throws {
        let box = try #require(try PlaceMapTests.drawn(-16.95, longitude, .tenth).first("rect")).attributes
        let (left, width) = (try #require(Int(box["x"] ?? "")), try #require(Int(box["width"] ?? "")))
        #expect((0...960).contains(left) && (90...200).contains(width))
    }

    @Test("Tiles that cannot be read give no map and no crash")
    func damage() throws {
        let center = Coordinate(wrappingLatitude: 0, longitude: 0)
        for bytes: [UInt8] in [[0x1A, 5, 1], [0xFF], [0x1A, 6, 0x12, 4, 0x22, 2, 0x0A, 0x01]] {
            #expect(PlaceMap(around: center, cell: nil, tiles: try PlaceMapTests.archive(bytes)) == nil)
        }
    }
}
