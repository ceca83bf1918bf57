/// Which marker each cell of a tile belongs to.
final class ClusterTile: Sendable {
    /// A tile that another was found with.
    struct Source: Sendable {
        let key: TileKey
        let stamp: UInt64
    }

    let key: TileKey
    /// Names these contents: another tile has the same only if it has the same contents.
    let stamp: UInt64
    /// How many cells around the tile were looked at.
    let margin: UInt32
    /// The cells with stories, as row and column within the tile in four bits each, ascending.
    let cells: [UInt8]
    /// The leading cell of each one's marker, see ``Clustering/marker(column:row:)``.
    let markers: [UInt64]
    /// The tiles one zoom further out that took part.
    let sources: [Source]

    init(
        key: TileKey,
        stamp: UInt64,
        margin: UInt32,
        cells: [UInt8],
        markers: [UInt64],
        sources: [Source]
    ) {
        self.key = key
        self.stamp = stamp
        self.margin = margin
        self.cells = cells
        self.markers = markers
        self.sources = sources
    }

    /// The contents of a clustering that is complete in the tile.
    static func contents(of clustering: Clustering, in key: TileKey) -> (cells: [UInt8], markers: [UInt64]) {
        let region = key.cells
        var found: [(UInt8, UInt64)] = []
        for atom in clustering.atoms where region.contains(column: atom.column, row: atom.row) {
            let cell = UInt8((atom.row - region.row) << 4 | (atom.column &- region.column))
            found.append((cell, clustering.marker(column: atom.column, row: atom.row)))
        }
        found.sort { $0.0 < $1.0 }
        return (found.map(\.0), found.map(\.1))
    }

    /// The markers of those of the cells that lie in the tile.
    func markers(ofCells atoms: [Clustering.Atom]) -> Set<UInt64> {
        let region = key.cells
        var found: Set<UInt64> = []
        for atom in atoms where region.contains(column: atom.column, row: atom.row) {
            let cell = UInt8((atom.row - region.row) << 4 | (atom.column &- region.column))
            if let index = cells.firstIndex(of: cell) { found.insert(markers[index]) }
        }
        return found
    }

    /// The cells around the tile whose stories took part.
    var area: CellRegion { key.cells.grown(cells: margin) }

    /// Column, row and marker of every cell with stories.
    func forEachCell(_ body: (_ column: UInt32, _ row: UInt32, _ marker: UInt64) -> Void) {
        let region = key.cells
        for (cell, marker) in zip(cells, markers) {
            body(region.column + UInt32(cell & 15), region.row + UInt32(cell >> 4), marker)
        }
    }
}

/// The markers that stand in a tile.
final class MarkerTile: Sendable {
    /// Ordered by id.
    let markers: [Marker]
    /// Which marker each cell belongs to.
    let tile: ClusterTile
    /// The cells, of one zoom or several, whose stories took part.
    let areas: [CellRegion]
    /// The tiles that expansion zooms were found with.
    let sources: [ClusterTile.Source]

    init(markers: [Marker], tile: ClusterTile, areas: [CellRegion], sources: [ClusterTile.Source]) {
        self.markers = markers
        self.tile = tile
        self.areas = areas
        self.sources = sources
    }
}
