import Geometry

/// A rectangle of cells of one level; columns run east and wrap around the antimeridian.
struct CellRegion: Sendable {
    /// The number of levels from tiles down to cells: a tile of 512 pixels is 2⁴ = 16 cells wide, of 32 pixels each.
    static let levelsPerTile = 4

    /// The level: the square has 2^level columns and rows, 4...24.
    let level: Int
    /// The first column.
    let column: UInt32
    /// The number of columns, at most all.
    let width: UInt32
    /// The first row.
    let row: UInt32
    /// The number of rows.
    let height: UInt32

    /// The number of columns around the globe.
    var columns: UInt32 { 1 << UInt32(level) }
    /// The side of a cell in Mercator units.
    var side: Int64 { 1 << Int64(32 - level) }
    /// Whether the region includes all columns around the globe.
    var isRing: Bool { width == columns }
    /// The number of cells.
    var area: Int { Int(width) * Int(height) }

    init(level: Int, column: UInt32, width: UInt32, row: UInt32, height: UInt32) {
        self.level = level
        self.column = column
        self.width = width
        self.row = row
        self.height = height
    }

    /// Creates the region of cells that touch a rectangle of units grown by `margin` units; the rectangle must be
    /// unwrapped, so that its `west` never exceeds its `east`.
    init(level: Int, covering rectangle: UnitRectangle, margin: Int64) {
        self.level = level
        let side: Int64 = 1 << Int64(32 - level)
        let columns: Int64 = 1 << Int64(level)
        let first = CellRegion.floor(rectangle.west - margin, side)
        let last = CellRegion.floor(rectangle.east + margin, side)
        let wanted = min(columns, max(1, last - first + 1))
        column = wanted == columns ? 0 : UInt32((first % columns + columns) % columns)
        width = UInt32(wanted)
        let top = min(columns - 1, max(0, CellRegion.floor(rectangle.north - margin, side)))
        let bottom = min(columns - 1, max(top, CellRegion.floor(rectangle.south + margin, side)))
        row = UInt32(top)
        height = UInt32(bottom - top + 1)
    }

    private static func floor(_ value: Int64, _ side: Int64) -> Int64 {
        value >= 0 ? value / side : -((side - 1 - value) / side)
    }

    /// Returns the number of columns by which another column lies east of the region's first column.
    func offset(ofColumn other: UInt32) -> UInt32 { (other &- column) & (columns - 1) }

    func contains(column: UInt32, row: UInt32) -> Bool {
        offset(ofColumn: column) < width && row >= self.row && row - self.row < height
    }

    /// Returns whether a quadtree square at the region's level or above overlaps the region.
    func touches(code: UInt64, level: Int) -> Bool {
        let shift = UInt64(64 - 2 * self.level)
        let (column, row) = Morton.decode(code >> shift)
        let side: UInt32 = 1 << UInt32(self.level - min(level, self.level))
        guard row < self.row + height, row + side > self.row else { return false }
        return isRing || offset(ofColumn: column) < width
            || offset(ofColumn: self.column, from: column) < side
    }

    private func offset(ofColumn other: UInt32, from start: UInt32) -> UInt32 { (other &- start) & (columns - 1) }
}

extension CellRegion {
    /// Returns the column `steps` columns further east, or west if negative, wrapping around the antimeridian.
    func column(_ column: UInt32, plus steps: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: Int(column) + steps) & (columns - 1)
    }

    /// The rectangle of Mercator units that the cells cover, unwrapped.
    var rectangle: UnitRectangle {
        UnitRectangle(
            west: Int64(column) * side,
            north: Int64(row) * side,
            east: (Int64(column) + Int64(width)) * side - 1,
            south: (Int64(row) + Int64(height)) * side - 1
        )
    }

    /// Returns the distance in units from a position in the region to its nearest edge.
    ///
    /// A region that spans the globe has no western or eastern edge, and the ends of the map do not count as edges.
    func depth(x: UInt32, y: UInt32) -> Int64 {
        var depth = Int64.max
        if !isRing {
            let offset = Int64(x &- UInt32(truncatingIfNeeded: Int64(column) * side))
            depth = min(offset, Int64(width) * side - 1 - offset)
        }
        if row > 0 { depth = min(depth, Int64(y) - Int64(row) * side) }
        if row + height < columns { depth = min(depth, (Int64(row) + Int64(height)) * side - 1 - Int64(y)) }
        return depth
    }

    /// Returns a lower bound of the distance in units from a position to the region; zero if the position is inside.
    func distance(x: UInt32, y: UInt32) -> Int64 {
        var across: Int64 = 0
        if !isRing {
            let offset = Int64(x &- UInt32(truncatingIfNeeded: Int64(column) * side))
            let width = Int64(width) * side
            if offset >= width { across = min(offset - width + 1, (1 << 32) - offset) }
        }
        let north = Int64(row) * side
        let south = (Int64(row) + Int64(height)) * side - 1
        let down = max(0, north - Int64(y), Int64(y) - south)
        return max(across, down)
    }

    /// Returns the region extended by a number of cells on each side, as far as the map goes.
    func grown(cells: UInt32) -> CellRegion {
        CellRegion(level: level, covering: rectangle, margin: Int64(cells) * side)
    }

    /// The region of the cells one level up that contain this region's cells.
    var parent: CellRegion { outer(level: level - 1) }

    /// Returns the region of the cells of a coarser level, at least 0, that contain this region's cells.
    func outer(level outer: Int) -> CellRegion { CellRegion(level: outer, covering: rectangle, margin: 0) }
}
