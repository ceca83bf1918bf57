public import Geometry
import Stories

extension MapSnapshot {
    /// Returns the markers positioned in the half-open box, ordered by id.
    ///
    /// Western and southern edges belong to the box; eastern and northern ones only at 180° and at the pole. So the
    /// places of adjoining boxes add up to the total, as do the counts if no story has several places, and a marker is
    /// the same in every box that contains it. `zoom`
    /// refers to tiles of 512 pixels and is clamped to 0...``maximumZoom``.
    public func markers(in box: BoundingBox, zoom: Int, _ query: StoryQuery) -> [Marker] {
        let edges = MarkerBox(box)
        if let tiles = tiles(in: edges, zoom: zoom, query) {
            return tiles.flatMap { $0.markers.map { $0.filter { edges.contains($0.position) } } ?? [] }
                .sorted { $0.clusterID < $1.clusterID }
        }
        let zoom = min(MapSnapshot.maximumZoom, max(0, zoom))
        let cells = MapSnapshot.cells(of: edges, zoom: zoom)
        return markers(in: cells, zoom: zoom, reader(query)) {
            edges.rectangle.nearlyHolds($0) && edges.contains($1)
        }
    }

    private static func cells(of box: MarkerBox, zoom: Int) -> CellRegion {
        CellRegion(level: zoom + CellRegion.levelsPerTile, covering: box.rectangle, margin: 4)
    }

    /// Returns tiles that together contain all markers in a box, and possibly others around it; `nil` if there are too
    /// many tiles.
    func tiles(in box: MarkerBox, zoom: Int, _ query: StoryQuery) -> [ClusterTile]? {
        let cells = MapSnapshot.cells(of: box, zoom: min(MapSnapshot.maximumZoom, max(0, zoom)))
        guard cells.area <= MapSnapshot.tiledArea else { return nil }
        return reader(query).tiles(TileKey.covering(cells), areDrawn: true)
    }

    /// Returns the markers of a tile of the Web Mercator pyramid, empty if the tile does not exist.
    ///
    /// Every marker of a zoom belongs to exactly one tile; those beyond ±85.0511° belong to the outermost rows.
    public func markers(inTile column: Int, row: Int, zoom: Int, _ query: StoryQuery) -> [Marker] {
        guard (0...MapSnapshot.maximumZoom).contains(zoom) else { return [] }
        guard (0..<1 << zoom).contains(column), (0..<1 << zoom).contains(row) else { return [] }
        let side = UInt32(1) << UInt32(CellRegion.levelsPerTile)
        let cells = CellRegion(
            level: zoom + CellRegion.levelsPerTile,
            column: UInt32(column) * side,
            width: side,
            row: UInt32(row) * side,
            height: side
        )
        return reader(query).tiles(TileKey.covering(cells), areDrawn: true).flatMap { $0.markers ?? [] }
            .sorted { $0.clusterID < $1.clusterID }
    }

    /// The maximum number of cells in a region processed tile by tile: 256 tiles of 512 pixels.
    ///
    /// Larger regions are processed as a whole.
    private static let tiledArea = 256 << (2 * CellRegion.levelsPerTile)

    /// Returns the markers of a region, which may be the whole world at the deepest zoom.
    private func markers(
        in cells: CellRegion,
        zoom: Int,
        _ reader: TileReader,
        where isShown: (MercatorPoint, Coordinate) -> Bool
    ) -> [Marker] {
        let clustering = ClusterChain(reader.scope, zoom: zoom, core: cells).clustering
        var drawing = MarkerDrawing(clustering, scope: reader.scope)
        var markers: [Marker] = []
        for (index, group) in clustering.groups.enumerated()
        where isShown(clustering.unit(of: group), drawing.position(of: index)) {
            markers.append(drawing.marker(index))
        }
        return markers.sorted { $0.clusterID < $1.clusterID }
    }

    /// Returns the marker led by the cell of an id or, if it no longer leads one, the marker that now contains it.
    ///
    /// Returns `nil` if no visible, wanted story is left in that cell.
    public func marker(_ id: ClusterID, _ query: StoryQuery) -> Marker? {
        let reader = reader(query)
        guard let (clustering, group) = group(around: id, reader) else { return nil }
        var drawing = MarkerDrawing(clustering, scope: reader.scope)
        return drawing.marker(group)
    }

