import Geometry

/// The markers of a region at one zoom.
///
/// Stories are assigned to cells of 32 pixels. Cells whose stories share a marker one zoom further out are grouped
/// around leading cells within 46 pixels, so that markers split on zooming in. Groups whose means are too close are
/// then grouped again, so that markers do not overlap: within 42 pixels if they come from one marker, otherwise only
/// within 32, because grouping parts of different outer markers breaks the nesting. Both steps are ``GreedyCover``: the
/// result is unique for the whole map, and a region either computes it or knows that it cannot. These distances gave
/// the best quality of twenty combinations in `waymark bench map --quality`.
final class Clustering: Sendable {
    /// The visible stories in one cell.
    struct Atom: Sendable {
        let column: UInt32
        let row: UInt32
        var count: Int
        /// The sum of the stories' horizontal offsets from the cell's corner, in Mercator units.
        var x: Int64
        var y: Int64
        /// The first piece of the atom's linked list of pieces.
        var firstPiece: Int32
        var lastPiece: Int32
    }

    /// A marker: atoms around a leading atom.
    struct Group: Sendable {
        /// The leading atom.
        let anchor: Int
        /// The range of its atoms in ``Clustering/groupAtoms``.
        var atoms: Range<Int>
        var count: Int
        /// The sum of the stories' horizontal offsets from the leading cell's corner, in Mercator units.
        var x: Int64
        var y: Int64
    }

    /// The distance in pixels within which a leading cell takes others.
    static let reach = 46.0
    /// The distance in pixels within which two groups from one outer marker are grouped again.
    static let secondReach = 42.0
    /// The distance in pixels within which two groups from different outer markers are grouped again.
    static let strangersReach = 32.0
    /// The maximum distance in pixels between a marker and the mean of any of its cells: cell to leader, leader to mean
    /// of the group, group to leading group, leading group to mean of the marker.
    static let extent = 2 * reach + 2 * secondReach
    /// The maximum distance in pixels between a leading cell's mean and its marker: leader to mean of the group, group
    /// to mean of the marker.
    static let drift = reach + secondReach

    let zoom: Int
    let region: CellRegion
    let atoms: [Atom]
    let pieces: [Piece]
    /// The next piece of the same atom, for each piece.
    private let nextPieces: [Int32]
    /// The markers that do not depend on stories beyond the region.
    let groups: [Group]
    /// The group of each atom, -1 if it depends on stories beyond the region.
    let groupOfAtom: [Int32]
    /// The atoms of all groups, one group after another.
    let groupAtoms: [Int32]
    private let grid: SiteGrid
    /// Whether everything inside the wanted core was computed.
    let isComplete: Bool

    /// Converts a number of pixels at a zoom to Mercator units.
    static func units(pixels: Double, zoom: Int) -> Int64 { Int64(pixels.rounded(.up)) << Int64(23 - zoom) }

    /// Computes the markers of `core` from the stories in `region`, which contains `core`.
    ///
    /// `parent` returns the marker of a cell one zoom further out; it must know every cell that contains a cell of the
    /// region.
    init(
        _ scope: Scope,
        region: CellRegion,
        core: CellRegion,
        zoom: Int,
        parent: (_ column: UInt32, _ row: UInt32) -> UInt64
    ) {
        self.zoom = zoom
        self.region = region
        let (atoms, pieces, nextPieces) = Clustering.collect(scope, region)
        let sites = atoms.map { atom in
            Clustering.site(column: atom.column, row: atom.row, atom.count, atom.x, atom.y, zoom: zoom)
        }
        let grid = SiteGrid(sites, in: region)
        // If no two cells are within reach of each other, `parent` is not called.
        let reach = Clustering.units(pixels: Clustering.reach, zoom: zoom)
        let parents =
            zoom > 0 && grid.hasPair(sites, within: reach) ? atoms.map { parent($0.column >> 1, $0.row >> 1) } : []
        let first = FirstStep(sites, grid: grid, region: region, zoom: zoom, parents: parents)
        let known = first.cover.leaders.map { $0 >= 0 && !first.isUncertain[Int($0)] ? $0 : -1 }
        let (gathered, numbers) = Clustering.gathered(atoms, leaders: known, zoom: zoom)
        let means = Clustering.means(of: gathered, atoms: atoms, zoom: zoom)
        let lineage = parents.isEmpty ? [] : gathered.map { parents[$0.anchor] }
        let second = SecondStep(
            means,
            parents: lineage,
            region: region,
            ghosts: first.ghosts.map { sites[$0] },
            zoom: zoom
        )
        let leaders = numbers.map { number -> Int32 in
            guard number >= 0 else { return -1 }
            let leader = second.cover.leaders[Int(number)]
            return leader < 0 ? -1 : Int32(gathered[Int(leader)].anchor)
        }
        let (groups, groupOfAtom) = Clustering.gathered(atoms, leaders: leaders, zoom: zoom)
        (self.groups, groupAtoms) = Clustering.listed(groups, groupOfAtom: groupOfAtom)
        (self.atoms, self.pieces, self.nextPieces) = (atoms, pieces, nextPieces)
        self.groupOfAtom = groupOfAtom
        self.grid = grid
        isComplete =
            second.isComplete(around: core)
            && zip(atoms, groupOfAtom).allSatisfy { $1 >= 0 || !core.contains(column: $0.column, row: $0.row) }
    }

