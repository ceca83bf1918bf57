/// The place of a tile in a pyramid: at zoom `z`, column `x` from the west and row `y` from the north.
public struct TileAddress: Hashable, Sendable {
    /// The deepest zoom that an archive can hold.
    public static let maximumZoom = 26

    /// The zoom, 0 for one tile of the whole world.
    public let z: Int
    /// The column from the west, 0..<2^z.
    public let x: Int
    /// The row from the north, 0..<2^z.
    public let y: Int

    /// Creates an address that is known to lie in the pyramid.
    init(z: Int, x: Int, y: Int) {
        (self.z, self.x, self.y) = (z, x, y)
    }

    /// Creates an address; returns `nil` if it lies outside the pyramid.
    public init?(zoom: Int, column: Int, row: Int) {
        guard (0...TileAddress.maximumZoom).contains(zoom) else { return nil }
        let side = 0..<(1 << zoom)
        guard side.contains(column), side.contains(row) else { return nil }
        self.init(z: zoom, x: column, y: row)
    }

    /// Parses decimal digits as in a URL, without a sign or leading zeros, so that each tile has only one URL.
    public init?(zoom: String, column: String, row: String) {
        func number(_ text: String) -> Int? { Int(text).flatMap { String($0) == text ? $0 : nil } }
        guard let zoom = number(zoom), let column = number(column), let row = number(row) else { return nil }
        self.init(zoom: zoom, column: column, row: row)
    }

    /// The number of the tile: zoom after zoom, within a zoom along the Hilbert curve (PMTiles 3, section 4).
    ///
    /// Tiles that lie near each other mostly have near numbers.
    package var number: UInt64 {
        // The tiles of all lower zooms: 1 + 4 + 16 + …
        var number = ((UInt64(1) << UInt64(2 * z)) - 1) / 3
        var (column, row) = (x, y)
        var side = 1 << z
        while side > 1 {
            side /= 2
            let right = column & side != 0 ? 1 : 0
            let lower = row & side != 0 ? 1 : 0
            number += UInt64(side) * UInt64(side) * UInt64((3 * right) ^ lower)
            if lower == 0 {
                if right == 1 { (column, row) = (side - 1 - column & (side - 1), side - 1 - row & (side - 1)) }
                (column, row) = (row, column)
            }
        }
        return number
    }
}
