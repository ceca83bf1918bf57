/// The id of a marker: its zoom and its leading cell, in 53 bits, so that JavaScript can represent it.
///
/// An id does not depend on stored state: it survives restarts and changes elsewhere on the map.
public struct ClusterID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Zoom in 5 bits, then column and row of the cell in 24 bits each.
    public let rawValue: UInt64

    /// Creates an id from its number, or `nil` if the zoom or the cell does not exist.
    public init?(rawValue: UInt64) {
        let zoom = rawValue >> 48
        guard zoom <= UInt64(MapSnapshot.maximumZoom) else { return nil }
        let cells: UInt64 = 1 << (zoom + UInt64(CellRegion.levelsPerTile))
        guard rawValue >> 24 & 0xFF_FFFF < cells, rawValue & 0xFF_FFFF < cells else { return nil }
        self.rawValue = rawValue
    }

    /// Parses the decimal digits of ``rawValue``; `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.first != UInt8(ascii: "+"), let number = UInt64(String(text)) else { return nil }
        self.init(rawValue: number)
    }

    init(zoom: Int, column: UInt32, row: UInt32) {
        rawValue = UInt64(zoom) << 48 | UInt64(column) << 24 | UInt64(row)
    }

    /// Creates the id of a marker returned by ``Clustering/marker(column:row:)``.
    init(zoom: Int, marker: UInt64) {
        self.init(zoom: zoom, column: UInt32(marker >> 32 & 0xFF_FFFF), row: UInt32(marker & 0xFF_FFFF))
    }

    /// The zoom of the marker, 0...20.
    public var zoom: Int { Int(rawValue >> 48) }

    /// The column of the leading cell, counted east from the antimeridian.
    var column: UInt32 { UInt32(rawValue >> 24 & 0xFF_FFFF) }

    /// The row of the leading cell, counted from the north.
    var row: UInt32 { UInt32(rawValue & 0xFF_FFFF) }

    /// The decimal digits of ``rawValue``.
    public var description: String { String(rawValue) }

    /// Orders by zoom, then by cell from west to east.
    public static func < (a: ClusterID, b: ClusterID) -> Bool { a.rawValue < b.rawValue }
}
