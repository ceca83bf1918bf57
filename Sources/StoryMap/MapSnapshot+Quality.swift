package import Geometry

extension MapSnapshot {
    /// The viewer's points of everything wanted in the closed box, to measure how well markers show them.
    package func points(in box: BoundingBox, _ query: StoryQuery) -> [Coordinate] {
        Scope(query, segments: segments).members(in: box).map(\.point)
    }

    /// The marker of each of some points of stories at a zoom, `nil` where no story is; the points lie near each other.
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
