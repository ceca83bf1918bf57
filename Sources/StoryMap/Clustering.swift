import Geometry

/// The markers of a region at one zoom.
///
/// Stories fall into cells of 32 pixels; cells of one neighbourhood are grouped around leading cells within 40 pixels,
/// and groups whose means come nearer than 32 pixels to each other are grouped once more. Both steps are
/// ``BoundedGreedy``. Every decision depends on visible, wanted stories within ``halo`` of a marker and on nothing else,
/// so two regions agree on every marker that is at least that far inside both.
struct Clustering: Sendable {
    /// The visible stories in one cell.
    struct Atom: Sendable {
        let column: UInt32
        let row: UInt32
        var count: Int
        /// Sums of the offsets from the cell's corner.
        var x: Int64
        var y: Int64
        /// The first of its pieces, a list.
        var firstPiece: Int32
        var lastPiece: Int32
    }

    /// A marker: atoms around a leading one.
    struct Group: Sendable {
        /// The leading atom.
        let anchor: Int
        /// Where its atoms are in ``Clustering/groupAtoms``.
        var atoms: Range<Int>
        var count: Int
        /// Sums of the offsets from the leading cell's corner.
        var x: Int64
        var y: Int64
    }

    /// How near, in pixels, cells are taken by a leading one.
    static let reach = 40.0
    /// How near, in pixels, two groups come before they are grouped once more.
    static let secondReach = 32.0
    static let rounds = 4
    static let secondRounds = 2
    /// Pixels from a marker to the farthest mean of a cell in it: cell to leader, leader to mean of the group, group to
    /// leading group, leading group to mean.
    static let extent = 2 * reach + 2 * secondReach
    /// Pixels around a marker beyond which nothing takes part in it: to the leading group, from there to a group it
    /// takes, and 2 reaches a round of the second step; from a group's mean to its leading cell, from there to a cell it
    /// takes, and 2 reaches a round of the first step.
    static let halo = secondReach * (2 + 2 * Double(secondRounds)) + reach * (2 + 2 * Double(rounds))

    /// Pixels around a cell beyond which nothing decides which marker holds it: to its leader, to the mean of that group,
    /// 2 reaches a round of the second step, and from a group's mean there as in ``halo``.
    static let horizon = reach * (4 + 2 * Double(rounds)) + secondReach * 2 * Double(secondRounds)

    let zoom: Int
    let region: CellRegion
    private(set) var atoms: [Atom] = []
    private(set) var pieces: [Piece] = []
    /// For each piece the next one of its atom.
    private var nextPieces: [Int32] = []
    private(set) var groups: [Group] = []
    /// For each atom its group.
    private(set) var groupOfAtom: [Int32] = []
    /// The atoms of all groups, one group after another.
    private(set) var groupAtoms: [Int32] = []

    /// The number of Mercator units in a number of pixels at a zoom.
    static func units(pixels: Double, zoom: Int) -> Int64 { Int64(pixels.rounded(.up)) << Int64(23 - zoom) }

    init(_ scope: Scope, region: CellRegion, zoom: Int) {
        self.zoom = zoom
        self.region = region
        collect(scope)
        group()
    }

    private mutating func collect(_ scope: Scope) {
        var table = CellTable(region)
        for (index, slice) in scope.slices.enumerated() {
            slice.run.cells(of: region, in: slice.range) { column, row, range in
                let piece = Int32(pieces.count)
                pieces.append(Piece(slice: index, range: range))
                nextPieces.append(-1)
                let from = slice.run.sums[range.lowerBound]
                let to = slice.run.sums[range.upperBound]
                let count = to.count - from.count
                let x = (to.x &- from.x) &- count &* (Int64(column) * region.side)
                let y = (to.y &- from.y) &- count &* (Int64(row) * region.side)
                let known = Int(table[column, row])
                if known < 0 {
                    table[column, row] = Int32(atoms.count)
                    atoms.append(
                        Atom(
                            column: column,
                            row: row,
                            count: Int(count),
                            x: x,
                            y: y,
                            firstPiece: piece,
                            lastPiece: piece
                        )
                    )
                } else {
                    nextPieces[Int(atoms[known].lastPiece)] = piece
                    atoms[known].lastPiece = piece
                    atoms[known].count += Int(count)
                    atoms[known].x &+= x
                    atoms[known].y &+= y
                }
            }
        }
        atoms.removeAll { $0.count <= 0 }
    }

    private mutating func group() {
        let sites = atoms.map { atom in
            site(column: atom.column, row: atom.row, count: atom.count, x: atom.x, y: atom.y)
        }
        let first = leaders(
            of: sites,
            cells: atoms.map { ($0.column, $0.row) },
            reach: Clustering.reach,
            rounds: Clustering.rounds
        )
        let (preliminary, numbers) = groups(leaders: first)
        let groupSites = preliminary.map { group in
            let anchor = atoms[group.anchor]
            return site(column: anchor.column, row: anchor.row, count: group.count, x: group.x, y: group.y)
        }
        let second = leaders(
            of: groupSites,
            cells: groupSites.map(cell(of:)),
            reach: Clustering.secondReach,
            rounds: Clustering.secondRounds
        )
        (groups, groupOfAtom) = groups(leaders: numbers.map { Int32(preliminary[Int(second[Int($0)])].anchor) })
        listAtoms()
    }

