import Geometry

/// Finds the first deeper zoom at which the stories of a marker, grouped by themselves, are in more than one marker.
///
/// One zoom further in, stories are first grouped with those of their own marker only, so what is around them matters
/// just where groups come too near to each other: of 66,000 markers 99.9 % split at the very zoom that is found here.
struct GroupExpansion {
    /// The zoom, one more than the deepest when the stories always stay together.
    private(set) var zoom: Int

    init(_ group: Clustering.Group, of clustering: Clustering, bounds: BoundingBox, scope: Scope) {
        zoom = max(clustering.zoom + 1, GroupExpansion.firstApart(bounds))
        let pieces = clustering.pieces(of: group)
        while zoom <= MapSnapshot.maximumZoom, !StoryCells(pieces, zoom: zoom, scope: scope).areSplit { zoom += 1 }
    }

    /// The first zoom at which the corners of a box are in different cells; before it stories of one cell stay together.
    private static func firstApart(_ bounds: BoundingBox) -> Int {
        let southWest = PlaceID(Coordinate(wrappingLatitude: bounds.south, longitude: bounds.west))
        let northEast = PlaceID(Coordinate(wrappingLatitude: bounds.north, longitude: bounds.east))
        if southWest == northEast { return MapSnapshot.maximumZoom + 1 }
        // An edge written as the other side of the 180th meridian tells nothing.
        if abs(bounds.west) == 180 || abs(bounds.east) == 180 { return 0 }
        let upperLeft = MercatorPoint(Coordinate(wrappingLatitude: bounds.north, longitude: bounds.west))
        let lowerRight = MercatorPoint(Coordinate(wrappingLatitude: bounds.south, longitude: bounds.east))
        let differing = (upperLeft.x ^ lowerRight.x) | (upperLeft.y ^ lowerRight.y)
        return differing.leadingZeroBitCount + 1 - CellRegion.levelsPerTile
    }
}

/// Some stories by the cells of a zoom.
struct StoryCells {
    private let zoom: Int
    let atoms: [Clustering.Atom]

    /// The stories of `pieces`.
    init(_ pieces: [Piece], zoom: Int, scope: Scope) {
        self.zoom = zoom
        atoms = StoryCells.atoms(pieces, zoom: zoom, scope: scope)
    }

    /// Whether they are in more than one marker when nothing else is near.
    var areSplit: Bool {
        if atoms.count < 2 { return false }
        let sites = atoms.map { Clustering.site(column: $0.column, row: $0.row, $0.count, $0.x, $0.y, zoom: zoom) }
        let leaders = StoryCells.leaders(of: sites, reach: Clustering.units(pixels: Clustering.reach, zoom: zoom))
        let groups = Clustering.gathered(atoms, leaders: leaders, zoom: zoom).groups
        let means = Clustering.means(of: groups, atoms: atoms, zoom: zoom)
        guard let first = means.max(by: { $1.priority.beats($0.priority) }) else { return false }
        let reach = Clustering.units(pixels: Clustering.secondReach, zoom: zoom)
        return means.contains { $0.squaredDistance(to: first) > reach * reach }
    }

    /// Greedy grouping as in ``GreedyCover``, of so few sites that going through all of them finds the next leader.
    private static func leaders(of sites: [Site], reach: Int64) -> [Int32] {
        var leaders = [Int32](repeating: -1, count: sites.count)
        while let leader = nextLeader(of: sites, leaders) {
            for other in sites.indices where leaders[other] < 0 {
                if sites[leader].squaredDistance(to: sites[other]) <= reach * reach { leaders[other] = Int32(leader) }
            }
        }
        return leaders
    }

    /// The free site that beats all others.
    private static func nextLeader(of sites: [Site], _ leaders: [Int32]) -> Int? {
        var next: Int?
        for site in sites.indices where leaders[site] < 0 {
            if let known = next, !sites[site].priority.beats(sites[known].priority) { continue }
            next = site
        }
        return next
    }

    /// The stories of some pieces by cell.
    private static func atoms(_ pieces: [Piece], zoom: Int, scope: Scope) -> [Clustering.Atom] {
        let level = zoom + CellRegion.levelsPerTile
        let shift = UInt64(64 - 2 * level)
        let side = Int64(1) << Int64(32 - level)
        // Cells of one run come but once.
        let isSingle = scope.slices.count == 1
        var numbers: [UInt64: Int] = [:]
        var atoms: [Clustering.Atom] = []
        for piece in pieces {
            let run = scope.slices[piece.slice].run
            var start = piece.range.lowerBound
            while start < piece.range.upperBound {
                let cell = run.codes[start] >> shift
                let end = run.end(ofCell: cell, shift: shift, in: start..<piece.range.upperBound)
                let (column, row) = Morton.decode(cell)
                let (from, to) = (run.sums[start], run.sums[end])
                let count = to.count - from.count
                let number = isSingle ? atoms.count : numbers[cell] ?? atoms.count
                if number == atoms.count {
                    if !isSingle { numbers[cell] = number }
                    atoms.append(
                        Clustering.Atom(column: column, row: row, count: 0, x: 0, y: 0, firstPiece: -1, lastPiece: -1)
                    )
                }
                atoms[number].count += Int(count)
                atoms[number].x &+= (to.x &- from.x) &- count &* (Int64(column) * side)
                atoms[number].y &+= (to.y &- from.y) &- count &* (Int64(row) * side)
                start = end
            }
        }
        atoms.removeAll { $0.count <= 0 }
        return atoms
    }
}
