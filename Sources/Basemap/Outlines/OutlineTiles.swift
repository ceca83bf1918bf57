import Formats

/// A layer of outlines in the tiles.
public struct OutlineLayer: Sendable {
    /// The name of the layer.
    public let name: String
    let shapes: [Shape]

    /// Creates a layer of the shapes of a file; `minimumZoom` gives the lowest zoom that draws a shape of a rank.
    public init(name: String, file: OutlineFile, minimumZoom: (_ rank: Int) -> Int) {
        self.name = name
        shapes = file.features.map {
            Shape($0, isPolygon: file.isPolygons, minimumZoom: minimumZoom($0.rank))
        }
    }

    /// Creates a layer of shapes.
    init(name: String, shapes: [Shape]) {
        self.name = name
        self.shapes = shapes
    }

    /// Creates a layer of lines in degrees, all drawn from the same zoom on.
    public init(name: String, lines: [[(longitude: Double, latitude: Double)]], minimumZoom: Int) {
        self.name = name
        shapes = lines.map { line in
            let points = line.map { WorldPoint(longitude: $0.longitude, latitude: $0.latitude) }
            let feature = OutlineFile.Feature(rank: 0, name: "", parts: [points])
            return Shape(feature, isPolygon: false, minimumZoom: minimumZoom)
        }
    }
}

/// Cuts layers of outlines into vector tiles, from the whole world to the deepest zoom.
///
/// Every zoom keeps the vertices that matter at it: those that move a line by more than a fraction of a pixel. The
/// deepest zoom keeps all, and is drawn finer, because a map enlarges it further.
public struct OutlineTiles: Sendable {
    /// The deepest zoom, in tiles of 512 pixels.
    public let maximumZoom: Int
    private let layers: [OutlineLayer]

    /// Units along a side of a tile of the deepest zoom: half a pixel at three zooms beyond.
    static let finestExtent = 8_192
    /// The part of a tile that is drawn beyond each of its sides, so that lines do not end there visibly.
    static let buffer = 1.0 / 64
    /// Pixels by which a line may be off.
    static let tolerance = 0.4
    /// The smallest area drawn, in square pixels.
    static let smallestArea = 1.0

    /// Creates the tiles of layers, drawn in this order, down to zoom `maximumZoom`.
    ///
    /// - Precondition: `maximumZoom` is 0...14.
    public init(layers: [OutlineLayer], maximumZoom: Int) {
        precondition((0...14).contains(maximumZoom))
        self.layers = layers
        self.maximumZoom = maximumZoom
    }

    /// Passes each tile that has something in it to `body`, with its bytes, uncompressed.
    ///
    /// A tile comes before those within it.
    /// - Complexity: O(*n* · zoom) in the number of vertices.
    public func forEach(_ body: (_ tile: TileAddress, _ bytes: [UInt8]) throws -> Void) rethrows {
        try forEach(within: TileAddress(z: 0, x: 0, y: 0), to: maximumZoom, body)
    }

    /// Does the same for one tile and those within it, down to a zoom.
    func forEach(
        within tile: TileAddress,
        to deepest: Int,
        _ body: (_ tile: TileAddress, _ bytes: [UInt8]) throws -> Void
    ) rethrows {
        let column = layers.map { clip($0.shapes, along: .x, to: tile.x, zoom: tile.z) }
        try visit(tile, column.map { clip($0, along: .y, to: tile.y, zoom: tile.z) }, to: deepest, body)
    }

    private func visit(
        _ tile: TileAddress,
        _ shapes: [[Shape]],
        to deepest: Int,
        _ body: (_ tile: TileAddress, _ bytes: [UInt8]) throws -> Void
    ) rethrows {
        guard shapes.contains(where: { !$0.isEmpty }) else { return }
        let bytes = draw(tile, shapes)
        if !bytes.isEmpty { try body(tile, bytes) }
        guard tile.z < deepest else { return }
        for column in 0...1 {
            let half = shapes.map { clip($0, along: .x, to: tile.x * 2 + column, zoom: tile.z + 1) }
            for row in 0...1 {
                let child = TileAddress(z: tile.z + 1, x: tile.x * 2 + column, y: tile.y * 2 + row)
                try visit(child, half.map { clip($0, along: .y, to: child.y, zoom: child.z) }, to: deepest, body)
            }
        }
    }

