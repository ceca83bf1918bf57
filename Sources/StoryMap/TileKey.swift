import Geometry

/// A square of 256 pixels in the Web Mercator pyramid, eight cells wide, encoded in one number.
///
/// Map results are cached in such squares: four of them make a tile of 512 pixels.
struct TileKey: Hashable, Sendable {
    /// The number of levels from tiles down to cells: a tile is 2³ = 8 cells wide.
    static let cellLevels = 3

    /// The zoom from bit 48, then column and row in 24 bits each.
    let rawValue: UInt64

    init(zoom: Int, column: UInt32, row: UInt32) {
        rawValue = UInt64(zoom) << 48 | UInt64(column) << 24 | UInt64(row)
    }

    /// Creates the key of the tile that contains a cell at the given zoom.
    init(zoom: Int, ofColumn column: UInt32, row: UInt32) {
        let shift = UInt32(TileKey.cellLevels)
        self.init(zoom: zoom, column: column >> shift, row: row >> shift)
    }

    /// The zoom, 0...20.
    var zoom: Int { Int(rawValue >> 48) }
    /// The column, counted east from the antimeridian.
    var column: UInt32 { UInt32(rawValue >> 24 & 0xFF_FFFF) }
    /// The row, counted from the north.
    var row: UInt32 { UInt32(rawValue & 0xFF_FFFF) }

    /// The cells of the tile.
    var cells: CellRegion {
        let shift = UInt32(TileKey.cellLevels)
        return CellRegion(
            level: zoom + CellRegion.levelsPerTile,
            column: column << shift,
            width: 1 << shift,
            row: row << shift,
            height: 1 << shift
        )
    }

    /// Returns the tiles of a zoom that contain the cells of a region, from north to south and west to east.
    static func covering(_ region: CellRegion) -> [TileKey] {
        let whole = region.wholeTiles
        let shift = UInt32(cellLevels)
        let zoom = region.level - CellRegion.levelsPerTile
        let tiles = region.columns >> shift
        var keys: [TileKey] = []
        keys.reserveCapacity(whole.area >> (2 * cellLevels))
        for row in whole.row >> shift..<(whole.row + whole.height) >> shift {
            for step in 0..<whole.width >> shift {
                keys.append(TileKey(zoom: zoom, column: (whole.column >> shift &+ step) & (tiles - 1), row: row))
            }
        }
        return keys
    }
}

extension CellRegion {
    /// The smallest region of whole tiles around the region.
    var wholeTiles: CellRegion {
        let tile = UInt32(1) << UInt32(TileKey.cellLevels)
        let first = column & ~(tile - 1)
        let width = min(columns, (column - first + width + tile - 1) & ~(tile - 1))
        let top = row & ~(tile - 1)
        let bottom = (row + height + tile - 1) & ~(tile - 1)
        return CellRegion(
            level: level,
            column: width == columns ? 0 : first,
            width: width,
            row: top,
            height: bottom - top
        )
    }

    /// Returns the smallest region, extending west and east from the first tile, that contains the given tiles of one
    /// zoom.
    static func holding(_ keys: [TileKey]) -> CellRegion? {
        guard let first = keys.first else { return nil }
        let tiles = Int64(1) << Int64(first.zoom + levelsPerTile - TileKey.cellLevels)
        var (west, east, north, south) = (Int64(0), Int64(0), first.row, first.row)
        for key in keys {
            var step = Int64(key.column) - Int64(first.column)
            if step > tiles / 2 { step -= tiles } else if step < -tiles / 2 { step += tiles }
            (west, east) = (min(west, step), max(east, step))
            (north, south) = (min(north, key.row), max(south, key.row))
        }
        let width = min(tiles, east - west + 1)
        let column = width == tiles ? 0 : (Int64(first.column) + west + tiles) % tiles
        let shift = UInt32(TileKey.cellLevels)
        return CellRegion(
            level: first.zoom + levelsPerTile,
            column: UInt32(column) << shift,
            width: UInt32(width) << shift,
            row: north << shift,
            height: (south - north + 1) << shift
        )
    }
}
