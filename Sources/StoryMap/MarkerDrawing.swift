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
    private let scope: Scope
    private var chosen: [Int] = []

    /// The longest span in pixels of two stories in one marker: both lie within the extent of its position, each within
    /// the diagonal of its cell.
    private static let longestSpan = 2 * (Clustering.extent + 46)

    init(_ clustering: Clustering, scope: Scope) {
        self.clustering = clustering
        self.scope = scope
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
    ///
    /// `rectangle` is where they stand, if that is known: then what becomes of them at the next zoom is found for all at
    /// once instead of one by one.
    func markers(within rectangle: UnitRectangle?) -> [Marker] {
        var next: Set<Int>?
        if let rectangle, chosen.contains(where: { clustering.groups[$0].count > 1 }) {
            next = splitAtNextZoom(within: rectangle)
        }
        return chosen.map { marker($0, splitNext: next) }.sorted { $0.clusterID < $1.clusterID }
    }

    private func marker(_ index: Int, splitNext: Set<Int>?) -> Marker {
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
        let bounds = bounds(of: group)
        let southWest = PlaceID(Coordinate(wrappingLatitude: bounds.south, longitude: bounds.west))
        let northEast = PlaceID(Coordinate(wrappingLatitude: bounds.north, longitude: bounds.east))
        let isStacked = southWest == northEast
        return Marker(
            clusterID: id,
            count: group.count,
            position: clustering.position(of: group),
            bounds: bounds,
            expansionZoom: isStacked
                ? MapSnapshot.maximumZoom + 1 : expansionZoom(of: index, bounds: bounds, splitNext: splitNext),
            isStacked: isStacked,
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

    /// The first deeper zoom at which a group's stories are in more than one marker.
    private func expansionZoom(of index: Int, bounds: BoundingBox, splitNext: Set<Int>?) -> Int {
        let upperLeft = MercatorPoint(Coordinate(wrappingLatitude: bounds.north, longitude: bounds.west))
        let lowerRight = MercatorPoint(Coordinate(wrappingLatitude: bounds.south, longitude: bounds.east))
        let differing = (upperLeft.x ^ lowerRight.x) | (upperLeft.y ^ lowerRight.y)
        // Stories of one cell stay together; an edge written as the other side of the 180th meridian tells nothing.
        let isOnMeridian = abs(bounds.west) == 180 || abs(bounds.east) == 180
        let firstApart = isOnMeridian ? 0 : differing.leadingZeroBitCount + 1 - CellRegion.levelsPerTile
        let span = max(Int64(lowerRight.x &- upperLeft.x), Int64(lowerRight.y) - Int64(upperLeft.y))
        let next = clustering.zoom + 1
        var zoom = max(next, firstApart)
        while zoom <= MapSnapshot.maximumZoom {
            if span > Clustering.units(pixels: MarkerDrawing.longestSpan, zoom: zoom) { return zoom }
            let isSplit = zoom == next ? splitNext?.contains(index) : nil
            if isSplit ?? self.isSplit(index, zoom: zoom) { return zoom }
            zoom += 1
        }
        return MapSnapshot.maximumZoom + 1
    }

    private func isSplit(_ index: Int, zoom: Int) -> Bool {
        let area = clustering.area(of: clustering.groups[index])
        let region = CellRegion(zoom: zoom, covering: area, margin: Clustering.horizon)
        let deeper = Clustering(scope, region: region, zoom: zoom)
        return Set(clustering.parts(of: index, in: deeper).map(\.group)).count > 1
    }

    /// The groups of which not all stories share one marker of the next zoom, among those that stand in the rectangle.
    private func splitAtNextZoom(within rectangle: UnitRectangle) -> Set<Int> {
        let next = clustering.zoom + 1
        guard next <= MapSnapshot.maximumZoom else { return [] }
        let area = rectangle.grown(pixels: Clustering.extent + 46, zoom: clustering.zoom)
        let region = CellRegion(zoom: next, covering: area, margin: Clustering.horizon)
        let deeper = Clustering(scope, region: region, zoom: next)
        var first: [Int: Int] = [:]
        var split: Set<Int> = []
        let wanted = Set(chosen)
        for part in clustering.parts(of: nil, in: deeper) where wanted.contains(part.parent) {
            if let known = first[part.parent] {
                if known != part.group { split.insert(part.parent) }
            } else {
                first[part.parent] = part.group
            }
        }
        return split
    }
}

extension Clustering {
    /// By how many turns an atom's longitudes have to be moved east to lie next to those of the anchor: -1, 0 or 1.
    func turn(from anchor: Atom, to atom: Atom) -> Int {
        let column = Int64(anchor.column) + columnsEast(of: anchor, to: atom)
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
            let column = Int64(anchor.column) + columnsEast(of: anchor, to: atom)
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
