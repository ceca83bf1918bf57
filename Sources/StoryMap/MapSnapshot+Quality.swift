package import Geometry

extension MapSnapshot {
    /// Returns the points of all matches in the closed box as shown to the viewer, to measure how well markers
    /// represent them.
    package func points(in box: BoundingBox, _ query: StoryQuery) -> [Coordinate] {
        Scope(query, segments: segments).members(in: box).map(\.point)
    }

    /// Returns the marker of each given story point at a zoom, `nil` if there is no story; the points must be near each
    /// other.
    package func markerIDs(of points: [Coordinate], zoom: Int, _ query: StoryQuery) -> [ClusterID?] {
        let shift = UInt32(32 - zoom - CellRegion.levelsPerTile)
        let cells = points.map { point in
            let unit = MercatorPoint(point)
            return (column: unit.x >> shift, row: unit.y >> shift)
        }
        let keys = Set(cells.map { TileKey(zoom: zoom, ofColumn: $0.column, row: $0.row) })
            .sorted { $0.rawValue < $1.rawValue }
        let tiles = Dictionary(uniqueKeysWithValues: zip(keys, reader(query).tiles(keys, areDrawn: false)))
        return cells.map { cell in
            let tile = tiles[TileKey(zoom: zoom, ofColumn: cell.column, row: cell.row)]
            let leader = tile?.leader(column: cell.column, row: cell.row) ?? 0
            return leader == 0 ? nil : ClusterID(zoom: zoom, marker: leader)
        }
    }
}
