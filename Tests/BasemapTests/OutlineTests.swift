import Basemap
import Geometry
import TestSupport
import Testing

/// Outlines made up for tests, in degrees, and the bytes of a file of them.
private struct Outlines {
    typealias Point = (longitude: Double, latitude: Double)

    var isPolygons: Bool
    /// The parts of each shape.
    var shapes: [[[Point]]]

    /// The content of a file with five digits.
    var bytes: [UInt8] {
        var bytes = Array("WMLINE1\n".utf8)
        func append(_ number: Int) {
            var rest = UInt(number)
            while rest >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(rest))
        }
        func append(signed number: Int) { append(number < 0 ? -2 * number - 1 : 2 * number) }
        for number in [isPolygons ? 1 : 0, 5, shapes.count] { append(number) }
        for shape in shapes {
            for number in [0, 0, shape.count] { append(number) }
            var last = (0, 0)
            for part in shape {
                append(part.count)
                for point in part {
                    let next = (Int((point.longitude * 1e5).rounded()), Int((point.latitude * 1e5).rounded()))
                    append(signed: next.0 - last.0)
                    append(signed: next.1 - last.1)
                    last = next
                }
            }
        }
        return bytes
    }

    /// Star-shaped islands, counterclockwise, some with a round lake as a hole.
    static func islands(seed: UInt64) -> Outlines {
        var generator = SplitMix64(seed: seed)
        let shapes = (0..<12)
            .map { number -> [[Point]] in
                let centre = (Double(number % 4) * 80 - 120, Double(number / 4) * 45 - 45)
                let size = Double.random(in: 4...18, using: &generator)
                func ring(_ count: Int, clockwise: Bool, _ radius: () -> Double) -> [Point] {
                    (0..<count)
                        .map { step in
                            let angle = (clockwise ? -1 : 1) * Double(step) / Double(count) * 2 * Double.pi
                            let length = radius()
                            return (
                                centre.0 + length * Math.cosine(angle), centre.1 + length * Math.sine(angle)
                            )
                        }
                }
                let outer = ring(120, clockwise: false) { size * Double.random(in: 0.6...1, using: &generator) }
                guard number.isMultiple(of: 3) else { return [outer] }
                return [outer, ring(40, clockwise: true) { size * 0.4 }]
            }
        return Outlines(isPolygons: true, shapes: shapes)
    }

    /// The rings of each shape in Mercator, 0 to 1 from the west and from the north.
    var projected: [[[(Double, Double)]]] {
        shapes.map { rings in
            rings.map { ring in
                ring.map { point in
                    let place = MercatorPoint(Coordinate(wrappingLatitude: point.latitude, longitude: point.longitude))
                    return (Double(place.x) / WebMercator.size, Double(place.y) / WebMercator.size)
                }
            }
        }
    }
}

@Suite("Outlines of the basemap")
struct OutlineTests {
    /// Whether a ray from a position to the east crosses a ring an odd number of times.
    fileprivate static func crosses(_ ring: [(Double, Double)], _ x: Double, _ y: Double) -> Bool {
        var isOdd = false
        for (index, point) in ring.enumerated() {
            let before = ring[(index + ring.count - 1) % ring.count]
            guard (point.1 > y) != (before.1 > y) else { continue }
            if x < point.0 + (y - point.1) / (before.1 - point.1) * (before.0 - point.0) { isOdd.toggle() }
        }
        return isOdd
    }

    /// Whether a ring comes closer to a position than `margin`.
    fileprivate static func passes(_ ring: [(Double, Double)], within margin: Double, of here: (Double, Double)) -> Bool
    {
        for (index, end) in ring.enumerated() {
            let start = ring[(index + ring.count - 1) % ring.count]
            if distance(from: here, to: start, end) < margin { return true }
        }
        return false
    }

    private static func tiles(_ file: OutlineFile, zoom: Int) throws -> [TileAddress: [VectorTileReader]] {
        let layer = OutlineLayer(name: "land", file: file) { _ in 0 }
        var tiles: [TileAddress: [VectorTileReader]] = [:]
        try OutlineTiles(layers: [layer], maximumZoom: zoom)
            .forEach { tile, bytes in tiles[tile] = try VectorTileReader.layers(bytes) }
        return tiles
    }

    @Test("MAP-13 A position is on land in its tile exactly if it is on land in the outlines", arguments: UInt64(1)...4)
    func areas(seed: UInt64) throws {
        let outlines = Outlines.islands(seed: seed)
        let rings = outlines.projected
        let tiles = try OutlineTests.tiles(OutlineFile(bytes: outlines.bytes), zoom: 4)
        var generator = SplitMix64(seed: seed + 100)
        var (checked, onLand) = (0, 0)
        for zoom in 0...4 {
            let side = Double(1 << zoom)
            // A line may be off by the tolerance and by rounding; so close to it, either answer is right.
            let margin = 1.0 / (512 * side)
            for _ in 0..<300 {
                let (x, y) = (
                    Double.random(in: 0..<1, using: &generator), Double.random(in: 0.1..<0.9, using: &generator)
                )
                guard !rings.joined().contains(where: { OutlineTests.passes($0, within: margin, of: (x, y)) }) else {
                    continue
                }
                let expected = rings.contains { rings in
                    rings.reduce(false) { $0 != OutlineTests.crosses($1, x, y) }
                }
                let (column, row) = (Int(x * side), Int(y * side))
                let tile = try #require(TileAddress(zoom: zoom, column: column, row: row))
                let layers = tiles[tile] ?? []
                let isLand = layers.contains { layer in
                    let units = Double(layer.extent)
                    let (localX, localY) = ((x * side - Double(column)) * units, (y * side - Double(row)) * units)
                    return layer.features.contains { feature in
                        feature.parts.reduce(false) { isInside, ring in
                            isInside != OutlineTests.crosses(ring.map { (Double($0.x), Double($0.y)) }, localX, localY)
                        }
                    }
                }
                checked += 1
                onLand += expected ? 1 : 0
                #expect(isLand == expected, "zoom \(zoom) x \(x) y \(y)")
            }
        }
        #expect(checked > 1_000 && onLand > 20)
    }

