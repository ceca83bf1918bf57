import Geometry

/// A tile of 512 pixels of the Web Mercator pyramid, in one number.
struct TileKey: Hashable, Sendable {
    /// Zoom in the bits from 48 on, then column and row in 24 bits each.
    let rawValue: UInt64

    init(zoom: Int, column: UInt32, row: UInt32) {
        rawValue = UInt64(zoom) << 48 | UInt64(column) << 24 | UInt64(row)
    }

    /// The zoom, 0...20.
    var zoom: Int { Int(rawValue >> 48) }
    /// Counted from the antimeridian eastwards.
    var column: UInt32 { UInt32(rawValue >> 24 & 0xFF_FFFF) }
    /// Counted from the north.
    var row: UInt32 { UInt32(rawValue & 0xFF_FFFF) }

    /// The cells of the tile.
    var cells: CellRegion {
        CellRegion(
            level: zoom + CellRegion.levelsPerTile,
            column: column << UInt32(CellRegion.levelsPerTile),
            width: 1 << UInt32(CellRegion.levelsPerTile),
            row: row << UInt32(CellRegion.levelsPerTile),
            height: 1 << UInt32(CellRegion.levelsPerTile)
        )
    }

    /// Whether a position lies in the tile; western and northern edges belong to it.
    func holds(_ unit: MercatorPoint) -> Bool {
        // Two shifts, because at zoom 0 one would be too far.
        let shift = UInt32(31 - zoom)
        return (unit.x >> shift) >> 1 == column && (unit.y >> shift) >> 1 == row
    }

    /// The tiles of a zoom that hold the cells of a region, from north to south and west to east.
    static func covering(_ region: CellRegion) -> [TileKey] {
        let shift = UInt32(CellRegion.levelsPerTile)
        let zoom = region.level - CellRegion.levelsPerTile
        let tiles = UInt32(1) << UInt32(zoom)
        let firstRow = region.row >> shift
        let lastRow = (region.row + region.height - 1) >> shift
        let first = region.column >> shift
        let last = (UInt64(region.column) + UInt64(region.width) - 1) >> UInt64(shift)
        let width = min(UInt64(tiles), last - UInt64(first) + 1)
        return (firstRow...lastRow)
            .flatMap { row in
                (0..<UInt32(width)).map { TileKey(zoom: zoom, column: (first &+ $0) & (tiles - 1), row: row) }
            }
    }
}
