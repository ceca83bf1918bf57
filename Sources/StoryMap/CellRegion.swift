import Geometry

/// A rectangle of cells of one level; columns run eastwards and wrap around the antimeridian.
struct CellRegion: Sendable {
    /// Cells are 32 pixels wide: sixteen, 2⁴, to a tile of 512.
    static let levelsPerTile = 4

    /// The level: the square has 2^level columns and rows, 4...24.
    let level: Int
    /// The first column.
    let column: UInt32
    /// How many columns, at most all.
    let width: UInt32
    /// The first row.
    let row: UInt32
    /// How many rows.
    let height: UInt32

    /// The number of columns around the globe.
    var columns: UInt32 { 1 << UInt32(level) }
    /// The side of a cell in Mercator units.
    var side: Int64 { 1 << Int64(32 - level) }
    /// The number of cells.
    var area: Int { Int(width) * Int(height) }

    /// The cells that touch a rectangle of units grown by `margin` units; west may lie east of `east` only unwrapped.
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

    /// How many columns east of the first one a column lies.
    func offset(ofColumn other: UInt32) -> UInt32 { (other &- column) & (columns - 1) }

    func contains(column: UInt32, row: UInt32) -> Bool {
        offset(ofColumn: column) < width && row >= self.row && row - self.row < height
    }

    /// Whether a square of the quadtree at or above this level has a cell in common with the region.
    func touches(code: UInt64, level: Int) -> Bool {
        let shift = UInt64(64 - 2 * self.level)
        let (column, row) = Morton.decode(code >> shift)
        let side: UInt32 = 1 << UInt32(self.level - min(level, self.level))
        guard row < self.row + height, row + side > self.row else { return false }
        return width == columns || offset(ofColumn: column) < width
            || offset(ofColumn: self.column, from: column) < side
    }

    private func offset(ofColumn other: UInt32, from start: UInt32) -> UInt32 { (other &- start) & (columns - 1) }
}
