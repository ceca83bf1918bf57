import Geometry

/// A box grown from parts of which some lie a turn further west or east.
///
/// Longitudes are kept as they are, because adding and subtracting 360° would round them.
private struct UnwrappedBox {
    private var turns = [PointRun.Extremes](repeating: PointRun.Extremes(), count: 3)

    /// Includes extremes that lie `turn` turns, -1...1, to the east.
    mutating func include(_ extremes: PointRun.Extremes, turn: Int) {
        turns[turn + 1].include(extremes)
    }

    /// The box, `nil` when nothing was included; +180 and -180 are written so that equal boxes have equal edges.
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

/// Turns chosen groups of a clustering into markers.
struct MarkerDrawing {
    private let clustering: Clustering
    private let reader: TileReader
    private let scope: Scope
    private var chosen: [Int] = []
    /// The tiles that expansion zooms were found with.
    private(set) var sources: [ClusterTile.Source] = []
    /// The cells that expansion zooms were found with.
    private(set) var areas: [CellRegion] = []

    init(_ clustering: Clustering, reader: TileReader) {
        self.clustering = clustering
        self.reader = reader
        scope = reader.scope
    }

    /// Chooses a group.
    mutating func add(_ group: Int) { chosen.append(group) }

    /// Where a group stands: exactly at its story when it has only one.
    func position(of index: Int) -> Coordinate {
        let group = clustering.groups[index]
        if group.count == 1, let member = single(group) { return member.point }
        return clustering.position(of: group)
    }

    private func single(_ group: Clustering.Group) -> Member? {
        scope.members(of: clustering.pieces(of: group)).first
    }

    /// The markers of the chosen groups, ordered by id.
    mutating func markers() -> [Marker] {
        let boxes = chosen.map { clustering.groups[$0].count > 1 ? bounds(of: clustering.groups[$0]) : nil }
        var expansions = zip(chosen, boxes)
            .map { index, box in
                box.map { GroupExpansion(clustering.groups[index], of: clustering, bounds: $0, reader: reader) }
            }
        findSplits(of: &expansions)
        for expansion in expansions { sources += expansion?.sources ?? [] }
        let markers = chosen.indices.map { marker(chosen[$0], bounds: boxes[$0], expansion: expansions[$0]) }
        return markers.sorted { $0.clusterID < $1.clusterID }
    }

    /// Looks one zoom further in, for all the groups at once that do not know by themselves whether they split there.
    private mutating func findSplits(of expansions: inout [GroupExpansion?]) {
        let open = expansions.compactMap { $0?.openCells }
        let level = clustering.region.level + 1
        guard let core = CellRegion.holding(open, level: level) else { return }
        let (inner, margin, sources) = reader.clustering(of: core, outer: clustering)
        self.sources += sources
        areas.append(core.grown(cells: margin))
        for index in expansions.indices { expansions[index]?.decide(in: inner) }
    }

    private func marker(_ index: Int, bounds: BoundingBox?, expansion: GroupExpansion?) -> Marker {
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
                single: singleStory(member, in: anchor)
            )
        }
        let bounds = bounds ?? BoundingBox(clustering.position(of: group))
        let southWest = PlaceID(Coordinate(wrappingLatitude: bounds.south, longitude: bounds.west))
        let northEast = PlaceID(Coordinate(wrappingLatitude: bounds.north, longitude: bounds.east))
        return Marker(
            clusterID: id,
            count: group.count,
            position: clustering.position(of: group),
            bounds: bounds,
            expansionZoom: expansion?.zoom ?? MapSnapshot.maximumZoom + 1,
            isStacked: southWest == northEast,
            single: nil
        )
    }

    private func singleStory(_ member: Member, in atom: Clustering.Atom) -> SingleStory {
        let place = PlaceID(member.point)
        // A place well inside a cell with one story holds that story only.
        // A place is 119 units wide and, south of 80°, at most 687 high.
        let reach: Int64 = 1_024
        let unit = MercatorPoint(member.point)
        let side = clustering.region.side
        let x = Int64(unit.x) % side
        let y = Int64(unit.y) % side
        let isInside = x > reach && y > reach && x < side - reach && y < side - reach && abs(member.point.latitude) < 80
        let count = isInside ? 1 : scope.members(at: place).count
        return SingleStory(id: scope.story(member).id, place: place, storiesHere: count)
    }

    /// The smallest box around the points of a group.
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
        let pieces = clustering.pieces(of: index)
        for piece in pieces {
            let run = scope.slices[piece.slice].run
            extremes.include(run.extremes(in: piece.range))
            guard !run.isPlain(in: piece.range) else { continue }
            for position in piece.range where run.marks[position] < 0 { removed.include(run.points[position]) }
        }
        // What was taken away cannot matter unless it lies on an edge.
        guard extremes.isTouched(by: removed) else { return extremes }
        var exact = PointRun.Extremes()
        for member in scope.members(of: pieces) { exact.include(member.point) }
        return exact
    }
}

extension Clustering {
    /// By how many turns an atom's longitudes have to be moved east to lie next to those of the anchor: -1, 0 or 1.
    func turn(from anchor: Atom, to atom: Atom) -> Int {
        let column = Int64(anchor.column) + Clustering.columnsEast(of: anchor, to: atom, zoom: zoom)
        return column < 0 ? -1 : column >= Int64(region.columns) ? 1 : 0
    }

    /// The rectangle of a group's cells, unwrapped.
    func area(of group: Group) -> UnitRectangle {
        let anchor = atoms[group.anchor]
        var west = Int64(anchor.column)
        var east = west
        var north = Int64(anchor.row)
        var south = north
        for index in atoms(of: group) {
            let atom = atoms[Int(index)]
            let column = Int64(anchor.column) + Clustering.columnsEast(of: anchor, to: atom, zoom: zoom)
            west = min(west, column)
            east = max(east, column)
            north = min(north, Int64(atom.row))
            south = max(south, Int64(atom.row))
        }
        return UnitRectangle(
            west: west * region.side,
            north: north * region.side,
            east: (east + 1) * region.side - 1,
            south: (south + 1) * region.side - 1
        )
    }

    /// For each atom of a deeper clustering inside a group here: that group, and the atom's own group there.
    ///
    /// With `group` only the atoms of that group.
    func parts(of group: Int?, in deeper: Clustering) -> [(parent: Int, group: Int)] {
        var table = CellTable(region)
        let wanted = group.map { Array(atoms(of: groups[$0])) } ?? atoms.indices.map { Int32($0) }
        for index in wanted { table[atoms[Int(index)].column, atoms[Int(index)].row] = groupOfAtom[Int(index)] }
        let shift = UInt32(deeper.region.level - region.level)
        var parts: [(parent: Int, group: Int)] = []
        for (index, atom) in deeper.atoms.enumerated() {
            let parent = table[atom.column >> shift, atom.row >> shift]
            if parent >= 0 { parts.append((Int(parent), Int(deeper.groupOfAtom[index]))) }
        }
        return parts
    }
}
