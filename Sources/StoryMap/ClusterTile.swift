import Synchronization

/// The computed data of one tile: the leading cell of each cell's marker and, if requested, the markers in the tile.
final class ClusterTile: Sendable {
    /// A tile one zoom further out from which other tiles were computed.
    struct Source: Sendable {
        let key: TileKey
        let stamp: UInt64
    }

    /// Data shared by tiles that were computed together.
    final class Origin: Sendable {
        /// The cells whose stories were included.
        let area: CellRegion
        let sources: [Source]

        init(area: CellRegion, sources: [Source]) {
            self.area = area
            self.sources = sources
        }
    }

    /// Identifies the cells' markers: another tile has the same stamp only if its markers are the same.
    let stamp: UInt64
    let origin: Origin
    /// The cells with stories in ascending order, each encoded as row and column within the tile in three bits each.
    let cells: [UInt8]
    /// The leading cell of each cell's marker, see ``Clustering/marker(column:row:)``.
    let leaders: [UInt64]
    /// The markers positioned in the tile, ordered by id; `nil` if not requested.
    let markers: [Marker]?
    private let rendered = Mutex<MarkerRendering?>(nil)

    init(stamp: UInt64, origin: Origin, contents: Contents, markers: [Marker]?) {
        self.stamp = stamp
        self.origin = origin
        (cells, leaders) = (contents.cells, contents.leaders)
        self.markers = markers
    }

    /// The marker of each cell of a tile.
    struct Contents: Sendable {
        var cells: [UInt8] = []
        var leaders: [UInt64] = []

        /// Adds a cell, in ascending order.
        mutating func add(_ cell: UInt8, leader: UInt64) {
            cells.append(cell)
            leaders.append(leader)
        }

        func isSame(as tile: ClusterTile) -> Bool { cells == tile.cells && leaders == tile.leaders }
    }

    /// Returns the bytes of the markers, rendered on first use.
    func rendering(by render: (Marker, inout [UInt8]) -> Void) -> MarkerRendering {
        if let known = rendered.withLock({ $0 }) { return known }
        let made = MarkerRendering(markers ?? [], by: render)
        rendered.withLock { $0 = made }
        return made
    }

    /// Returns the leading cell of the marker of a cell in the tile, zero if the cell has no story.
    func leader(column: UInt32, row: UInt32) -> UInt64 {
        cells.firstIndex(of: ClusterTile.cell(column: column, row: row)).map { leaders[$0] } ?? 0
    }

    /// Returns the number of a cell within its tile.
    static func cell(column: UInt32, row: UInt32) -> UInt8 {
        UInt8((row & 7) << 3 | (column & 7))
    }
}