    /// Cuts out a column or a row of tiles with the part drawn beyond its sides.
    private func clip(_ shapes: [Shape], along axis: Axis, to number: Int, zoom: Int) -> [Shape] {
        let tiles = Double(1 << zoom)
        let low = (Double(number) - OutlineTiles.buffer) / tiles
        let high = (Double(number + 1) + OutlineTiles.buffer) / tiles
        return shapes.compactMap { $0.clipped(along: axis, from: low, to: high) }
    }

    private func draw(_ tile: TileAddress, _ shapes: [[Shape]]) -> [UInt8] {
        let grid = TileGrid(tile, isDeepest: tile.z == maximumZoom)
        var bytes: [UInt8] = []
        for (layer, shapes) in zip(layers, shapes) {
            var drawing = VectorTile(name: layer.name, extent: grid.extent)
            for shape in shapes where shape.minimumZoom <= tile.z { grid.add(shape, to: &drawing) }
            bytes += drawing.bytes
        }
        return bytes
    }
}

/// Rounds shapes to the units of one tile.
private struct TileGrid {
    let extent: Int
    private let tiles: Double
    private let west: Double
    private let north: Double
    private let leastWeight: Float
    private let smallestArea: Double

    init(_ tile: TileAddress, isDeepest: Bool) {
        extent = isDeepest ? OutlineTiles.finestExtent : VectorTile.extent
        tiles = Double(1 << tile.z)
        (west, north) = (Double(tile.x), Double(tile.y))
        let pixel = 1 / (tiles * 512)
        let tolerance = isDeepest ? 0 : OutlineTiles.tolerance * pixel
        leastWeight = Float(tolerance * tolerance)
        let unitsPerPixel = Double(extent) / 512
        smallestArea = isDeepest ? 4 : OutlineTiles.smallestArea * unitsPerPixel * unitsPerPixel
    }

    func add(_ shape: Shape, to drawing: inout VectorTile) {
        if shape.isPolygon {
            let rings = shape.parts.enumerated().map { ring($1, isOuter: $0 == 0) }
            guard rings.first?.isEmpty == false else { return }
            drawing.addPolygon(rings.filter { !$0.isEmpty }, properties: shape.properties)
        } else {
            drawing.addLines(shape.parts.map(positions), properties: shape.properties)
        }
    }

    /// Rounds a ring and turns it the way the specification asks for; returns an empty one if it is too small to draw.
    private func ring(_ vertices: [Vertex], isOuter: Bool) -> [VectorTile.Position] {
        var ring = positions(vertices)
        if ring.count > 1, ring.first == ring.last { ring.removeLast() }
        guard ring.count >= 3 else { return [] }
        var doubled: Int64 = 0
        var last = ring[ring.count - 1]
        for position in ring {
            doubled += Int64(last.x) * Int64(position.y) - Int64(position.x) * Int64(last.y)
            last = position
        }
        guard Double(abs(doubled)) >= 2 * smallestArea else { return [] }
        return (doubled > 0) == isOuter ? ring : ring.reversed()
    }

    private func positions(_ vertices: [Vertex]) -> [VectorTile.Position] {
        var positions: [VectorTile.Position] = []
        positions.reserveCapacity(vertices.count)
        for vertex in vertices where vertex.weight > leastWeight || vertex.weight == .infinity {
            let position = VectorTile.Position(
                x: Int32(((vertex.x * tiles - west) * Double(extent)).rounded()),
                y: Int32(((vertex.y * tiles - north) * Double(extent)).rounded())
            )
            if positions.last != position { positions.append(position) }
        }
        return positions
    }
}
