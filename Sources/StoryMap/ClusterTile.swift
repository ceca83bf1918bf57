import Synchronization

/// What is known of one tile: which marker each cell belongs to and, when they were asked for, the markers in it.
final class ClusterTile: Sendable {
    /// A tile that others were found with, one zoom further out.
    struct Source: Sendable {
        let key: TileKey
        let stamp: UInt64
    }

    /// What tiles that were found together have in common.
    final class Origin: Sendable {
        /// The cells whose stories took part.
        let area: CellRegion
        let sources: [Source]

        init(area: CellRegion, sources: [Source]) {
            self.area = area
            self.sources = sources
        }
    }

    /// Names the cells' markers: another tile has the same stamp only if it has the same ones.
    let stamp: UInt64
    let origin: Origin
    /// The cells with stories, as row and column within the tile in three bits each, ascending.
    let cells: [UInt8]
    /// The leading cell of each one's marker, see ``Clustering/marker(column:row:)``.
    let leaders: [UInt64]
    /// The markers that stand in the tile, ordered by id; `nil` when nobody asked for them.
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

    /// The bytes of the markers, made when they are asked for first.
    func rendering(by render: (Marker, inout [UInt8]) -> Void) -> MarkerRendering {
        if let known = rendered.withLock({ $0 }) { return known }
        let made = MarkerRendering(markers ?? [], by: render)
        rendered.withLock { $0 = made }
        return made
    }

    /// The leading cell of the marker of a cell of the tile, zero where no story is.
    func leader(column: UInt32, row: UInt32) -> UInt64 {
        cells.firstIndex(of: ClusterTile.cell(column: column, row: row)).map { leaders[$0] } ?? 0
    }

    /// The number of a cell within its tile.
    static func cell(column: UInt32, row: UInt32) -> UInt8 {
        UInt8((row & 7) << 3 | (column & 7))
    }
}
