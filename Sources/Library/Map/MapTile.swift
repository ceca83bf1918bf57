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

    /// Creates the address of a tile; returns `nil` if there is no such tile.
    public init?(zoom: Int, column: Int, row: Int) {
        guard (0...MapSnapshot.maximumZoom).contains(zoom) else { return nil }
        guard (0..<1 << zoom).contains(column), (0..<1 << zoom).contains(row) else { return nil }
        (self.zoom, self.column, self.row) = (zoom, column, row)
    }

    /// Parses decimal digits as in a URL, without a sign or leading zeros, so that each tile has only one URL.
    public init?(zoom: String, column: String, row: String) {
        func number(_ text: String) -> Int? { Int(text).flatMap { String($0) == text ? $0 : nil } }
        guard let zoom = number(zoom), let column = number(column), let row = number(row) else { return nil }
        self.init(zoom: zoom, column: column, row: row)
    }

    /// Returns the position of a coordinate in the tile, in units from its west and north edges, each in
    /// `0..<VectorTile.extent`.
    ///
    /// A coordinate that belongs to the tile but lies outside is moved to its edge. This happens because there are no
    /// rows beyond ±85.0511°, because the antimeridian is both the western and the eastern edge of the map, and because
    /// rounding can move a point by one unit.
    public func position(of coordinate: Coordinate) -> (x: Int, y: Int) {
        let point = MercatorPoint(coordinate)
        let side = Int64(1) << Int64(32 - zoom)
        // Measured eastwards around the globe; a point outside is moved to the nearer edge.
        var east = (Int64(point.x) - Int64(column) * side) & 0xFFFF_FFFF
        if east >= side { east = east - side < (1 << 32) - east ? side - 1 : 0 }
        let south = min(side - 1, max(0, Int64(point.y) - Int64(row) * side))
        let unit = side / Int64(VectorTile.extent)
        return (Int(east / unit), Int(south / unit))
    }
}
