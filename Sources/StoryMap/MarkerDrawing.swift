import Geometry

/// A box grown from parts, some of which lie a full turn further west or east.
///
/// Longitudes are stored unchanged, because adding and subtracting 360° would round them.
private struct UnwrappedBox {
    private var turns = [PointRun.Extremes](repeating: PointRun.Extremes(), count: 3)

    /// Includes extremes that lie `turn` turns to the east, -1...1.
    mutating func include(_ extremes: PointRun.Extremes, turn: Int) {
        turns[turn + 1].include(extremes)
    }

    /// The box, `nil` if nothing was included; +180 and -180 are normalised so that equal boxes have equal edges.
    var wrapped: BoundingBox? {
        let filled = turns.filter { !$0.isEmpty }
        guard let first = filled.first, let last = filled.last else { return nil }
        let west = first.west == 180 ? -180 : first.west
        let east = abs(last.east) == 180 ? (west > -180 ? 180 : -180) : last.east
        let south = filled.reduce(first.south) { min($0, $1.south) }
        let north = filled.reduce(first.north) { max($0, $1.north) }
        return BoundingBox(west: west, south: south, east: east, north: north)
    }
}

/// Turns the groups of a clustering into markers.
struct MarkerDrawing {
    private let clustering: Clustering
    private let scope: Scope
    private var expansion: GroupExpansion

    init(_ clustering: Clustering, scope: Scope) {
        self.clustering = clustering
        self.scope = scope
        expansion = GroupExpansion(clustering, scope: scope)
    }

    /// Returns the markers positioned in the tiles of a region, by tile and ordered by id.
    mutating func markers(in region: CellRegion) -> [[Marker]] {
        let shift = UInt32(32 - region.level)
        let tiles = UInt32(TileKey.cellLevels)
        var markers = [[Marker]](repeating: [], count: region.area >> (2 * TileKey.cellLevels))
        for (index, group) in clustering.groups.enumerated() {
            let unit = clustering.unit(of: group)
            let (column, row) = (unit.x >> shift, unit.y >> shift)
            guard region.contains(column: column, row: row) else { continue }
            let tile =
                ((row - region.row) >> tiles) * (region.width >> tiles) + region.offset(ofColumn: column) >> tiles
            markers[Int(tile)].append(marker(index))
        }
        for tile in markers.indices { markers[tile].sort { $0.clusterID < $1.clusterID } }
        return markers
    }

    /// Returns the position of a group: the mean of its places, or exactly the place's point if there is only one.
    func position(of index: Int) -> Coordinate {
        let group = clustering.groups[index]
        if group.count == 1, let member = single(group) { return member.point }
        return clustering.position(of: group)
    }

    /// Returns the member of a group of one story; of several places, the story's own location, else that of the lowest
    /// id.
    private func single(_ group: Clustering.Group) -> Member? {
        if let piece = clustering.onlyPiece(of: group), piece.range.count == 1 {
            let slice = scope.slices[piece.slice]
            let position = piece.range.lowerBound
            let run = slice.run
            return Member(
                view: slice.view,
                row: Int(run.rows[position]),
                point: run.points[position],
                isMore: run.marks[position] > 1,
                place: run.further.place(at: position),
                hasFurther: run.further.mark(at: position) != nil
            )
        }
        let members = scope.members(of: clustering.pieces(of: group))
        guard members.count > 1, let first = members.min(by: { $0.place < $1.place }) else { return members.first }
        // What the log of exact access records holds for all places of the marker.
        return Member(
            view: first.view,
            row: first.row,
            point: first.point,
            isMore: members.contains(where: \.isMore),
            place: first.place,
            hasFurther: first.hasFurther
        )
    }