    @Test("MAP-13 Outer rings run clockwise on the screen and holes the other way, as the specification asks")
    func winding() throws {
        let tiles = try OutlineTests.tiles(OutlineFile(bytes: Outlines.islands(seed: 3).bytes), zoom: 3)
        var holes = 0
        for layer in tiles.values.joined() {
            for rings in layer.features.map(\.parts) {
                for (index, ring) in rings.enumerated() {
                    var doubled = 0
                    for (number, position) in ring.enumerated() {
                        let last = ring[(number + ring.count - 1) % ring.count]
                        doubled += last.x * position.y - position.x * last.y
                    }
                    #expect((doubled > 0) == (index == 0))
                    holes += index == 0 ? 0 : 1
                }
            }
        }
        #expect(holes > 4)
    }

    @Test("MAP-13 Lines keep within a pixel at every zoom, with fewer positions the less the map is enlarged")
    func lines() throws {
        var generator = SplitMix64(seed: 8)
        var latitude = 0.0
        let line = (0..<5_000)
            .map { step -> Outlines.Point in
                latitude = min(60, max(-60, latitude + Double.random(in: -0.4...0.4, using: &generator)))
                return (Double(step) / 5_000 * 340 - 170, latitude)
            }
        let file = try OutlineFile(bytes: Outlines(isPolygons: false, shapes: [[line]]).bytes)
        let tiles = try OutlineTests.tiles(file, zoom: 5)
        var counts = [Int](repeating: 0, count: 6)
        for (tile, layers) in tiles {
            let zoom = try #require(
                (0...5).first { zoom in tile == TileAddress(zoom: zoom, column: tile.x, row: tile.y) }
            )
            counts[zoom] += layers.flatMap(\.features).flatMap(\.parts).reduce(0) { $0 + $1.count }
        }
        #expect(counts == counts.sorted() && counts[0] * 4 < counts[5])
        for point in line.enumerated().filter({ $0.offset.isMultiple(of: 50) }).map(\.element) {
            let place = MercatorPoint(Coordinate(wrappingLatitude: point.latitude, longitude: point.longitude))
            for zoom in 0...5 {
                let side = Double(1 << zoom)
                let (x, y) = (Double(place.x) / WebMercator.size * side, Double(place.y) / WebMercator.size * side)
                let tile = try #require(TileAddress(zoom: zoom, column: Int(x), row: Int(y)))
                let layer = try #require(tiles[tile]?.first)
                let units = Double(layer.extent)
                let here = ((x - Double(tile.x)) * units, (y - Double(tile.y)) * units)
                let distance =
                    layer.features.flatMap(\.parts).map { OutlineTests.distance(here, to: $0) }.min() ?? .infinity
                #expect(distance <= units / 512, "zoom \(zoom)")
            }
        }
    }

    private static func distance(_ point: (Double, Double), to line: [VectorTileReader.Position]) -> Double {
        zip(line, line.dropFirst())
            .map { distance(from: point, to: (Double($0.x), Double($0.y)), (Double($1.x), Double($1.y))) }
            .min() ?? .infinity
    }

    /// The distance from a point to a segment.
    private static func distance(
        from point: (Double, Double),
        to start: (Double, Double),
        _ end: (Double, Double)
    ) -> Double {
        let (width, height) = (end.0 - start.0, end.1 - start.1)
        let (x, y) = (point.0 - start.0, point.1 - start.1)
        let length = width * width + height * height
        let along = length == 0 ? 0 : min(1, max(0, (x * width + y * height) / length))
        let (dx, dy) = (x - along * width, y - along * height)
        return (dx * dx + dy * dy).squareRoot()
    }

    @Test("MAP-13 A damaged file of outlines is reported, and reading it does not crash")
    func damage() throws {
        let bytes = Outlines.islands(seed: 1).bytes
        #expect(throws: OutlineError.notOutlines) { try OutlineFile(bytes: []) }
        #expect(throws: OutlineError.notOutlines) { try OutlineFile(bytes: Array("WMLINE2\n".utf8)) }
        #expect(try OutlineFile(bytes: bytes).count == 12)
        #expect(throws: OutlineError.damaged) { try OutlineFile(bytes: bytes + [0]) }
        #expect(throws: OutlineError.damaged) { try OutlineFile(bytes: bytes.dropLast()) }
        var generator = SplitMix64(seed: 2)
        for _ in 0..<2_000 {
            var broken = Array(bytes.prefix(Int.random(in: 8...bytes.count, using: &generator)))
            for _ in 0..<4 where broken.count > 9 {
                broken[Int.random(in: 8..<min(broken.count, 200), using: &generator)] = .random(
                    in: 0...255,
                    using: &generator
                )
            }
            _ = try? OutlineFile(bytes: broken)
        }
    }
}
