import Formats

/// Puts names into vector tiles, each with the zoom at which it appears.
public struct LabelTiles: Sendable {
    /// The name of the layer.
    public static let layer = "names"

    /// The deepest zoom of the tiles; a map enlarges them further and shows more of their names.
    public let maximumZoom: Int
    private let labels: [MapLabel]
    private let zooms: [Int]

    /// Creates the tiles of labels, the most important first.
    ///
    /// `maximumZoom` is the deepest zoom of the tiles, 0...14; `labelZoom` the deepest for which labels are spread out,
    /// at most 20.
    public init(labels: [MapLabel], maximumZoom: Int, labelZoom: Int) {
        precondition((0...14).contains(maximumZoom) && (maximumZoom...20).contains(labelZoom))
        self.maximumZoom = maximumZoom
        // A name without room at any zoom that shows it is left out.
        let shown = zip(labels, LabelZooms.assign(labels, maximumZoom: labelZoom)).filter { $0.ceiling >= $1 }
        self.labels = shown.map(\.0)
        zooms = shown.map(\.1)
    }

    /// Passes each tile that has names to `body`, with its bytes, uncompressed, zoom by zoom.
    ///
    /// Tiles of the deepest zoom have all names, those of a lower one the names that appear at it or before; in a
    /// tile, the most important come first.
    public func forEach(_ body: (_ tile: TileAddress, _ bytes: [UInt8]) throws -> Void) rethrows {
        for zoom in 0...maximumZoom {
            let side = 1 << zoom
            var tiles: [Int: [Int]] = [:]
            for (index, label) in labels.enumerated() where zooms[index] <= zoom || zoom == maximumZoom {
                let column = min(side - 1, Int(label.position.x * Double(side)))
                let row = min(side - 1, Int(label.position.y * Double(side)))
                tiles[row * side + column, default: []].append(index)
            }
            for (number, members) in tiles.sorted(by: { $0.key < $1.key }) {
                let tile = TileAddress(z: zoom, x: number % side, y: number / side)
                try body(tile, draw(members, in: tile))
            }
        }
    }

    private func draw(_ members: [Int], in tile: TileAddress) -> [UInt8] {
        var layer = VectorTile(name: LabelTiles.layer)
        let scale = Double(1 << tile.z) * Double(VectorTile.extent)
        for index in members {
            let label = labels[index]
            layer.addPoint(
                x: Int(label.position.x * scale) - tile.x * VectorTile.extent,
                y: Int(label.position.y * scale) - tile.y * VectorTile.extent,
                properties: [
                    ("name", .text(label.text)), ("class", .text(label.kind.rawValue)),
                    ("min_zoom", .integer(zooms[index])),
                ]
            )
        }
        return layer.bytes
    }
}