    /// Returns the stories of the region by cell.
    private static func collect(
        _ scope: Scope,
        _ region: CellRegion
    ) -> (atoms: [Atom], pieces: [Piece], nextPieces: [Int32]) {
        var atoms: [Atom] = []
        var pieces: [Piece] = []
        var nextPieces: [Int32] = []
        var table = CellTable(region)
        let isSingle = scope.slices.count == 1
        for (index, slice) in scope.slices.enumerated() {
            slice.cells(of: region) { column, row, range in
                let piece = Int32(pieces.count)
                pieces.append(Piece(slice: index, range: range))
                nextPieces.append(-1)
                let sum = slice.run.sum(in: range)
                let x = sum.x &- sum.count &* (Int64(column) * region.side)
                let y = sum.y &- sum.count &* (Int64(row) * region.side)
                let known = isSingle ? -1 : Int(table[column, row])
                if known < 0 {
                    if !isSingle { table[column, row] = Int32(atoms.count) }
                    atoms.append(
                        Atom(
                            column: column,
                            row: row,
                            count: Int(sum.count),
                            x: x,
                            y: y,
                            firstPiece: piece,
                            lastPiece: piece
                        )
                    )
                } else {
                    nextPieces[Int(atoms[known].lastPiece)] = piece
                    atoms[known].lastPiece = piece
                    atoms[known].count += Int(sum.count)
                    atoms[known].x &+= x
                    atoms[known].y &+= y
                }
            }
        }
        atoms.removeAll { $0.count <= 0 }
        return (atoms, pieces, nextPieces)
    }

    /// Returns a site at the mean of `count` stories whose offsets from a cell's corner sum to `x` and `y`.
    static func site(column: UInt32, row: UInt32, _ count: Int, _ x: Int64, _ y: Int64, zoom: Int) -> Site {
        let shift = UInt32(32 - zoom - CellRegion.levelsPerTile)
        let east = (Int64(column) << Int64(shift)) + floor(x, Int64(count))
        let south = (Int64(row) << Int64(shift)) + floor(y, Int64(count))
        let unit = (x: UInt32(truncatingIfNeeded: east), y: UInt32(min(0xFFFF_FFFF, max(0, south))))
        return Site(
            x: unit.x,
            y: unit.y,
            column: unit.x >> shift,
            row: unit.y >> shift,
            priority: Priority(count: count, zoom: zoom, column: column, row: row)
        )
    }

    private static func floor(_ value: Int64, _ divisor: Int64) -> Int64 {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// Returns the groups of atoms with the same leader, with their sums unwrapped around the leader's cell, and the
    /// number of each atom's group.
    ///
    /// An atom without a leader (-1) belongs to no group (-1).
    static func gathered(_ atoms: [Atom], leaders: [Int32], zoom: Int) -> (groups: [Group], numbers: [Int32]) {
        let side = Int64(1) << Int64(32 - zoom - CellRegion.levelsPerTile)
        var groups: [Group] = []
        var ofAtom = [Int32](repeating: -1, count: atoms.count)
        var numbers = [Int32](repeating: -1, count: atoms.count)
        for (index, leader) in leaders.enumerated() where leader >= 0 {
            if numbers[Int(leader)] < 0 {
                numbers[Int(leader)] = Int32(groups.count)
                groups.append(Group(anchor: Int(leader), atoms: 0..<0, count: 0, x: 0, y: 0))
            }
            let atom = atoms[index]
            let anchor = atoms[Int(leader)]
            let number = Int(numbers[Int(leader)])
            let columns = columnsEast(of: anchor, to: atom, zoom: zoom)
            ofAtom[index] = Int32(number)
            groups[number].count += atom.count
            groups[number].x &+= atom.x &+ Int64(atom.count) &* (columns * side)
            groups[number].y &+= atom.y &+ Int64(atom.count) &* ((Int64(atom.row) - Int64(anchor.row)) * side)
        }
        return (groups, ofAtom)
    }

    /// Returns the means of groups of atoms.
    static func means(of groups: [Group], atoms: [Atom], zoom: Int) -> [Site] {
        groups.map { group in
            let anchor = atoms[group.anchor]
            return site(column: anchor.column, row: anchor.row, group.count, group.x, group.y, zoom: zoom)
        }
    }

    /// Returns the number of columns from one atom east to another, negative to the west, the shorter way round the
    /// globe.
    static func columnsEast(of atom: Atom, to other: Atom, zoom: Int) -> Int64 {
        let difference = Int64(other.column) - Int64(atom.column)
        let all = Int64(1) << Int64(zoom + CellRegion.levelsPerTile)
        if difference > all / 2 { return difference - all }
        return difference < -all / 2 ? difference + all : difference
    }

    /// Returns the groups, each with its range in the list of all their atoms, and that list.
    private static func listed(_ groups: [Group], groupOfAtom: [Int32]) -> (groups: [Group], atoms: [Int32]) {
        var groups = groups
        var starts = [Int](repeating: 0, count: groups.count + 1)
        for group in groupOfAtom where group >= 0 { starts[Int(group) + 1] += 1 }
        for index in groups.indices {
            starts[index + 1] += starts[index]
            groups[index].atoms = starts[index]..<starts[index + 1]
        }
        var atoms = [Int32](repeating: 0, count: starts[groups.count])
        for (atom, group) in groupOfAtom.enumerated() where group >= 0 {
            atoms[starts[Int(group)]] = Int32(atom)
            starts[Int(group)] += 1
        }
        return (groups, atoms)
    }
}

extension Clustering {
    /// Returns the atoms of a group.
    func atoms(of group: Group) -> ArraySlice<Int32> { groupAtoms[group.atoms] }