    /// Fills ``groupAtoms``.
    private mutating func listAtoms() {
        var starts = [Int](repeating: 0, count: groups.count + 1)
        for group in groupOfAtom { starts[Int(group) + 1] += 1 }
        for index in groups.indices {
            starts[index + 1] += starts[index]
            groups[index].atoms = starts[index]..<starts[index + 1]
        }
        groupAtoms = [Int32](repeating: 0, count: atoms.count)
        for (atom, group) in groupOfAtom.enumerated() {
            groupAtoms[starts[Int(group)]] = Int32(atom)
            starts[Int(group)] += 1
        }
    }

    /// The atoms of a group.
    func atoms(of group: Group) -> ArraySlice<Int32> { groupAtoms[group.atoms] }

    private func leaders(
        of sites: [Site],
        cells: [(column: UInt32, row: UInt32)],
        reach: Double,
        rounds: Int
    ) -> [Int32] {
        let units = Double(Clustering.units(pixels: reach, zoom: zoom))
        let pairs = CellTable.pairs(of: sites, cells: cells, in: region, reach: units)
        let adjacency = Adjacency(pairs: pairs, count: sites.count)
        return BoundedGreedy.leaders(of: sites, adjacency: adjacency, rounds: rounds)
    }

    /// A site at the mean of `count` stories whose offsets from a cell's corner sum up to `x` and `y`.
    private func site(column: UInt32, row: UInt32, count: Int, x: Int64, y: Int64) -> Site {
        let position = Double(Int64(column) * region.side) + Double(x) / Double(count)
        let size = WebMercator.size
        return Site(
            x: position < 0 ? position + size : position >= size ? position - size : position,
            y: Double(Int64(row) * region.side) + Double(y) / Double(count),
            priority: Priority(count: count, zoom: zoom, cell: UInt64(column) << 24 | UInt64(row))
        )
    }

    private func cell(of site: Site) -> (column: UInt32, row: UInt32) {
        let last = Double(region.columns - 1)
        let column = min(last, max(0, (site.x / Double(region.side)).rounded(.down)))
        let row = min(last, max(0, (site.y / Double(region.side)).rounded(.down)))
        return (UInt32(column), UInt32(row))
    }

    /// The groups of atoms with the same leader, sums unwrapped around the leader's cell, and the group of each atom.
    private func groups(leaders: [Int32]) -> (groups: [Group], numbers: [Int32]) {
        var groups: [Group] = []
        var ofAtom = [Int32](repeating: -1, count: atoms.count)
        var numbers = [Int32](repeating: -1, count: atoms.count)
        for (index, leader) in leaders.enumerated() {
            if numbers[Int(leader)] < 0 {
                numbers[Int(leader)] = Int32(groups.count)
                groups.append(Group(anchor: Int(leader), atoms: 0..<0, count: 0, x: 0, y: 0))
            }
            let atom = atoms[index]
            let anchor = atoms[Int(leader)]
            let number = Int(numbers[Int(leader)])
            ofAtom[index] = Int32(number)
            groups[number].count += atom.count
            groups[number].x &+= atom.x &+ Int64(atom.count) &* (columnsEast(of: anchor, to: atom) * region.side)
            groups[number].y &+= atom.y &+ Int64(atom.count) &* ((Int64(atom.row) - Int64(anchor.row)) * region.side)
        }
        return (groups, ofAtom)
    }

    /// How many columns east of one atom another lies, negative to the west, the shorter way round the globe.
    func columnsEast(of atom: Atom, to other: Atom) -> Int64 {
        let difference = Int64(other.column) - Int64(atom.column)
        let all = Int64(region.columns)
        if difference > all / 2 { return difference - all }
        return difference < -all / 2 ? difference + all : difference
    }

    /// The points of an atom.
    func pieces(of atom: Int) -> [Piece] {
        var result: [Piece] = []
        var next = atoms[atom].firstPiece
        while next >= 0 {
            result.append(pieces[Int(next)])
            next = nextPieces[Int(next)]
        }
        return result
    }

    /// The points of a group.
    func pieces(of group: Group) -> [Piece] { atoms(of: group).flatMap { pieces(of: Int($0)) } }

    /// The middle of a group in whole Mercator units, rounded down.
    func unit(of group: Group) -> MercatorPoint {
        let anchor = atoms[group.anchor]
        let count = Int64(group.count)
        let x = Int64(anchor.column) * region.side + Clustering.floor(group.x, count)
        let y = Int64(anchor.row) * region.side + Clustering.floor(group.y, count)
        return MercatorPoint(x: UInt32(truncatingIfNeeded: x), y: UInt32(truncatingIfNeeded: max(0, y)))
    }

    /// The mean of a group's points on the map.
    func position(of group: Group) -> Coordinate {
        let anchor = atoms[group.anchor]
        let x = Double(Int64(anchor.column) * region.side) + Double(group.x) / Double(group.count)
        let y = Double(Int64(anchor.row) * region.side) + Double(group.y) / Double(group.count)
        return WebMercator.coordinate(x: x + 0.5, y: y + 0.5)
    }

    private static func floor(_ value: Int64, _ divisor: Int64) -> Int64 {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