    /// Returns a page of the stories of ``marker(_:_:)``, newest first; `nil` if there is no such marker.
    public func stories(
        of id: ClusterID,
        _ query: StoryQuery,
        after cursor: ListCursor? = nil,
        limit: Int
    ) -> StoryPage? {
        let reader = reader(query)
        guard let (clustering, group) = group(around: id, reader) else { return nil }
        let members = reader.scope.distinct(reader.scope.members(of: clustering.pieces(of: clustering.groups[group])))
        return page(members.map(reader.scope.story), after: cursor, limit: limit)
    }

    /// Returns the markers into which a marker splits at its expansion zoom, ordered by id; empty if it never splits.
    ///
    /// The returned markers can also include stories of neighbouring markers. Returns `nil` if there is no marker with
    /// this id.
    public func children(of id: ClusterID, _ query: StoryQuery) -> [Marker]? {
        let reader = reader(query)
        guard let (clustering, group) = group(around: id, reader) else { return nil }
        var drawing = MarkerDrawing(clustering, scope: reader.scope)
        let zoom = drawing.marker(group).expansionZoom
        guard zoom <= MapSnapshot.maximumZoom else { return [] }
        var inner = StoryCells(reader.scope)
        inner.collect(clustering.groups[group], of: clustering, zoom: zoom)
        let cells = inner.atoms
        let keys = Set(cells.map { TileKey(zoom: zoom, ofColumn: $0.column, row: $0.row) })
            .sorted { $0.rawValue < $1.rawValue }
        let tiles = Dictionary(uniqueKeysWithValues: zip(keys, reader.tiles(keys, areDrawn: false)))
        let leaders = cells.compactMap { cell in
            tiles[TileKey(zoom: zoom, ofColumn: cell.column, row: cell.row)]?
                .leader(column: cell.column, row: cell.row)
        }
        return Set(leaders).sorted().compactMap { marker(ClusterID(zoom: zoom, marker: $0), query) }
    }

    /// Returns the markers around the cell of an id, and the index of the group that contains it.
    private func group(around id: ClusterID, _ reader: TileReader) -> (clustering: Clustering, group: Int)? {
        let level = id.zoom + CellRegion.levelsPerTile
        let cell = CellRegion(level: level, column: id.column, width: 1, row: id.row, height: 1)
        // The marker lies within ``Clustering/extent`` of the cell, and is known completely around its position.
        let reach = UInt32((Clustering.extent / 32).rounded(.up)) + 1
        let clustering = reader.clustering(of: cell.grown(cells: reach)).clustering
        guard let atom = clustering.atom(column: id.column, row: id.row) else { return nil }
        let group = Int(clustering.groupOfAtom[atom])
        return group < 0 ? nil : (clustering, group)
    }
}

/// The edges of a box for comparison with markers: half-open, closed at 180° and at the pole.
struct MarkerBox: Sendable {
    private let west: Double
    private let east: Double
    private let south: Double
    private let north: Double
    /// The box in Mercator units, unwrapped: the east may exceed the square.
    let rectangle: UnitRectangle

    init(_ box: BoundingBox) {
        // The 180th meridian belongs to the box west of it, so that two boxes meeting there do not share a marker. From
        // 180 to -180 is that meridian only, not the whole globe.
        let isMeridian = box.west == 180 && box.east == -180
        west = box.crossesAntimeridian && box.west == 180 && !isMeridian ? -180 : box.west
        east = box.crossesAntimeridian && box.east == -180 ? 180 : box.east
        south = box.south
        north = box.north
        let upperLeft = MercatorPoint(Coordinate(wrappingLatitude: north, longitude: west))
        let lowerRight = MercatorPoint(Coordinate(wrappingLatitude: south, longitude: east))
        rectangle = UnitRectangle(
            west: Int64(upperLeft.x),
            north: Int64(upperLeft.y),
            east: Int64(lowerRight.x) + (west > east ? 1 << 32 : 0),
            south: Int64(lowerRight.y)
        )
    }

    func contains(_ position: Coordinate) -> Bool {
        guard position.latitude >= south, position.latitude < north || north == 90 else { return false }
        let isEastOfWest = position.longitude >= west
        let isWestOfEast = position.longitude < east || east == 180
        return west > east ? isEastOfWest || isWestOfEast : isEastOfWest && isWestOfEast
    }
}

extension UnitRectangle {
    /// Returns whether a unit lies in the rectangle, or so near that only a comparison in degrees can tell.
    func nearlyHolds(_ unit: MercatorPoint) -> Bool {
        guard Int64(unit.y) >= north - 4, Int64(unit.y) <= south + 4 else { return false }
        let offset = (Int64(unit.x) - (west - 4)) & 0xFFFF_FFFF
        return offset <= east - west + 8
    }
}