    /// Returns the atom in a cell, or `nil` if it has no story.
    func atom(column: UInt32, row: UInt32) -> Int? {
        let index = grid.first(column: column, row: row)
        return index < 0 ? nil : Int(index)
    }

    /// Returns the leading cell of the marker of the atom in a cell; zero if unknown.
    func marker(column: UInt32, row: UInt32) -> UInt64 {
        guard let atom = atom(column: column, row: row), groupOfAtom[atom] >= 0 else { return 0 }
        let anchor = atoms[groups[Int(groupOfAtom[atom])].anchor]
        return UInt64(anchor.column) << 32 | UInt64(anchor.row) | 1 << 63
    }

    /// Returns the markers of the cells of each tile in a region, which must consist of whole tiles.
    func contents(of region: CellRegion) -> [ClusterTile.Contents] {
        let side = UInt32(1) << UInt32(TileKey.cellLevels)
        return TileKey.covering(region)
            .map { key in
                let corner = key.cells
                var contents = ClusterTile.Contents()
                for row in 0..<side {
                    for column in 0..<side {
                        let leader = marker(column: corner.column + column, row: corner.row + row)
                        if leader != 0 { contents.add(UInt8(row << 3 | column), leader: leader) }
                    }
                }
                return contents
            }
    }

    /// Returns the points of a group if they are one piece.
    func onlyPiece(of group: Group) -> Piece? {
        guard group.atoms.count == 1 else { return nil }
        let atom = atoms[Int(groupAtoms[group.atoms.lowerBound])]
        return atom.firstPiece == atom.lastPiece ? pieces[Int(atom.firstPiece)] : nil
    }

    /// Calls `body` with the pieces of an atom.
    @inline(__always)
    func forEachPiece(of atom: Int, _ body: (Piece) -> Void) {
        var next = atoms[atom].firstPiece
        while next >= 0 {
            body(pieces[Int(next)])
            next = nextPieces[Int(next)]
        }
    }

    /// Returns the points of a group.
    func pieces(of group: Group) -> [Piece] {
        var result: [Piece] = []
        for atom in atoms(of: group) { forEachPiece(of: Int(atom)) { result.append($0) } }
        return result
    }

    /// Returns the centre of a group in whole Mercator units, rounded down.
    func unit(of group: Group) -> MercatorPoint {
        let anchor = atoms[group.anchor]
        let count = Int64(group.count)
        let x = Int64(anchor.column) * region.side + Clustering.floor(group.x, count)
        let y = Int64(anchor.row) * region.side + Clustering.floor(group.y, count)
        return MercatorPoint(x: UInt32(truncatingIfNeeded: x), y: UInt32(truncatingIfNeeded: max(0, y)))
    }

    /// Returns the mean of a group's points on the map.
    func position(of group: Group) -> Coordinate {
        let anchor = atoms[group.anchor]
        let x = Double(Int64(anchor.column) * region.side) + Double(group.x) / Double(group.count)
        let y = Double(Int64(anchor.row) * region.side) + Double(group.y) / Double(group.count)
        return WebMercator.coordinate(x: x + 0.5, y: y + 0.5)
    }
}
