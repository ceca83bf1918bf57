public import Basemap
public import Formats
import Geometry

/// Where a tile lies in a picture.
public struct TilePlace: Hashable, Sendable {
    /// The left edge in pixels.
    public let left: Double
    /// The upper edge in pixels.
    public let top: Double
    /// The length of a side in pixels.
    public let side: Double

    /// Returns where a position of a layer of `extent` units lies.
    public func point(_ position: VectorTile.Position, extent: Int) -> (x: Double, y: Double) {
        let scale = side / Double(extent)
        return (left + Double(position.x) * scale, top + Double(position.y) * scale)
    }
}

/// Reads the vector tiles that a picture touches.
public enum TileCover: Sendable {
    /// The maximum length of a tile in bytes, uncompressed.
    private static let tileLimit = 8 << 20
    /// The maximum number of tiles of a picture: those of the largest one.
    private static let mostTiles = 2_000

    /// Calls `body` with the layers of each tile, row by row.
    ///
    /// Tiles of the zoom of the view are read, rounded down, or the deepest there are.
    /// - Throws: ``VectorTileShapes/Damage``, `TileArchiveError`, or an error of the file.
    public static func forEach(
        of archive: TileArchive,
        in view: MapView,
        _ body: (_ layers: [VectorTileShapes.Layer], _ place: TilePlace) -> Void
    ) throws {
        let zoom = min(Int(view.zoom.rounded(.down)), archive.zooms.upperBound)
        let columns = 1 << zoom
        let side = view.world / Double(columns)
        let (width, height) = (Double(view.width), Double(view.height))
        let rows = Int((view.north / side).rounded(.down))...Int(((view.north + height) / side).rounded(.down))
        let across = Int((view.west / side).rounded(.down))...Int(((view.west + width) / side).rounded(.down))
        guard rows.count * across.count <= mostTiles else { return }
        for row in rows {
            for column in across {
                guard let address = TileAddress(zoom: zoom, column: column % columns, row: row),
                    let stored = try archive.tile(address)
                else { continue }
                let bytes = try archive.isPacked ? Gzip.decompress(stored, limit: tileLimit) : stored
                let place = TilePlace(
                    left: Double(column) * side - view.west,
                    top: Double(row) * side - view.north,
                    side: side
                )
                body(try VectorTileShapes.layers(of: bytes), place)
            }
        }
    }
}
