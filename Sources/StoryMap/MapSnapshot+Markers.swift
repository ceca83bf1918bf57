public import Geometry
import Stories

extension MapSnapshot {
    /// The markers whose position lies in the half-open box, ordered by id.
    ///
    /// Western and southern edges belong to the box; eastern and northern ones only at 180° and at the pole. So the
    /// counts of adjoining boxes sum up to the count of the whole, and a marker is the same in every box that shows it.
    /// `zoom` counts tiles of 512 pixels and is kept within 0...``maximumZoom``.
    public func markers(in box: BoundingBox, zoom: Int, _ query: StoryQuery) -> [Marker] {
        let edges = MarkerBox(box)
        return markers(in: edges.rectangle, zoom: zoom, query) { _, position in edges.contains(position) }
    }

    /// The markers of a tile of the Web Mercator pyramid, empty when there is no such tile.
    ///
    /// Every marker of a zoom belongs to exactly one tile; those beyond ±85.0511° belong to the outermost rows.
    public func markers(inTile column: Int, row: Int, zoom: Int, _ query: StoryQuery) -> [Marker] {
        guard (0...MapSnapshot.maximumZoom).contains(zoom) else { return [] }
        guard (0..<1 << zoom).contains(column), (0..<1 << zoom).contains(row) else { return [] }
        let side = Int64(1) << Int64(32 - zoom)
        let rectangle = UnitRectangle(
            west: Int64(column) * side,
            north: Int64(row) * side,
            east: Int64(column + 1) * side - 1,
            south: Int64(row + 1) * side - 1
        )
        return markers(in: rectangle, zoom: zoom, query) { unit, _ in
            Int64(unit.x) / side == Int64(column) && Int64(unit.y) / side == Int64(row)
        }
    }

    private func markers(
        in rectangle: UnitRectangle,
        zoom: Int,
        _ query: StoryQuery,
        where isShown: (MercatorPoint, Coordinate) -> Bool
    ) -> [Marker] {
        let zoom = min(MapSnapshot.maximumZoom, max(0, zoom))
        let region = CellRegion(zoom: zoom, covering: rectangle, margin: Clustering.halo)
        let scope = Scope(query, segments: segments).filtered(in: region)
        let clustering = Clustering(scope, region: region, zoom: zoom)
        var drawing = MarkerDrawing(clustering, scope: scope)
        for (index, group) in clustering.groups.enumerated() {
            let unit = clustering.unit(of: group)
            guard rectangle.nearlyHolds(unit), isShown(unit, drawing.position(of: index)) else { continue }
            drawing.add(index)
        }
        return drawing.markers(within: rectangle)
    }

    /// The marker that the cell of an id leads or, when it no longer leads, the one that now holds it.
    ///
    /// `nil` when no visible, wanted story is left in that cell.
    public func marker(_ id: ClusterID, _ query: StoryQuery) -> Marker? {
        guard let (clustering, scope, group) = clustering(around: id, query) else { return nil }
        var drawing = MarkerDrawing(clustering, scope: scope)
        drawing.add(group)
        return drawing.markers(within: nil).first
    }

    /// A page of the stories of ``marker(_:_:)``, newest first; `nil` when there is no such marker.
    public func stories(
        of id: ClusterID,
        _ query: StoryQuery,
        after cursor: ListCursor? = nil,
        limit: Int
    ) -> StoryPage? {
        guard let (clustering, scope, group) = clustering(around: id, query) else { return nil }
        let members = scope.members(of: clustering.pieces(of: clustering.groups[group]))
        return page(members.map(scope.story), after: cursor, limit: limit)
    }

    /// The markers into which a marker splits at its expansion zoom, ordered by id; empty when it never splits.
    ///
    /// They can stand for stories of neighbours as well.
    public func children(of id: ClusterID, _ query: StoryQuery) -> [Marker]? {
        guard let parent = marker(id, query) else { return nil }
        guard parent.expansionZoom <= MapSnapshot.maximumZoom else { return [] }
        guard let (clustering, _, group) = clustering(around: id, query) else { return nil }
        let area = clustering.area(of: clustering.groups[group])
        let zoom = parent.expansionZoom
        let region = CellRegion(zoom: zoom, covering: area, margin: Clustering.extent + Clustering.halo)
        let scope = Scope(query, segments: segments).filtered(in: region)
        let deeper = Clustering(scope, region: region, zoom: zoom)
        var drawing = MarkerDrawing(deeper, scope: scope)
        let parts = Set(clustering.parts(of: group, in: deeper).map(\.group))
        for index in parts { drawing.add(index) }
        return drawing.markers(within: nil)
    }

    /// The markers around the cell of an id, and the number of the group that holds it.
    private func clustering(
        around id: ClusterID,
        _ query: StoryQuery
    ) -> (clustering: Clustering, scope: Scope, group: Int)? {
        let side = Int64(1) << Int64(32 - id.zoom - CellRegion.levelsPerTile)
        let cell = UnitRectangle(
            west: Int64(id.column) * side,
            north: Int64(id.row) * side,
            east: Int64(id.column + 1) * side - 1,
            south: Int64(id.row + 1) * side - 1
        )
        let region = CellRegion(zoom: id.zoom, covering: cell, margin: Clustering.extent + Clustering.halo)
        let scope = Scope(query, segments: segments).filtered(in: region)
        let clustering = Clustering(scope, region: region, zoom: id.zoom)
        guard let atom = clustering.atoms.firstIndex(where: { $0.column == id.column && $0.row == id.row }) else {
            return nil
        }
        return (clustering, scope, Int(clustering.groupOfAtom[atom]))
    }
}

/// The edges of a box as markers are compared with them: half-open, closed at 180° and at the pole.
struct MarkerBox: Sendable {
    private let west: Double
    private let east: Double
    private let south: Double
    private let north: Double
    /// The box in Mercator units, unwrapped: the east may lie beyond the square.
    let rectangle: UnitRectangle

    init(_ box: BoundingBox) {
        // The 180th meridian belongs to the box west of it, so that two boxes meeting there do not share a marker.
        // From 180 to -180 is that meridian alone, not the way round the globe.
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
    /// Whether a unit lies in the rectangle or so near that only a comparison in degrees can tell.
    func nearlyHolds(_ unit: MercatorPoint) -> Bool {
        guard Int64(unit.y) >= north - 4, Int64(unit.y) <= south + 4 else { return false }
        let offset = (Int64(unit.x) - (west - 4)) & 0xFFFF_FFFF
        return offset <= east - west + 8
    }

    /// The rectangle grown by a number of pixels of a zoom.
    func grown(pixels: Double, zoom: Int) -> UnitRectangle {
        let margin = Clustering.units(pixels: pixels, zoom: zoom)
        return UnitRectangle(west: west - margin, north: north - margin, east: east + margin, south: south + margin)
    }
}

extension CellRegion {
    /// The cells of a zoom that touch a rectangle grown by `margin` pixels, and one more for rounding.
    init(zoom: Int, covering rectangle: UnitRectangle, margin: Double) {
        self.init(
            level: zoom + CellRegion.levelsPerTile,
            covering: rectangle,
            margin: Clustering.units(pixels: margin + 1, zoom: zoom)
        )
    }
}
