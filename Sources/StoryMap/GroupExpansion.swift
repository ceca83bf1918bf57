import Geometry

/// Finds the first deeper zoom at which the stories of a marker are no longer all in one marker.
///
/// A marker's stories are grouped among themselves one zoom further in, so mostly the marker alone decides. Where nothing
/// else is near, this goes on further in; otherwise what is around it has to be looked at.
struct GroupExpansion {
    private let group: Clustering.Group
    private let clustering: Clustering
    private let reader: TileReader
    /// The zoom, one more than the deepest when the stories always stay together; meaningless while it is open.
    private(set) var zoom: Int
    /// The cells one zoom further in, when what is around them decides whether they are in one marker.
    private(set) var openCells: [Clustering.Atom]?
    /// The tiles that were asked.
    private(set) var sources: [ClusterTile.Source] = []

    /// Decides what the marker alone can decide, and what is decided far inside.
    init(_ group: Clustering.Group, of clustering: Clustering, bounds: BoundingBox, reader: TileReader) {
        self.group = group
        self.clustering = clustering
        self.reader = reader
        zoom = max(clustering.zoom + 1, GroupExpansion.firstApart(bounds))
        var isAlone = false
        while zoom <= MapSnapshot.maximumZoom {
            let cells = StoryCells(group, of: clustering, zoom: zoom, scope: reader.scope)
            // One zoom further in only stories of this marker are grouped with each other.
            let isNext = zoom == clustering.zoom + 1
            if isAlone || isNext, cells.areFarApart { return }
            if !isAlone { isAlone = cells.areAlone(group.count, scope: reader.scope) }
            guard isAlone else {
                if isNext { openCells = cells.atoms } else { goIn() }
                return
            }
            if cells.markerCount > 1 { return }
            zoom += 1
        }
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

    /// Decides with the markers one zoom further in, which must know the open cells.
    mutating func decide(in inner: Clustering) {
        guard let cells = openCells else { return }
        openCells = nil
        let markers = Set(cells.map { inner.marker(column: $0.column, row: $0.row) })
        guard markers.count < 2 else { return }
        zoom += 1
        goIn()
    }

    /// Goes on as the tiles have it.
    private mutating func goIn() {
        while zoom <= MapSnapshot.maximumZoom, !isSplit() { zoom += 1 }
    }

    private mutating func isSplit() -> Bool {
        let cells = StoryCells(group, of: clustering, zoom: zoom, scope: reader.scope)
        if cells.areTooWide { return true }
        var markers: Set<UInt64> = []
        for key in cells.tiles {
            let tile = reader.tile(key)
            sources.append(ClusterTile.Source(key: key, stamp: tile.stamp))
            markers.formUnion(tile.markers(ofCells: cells.atoms))
            if markers.count > 1 { return true }
        }
        return false
    }
}

/// The stories of one marker by the cells of a deeper zoom.
struct StoryCells {
    private let zoom: Int
    let atoms: [Clustering.Atom]
    private let sites: [Site]
    private let means: [Site]

    init(_ group: Clustering.Group, of clustering: Clustering, zoom: Int, scope: Scope) {
        self.zoom = zoom
        atoms = StoryCells.atoms(clustering.pieces(of: group), zoom: zoom, scope: scope)
        sites = atoms.map { Clustering.site(column: $0.column, row: $0.row, $0.count, $0.x, $0.y, zoom: zoom) }
        let leaders = StoryCells.leaders(of: sites, reach: Clustering.units(pixels: Clustering.reach, zoom: zoom))
        let groups = Clustering.gathered(atoms, leaders: leaders, zoom: zoom).groups
        means = Clustering.means(of: groups, atoms: atoms, zoom: zoom)
    }

    /// Whether they span more than any marker does.
    var areTooWide: Bool {
        guard let first = sites.first else { return false }
        var (west, east, north, south) = (Int64(0), Int64(0), Int64(first.y), Int64(first.y))
        for site in sites {
            let x = Int64(Int32(truncatingIfNeeded: site.x &- first.x))
            (west, east) = (min(west, x), max(east, x))
            (north, south) = (min(north, Int64(site.y)), max(south, Int64(site.y)))
        }
        // From a cell to its leader, to the mean of that group, to the mean of the leading one; and back.
        let reach = 2 * (2 * Clustering.reach + Clustering.secondReach)
        return max(east - west, south - north) > Clustering.units(pixels: reach, zoom: zoom)
    }

    /// The tiles they lie in.
    var tiles: Set<TileKey> {
        let shift = UInt32(CellRegion.levelsPerTile)
        return Set(atoms.map { TileKey(zoom: zoom, column: $0.column >> shift, row: $0.row >> shift) })
    }

    /// Whether two groups are so far from each other that no marker takes both, whatever is around them.
    var areFarApart: Bool {
        let reach = Clustering.units(pixels: 2 * Clustering.secondReach, zoom: zoom)
        for (index, mean) in means.enumerated() {
            for other in means[..<index] where mean.squaredDistance(to: other) > reach * reach { return true }
        }
        return false
    }

    /// How many markers they are in when nothing else is near.
    var markerCount: Int {
        let leaders = StoryCells.leaders(
            of: means,
            reach: Clustering.units(pixels: Clustering.secondReach, zoom: zoom)
        )
        return Set(leaders).count
    }

    /// Whether no other story is so near that it could take part in their markers at this zoom or deeper.
    func areAlone(_ count: Int, scope: Scope) -> Bool {
        guard let cells = CellRegion.holding([atoms], level: zoom + CellRegion.levelsPerTile) else { return true }
        // Another's cell to its leader, to the mean of that group, to the mean of a group here, to the cell of a story.
        let margin = 3 * Clustering.reach + Clustering.secondReach + 46
        let region = cells.grown(cells: UInt32((margin / 32).rounded(.up)))
        var around = 0
        for slice in scope.slices {
            slice.run.cells(of: region, in: slice.range) { _, _, range in around += slice.run.count(in: range) }
        }
        return around == count
    }

    /// Greedy grouping as in ``GreedyCover``, of so few sites that each is compared with each.
    private static func leaders(of sites: [Site], reach: Int64) -> [Int32] {
        var leaders = [Int32](repeating: -1, count: sites.count)
        for site in sites.indices.sorted(by: { sites[$0].priority.beats(sites[$1].priority) }) where leaders[site] < 0 {
            for other in sites.indices where leaders[other] < 0 {
                if sites[site].squaredDistance(to: sites[other]) <= reach * reach { leaders[other] = Int32(site) }
            }
        }
        return leaders
    }

    /// The stories of some pieces by cell.
    private static func atoms(_ pieces: [Piece], zoom: Int, scope: Scope) -> [Clustering.Atom] {
        let level = zoom + CellRegion.levelsPerTile
        let shift = UInt64(64 - 2 * level)
        let side = Int64(1) << Int64(32 - level)
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
                let number = numbers[cell] ?? atoms.count
                if number == atoms.count {
                    numbers[cell] = number
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