    /// Returns the marker of a group.
    mutating func marker(_ index: Int) -> Marker {
        let group = clustering.groups[index]
        let anchor = clustering.atoms[group.anchor]
        let id = ClusterID(zoom: clustering.zoom, column: anchor.column, row: anchor.row)
        if group.count == 1, let member = single(group) {
            return Marker(
                clusterID: id,
                count: 1,
                position: member.point,
                bounds: BoundingBox(member.point),
                expansionZoom: MapSnapshot.maximumZoom + 1,
                isStacked: false,
                repeats: 0,
                single: singleStory(member)
            )
        }
        let bounds = bounds(of: group)
        let southWest = PlaceID(Coordinate(wrappingLatitude: bounds.south, longitude: bounds.west))
        let northEast = PlaceID(Coordinate(wrappingLatitude: bounds.north, longitude: bounds.east))
        let repeats = scope.hasFurther ? scope.repeats(in: clustering.pieces(of: group)) : 0
        let count = group.count - repeats
        let isOnePlace = southWest == northEast
        return Marker(
            clusterID: id,
            count: count,
            position: clustering.position(of: group),
            bounds: bounds,
            expansionZoom: expansion.zoom(of: group, bounds: bounds),
            isStacked: isOnePlace && count > 1,
            repeats: UInt32(clamping: repeats),
            single: isOnePlace && count == 1 ? single(group).map { singleStory($0) } : nil
        )
    }

    private func singleStory(_ member: Member) -> SingleStory {
        let place = PlaceID(member.point)
        // A place well inside a cell with one story contains only that story: a place is 119 units wide and, up to 80°
        // latitude, at most 687 high.
        let reach: Int64 = 1_024
        let unit = MercatorPoint(member.point)
        let side = clustering.region.side
        let x = Int64(unit.x) % side
        let y = Int64(unit.y) % side
        let isInside = x > reach && y > reach && x < side - reach && y < side - reach && abs(member.point.latitude) < 80
        let count = isInside ? 1 : scope.members(at: place).count
        let view = scope.views[member.view]
        let segment = view.segment
        let story = segment.rows[member.row]
        let label = StoryLabel(segment.label(of: member.row))
        return SingleStory(
            id: story.id,
            placeID: member.place,
            place: place,
            storiesHere: count,
            kind: segment.words.kinds[story.kind],
            title: label.title,
            date: view.date(of: member.row, label),
            picture: label.picture,
            privacy: label.privacy,
            isMoreExact: member.isMore,
            owner: segment.words.owners[story.owner]
        )
    }

    /// Returns the smallest box around the points of a group.
    private func bounds(of group: Clustering.Group) -> BoundingBox {
        let anchor = clustering.atoms[group.anchor]
        var box = UnwrappedBox()
        for index in clustering.atoms(of: group) {
            let turn = clustering.turn(from: anchor, to: clustering.atoms[Int(index)])
            box.include(extremes(ofAtom: Int(index)), turn: turn)
        }
        return box.wrapped ?? BoundingBox(clustering.position(of: group))
    }

    private func extremes(ofAtom index: Int) -> PointRun.Extremes {
        var extremes = PointRun.Extremes()
        var removed = PointRun.Extremes()
        clustering.forEachPiece(of: index) { piece in
            let run = scope.slices[piece.slice].run
            extremes.include(run.extremes(in: piece.range))
            guard !run.isPlain(in: piece.range) else { return }
            for position in piece.range where run.marks[position] < 0 { removed.include(run.points[position]) }
        }
        // Removed points matter only if they lie on an edge.
        guard extremes.isTouched(by: removed) else { return extremes }
        var pieces: [Piece] = []
        clustering.forEachPiece(of: index) { pieces.append($0) }
        var exact = PointRun.Extremes()
        for member in scope.members(of: pieces) { exact.include(member.point) }
        return exact
    }
}

extension Clustering {
    /// Returns the number of turns by which an atom's longitudes must move east to be adjacent to the anchor's: -1, 0
    /// or 1.
    func turn(from anchor: Atom, to atom: Atom) -> Int {
        let column = Int64(anchor.column) + Clustering.columnsEast(of: anchor, to: atom, zoom: zoom)
        return column < 0 ? -1 : column >= Int64(region.columns) ? 1 : 0
    }
}
