import Formats
public import Geometry
import StoryMap

/// A tile of the Web Mercator pyramid with 512 pixels a side.
public struct MapTile: Hashable, Sendable {
    /// The zoom, 0...20.
    public let zoom: Int
    /// The column, counted from the antimeridian eastwards.
    public let column: Int
    /// The row, counted from the north.
    public let row: Int

    /// Creates the address of a tile, or `nil` when there is no such tile.
    public init?(zoom: Int, column: Int, row: Int) {
        guard (0...MapSnapshot.maximumZoom).contains(zoom) else { return nil }
        guard (0..<1 << zoom).contains(column), (0..<1 << zoom).contains(row) else { return nil }
        (self.zoom, self.column, self.row) = (zoom, column, row)
    }

    /// Reads decimal digits as an address has them: without a sign or needless zeros, so that a tile has one address.
    public init?(zoom: String, column: String, row: String) {
        func number(_ text: String) -> Int? { Int(text).flatMap { String($0) == text ? $0 : nil } }
        guard let zoom = number(zoom), let column = number(column), let row = number(row) else { return nil }
        self.init(zoom: zoom, column: column, row: row)
    }

    /// Where a coordinate lies in the tile, in units from the west and from the north, each in `0..<VectorTile.extent`.
    ///
    /// What belongs to the tile and lies outside all the same is brought to its edge: beyond ±85.0511° there are no rows,
    /// the antimeridian is two edges, and rounding moves a point by a unit.
    public func position(of coordinate: Coordinate) -> (x: Int, y: Int) {
        let point = MercatorPoint(coordinate)
        let side = Int64(1) << Int64(32 - zoom)
        // Eastwards round the globe: from behind the tile it is nearer to one edge or the other.
        var east = (Int64(point.x) - Int64(column) * side) & 0xFFFF_FFFF
        if east >= side { east = east - side < (1 << 32) - east ? side - 1 : 0 }
        let south = min(side - 1, max(0, Int64(point.y) - Int64(row) * side))
        let unit = side / Int64(VectorTile.extent)
        return (Int(east / unit), Int(south / unit))
    }
}
