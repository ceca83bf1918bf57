import Geometry

/// A settlement near the centre of each cell of half a degree, as the start of a search, with the distance to the
/// nearest one.
///
/// A search that starts with a good result skips most of a ``PlaceTree``; far from all settlements, no search is
/// needed. Cells start at -180, -90 and run east, then north.
struct PlaceHints: Sendable {
    /// Byte offsets inside a cell.
    enum Cell: Sendable {
        static let length = 8
        /// Node numbers; ``GazetteerFormat/none`` and its lower half for none.
        static let settlement = 0
        static let large = 4
        /// The minimum distance in whole kilometres from any position in the cell to the edge of the nearest
        /// settlement.
        static let kilometres = 6
        /// Which of the smaller trees may contain places for positions in the cell.
        static let flags = 7

        static let hasParts: UInt8 = 1
        static let hasStrays: UInt8 = 2
    }

    /// The data of a cell.
    struct Hint: Sendable {
        /// Node numbers; an invalid one if there is no settlement, or in a damaged file.
        let settlement: Int
        let large: Int
        /// The minimum distance in kilometres to the edge of the nearest settlement.
        let kilometres: Double
        /// Whether parts of settlements and strays may be within reach.
        let hasParts: Bool
        let hasStrays: Bool
    }

    /// The trees that the hints apply to.
    struct Trees {
        let settlements: PlaceTree
        let large: PlaceTree
        let parts: PlaceTree
        let strays: PlaceTree
    }

    static let columns = 720
    static let rows = 360
    private static let cellsPerDegree = 2.0
    /// The distance in kilometres from a cell's centre beyond which settlements are not searched.
    private static let farthest = 320.0

    /// The cells; empty if there are no hints.
    let cells: ByteView

    init(cells: ByteView) {
        self.cells = cells.count == Self.columns * Self.rows * Cell.length ? cells : ByteView(base: nil, count: 0)
    }

    /// Returns the offset of the cell of a position.
    @inline(__always)
    private static func offset(latitude: Double, longitude: Double) -> Int {
        let column = min(columns - 1, max(0, Int((longitude + 180) * cellsPerDegree)))
        let row = min(rows - 1, max(0, Int((latitude + 90) * cellsPerDegree)))
        return (row * columns + column) * Cell.length
    }

    /// Returns the hint for the cell of a position.
    @inline(__always)
    func hint(latitude: Double, longitude: Double) -> Hint {
        guard cells.count > 0 else {
            return Hint(settlement: -1, large: -1, kilometres: 0, hasParts: true, hasStrays: true)
        }
        let offset = Self.offset(latitude: latitude, longitude: longitude)
        let flags: UInt8 = cells.load(offset + Cell.flags)
        return Hint(
            settlement: Int(cells.load(offset + Cell.settlement, as: UInt32.self)),
            large: Int(cells.load(offset + Cell.large, as: UInt16.self)),
            kilometres: Double(cells.load(offset + Cell.kilometres, as: UInt8.self)),
            hasParts: flags & Cell.hasParts != 0,
            hasStrays: flags & Cell.hasStrays != 0
        )
    }

    /// The minimum number of settlements; fewer are searched just as fast without hints.
    private static let fewest = 256

    /// Writes the hints for some trees.
    static func write(_ trees: Trees) -> [UInt8] {
        guard trees.settlements.count + trees.large.count >= fewest else { return [] }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(columns * rows * Cell.length)
        var last = (settlement: 0, large: 0)
        let half = 0.5 / cellsPerDegree
        for row in 0..<rows {
            let south = Double(row) / cellsPerDegree - 90
            // The corners nearer to the equator are farthest from the centre.
            let flat = min(abs(south), abs(south + 2 * half))
            let corner = UnitVector(latitude: south + half, longitude: 0)
                .kilometres(to: UnitVector(latitude: south < 0 ? -flat : flat, longitude: half))
            for column in 0..<columns {
                let west = Double(column) / cellsPerDegree - 180
                let middle = UnitVector(latitude: south + half, longitude: west + half)
                let near = nearest(middle, last.settlement, in: trees.settlements)
                let nearLarge = nearest(middle, last.large, in: trees.large)
                last = (near.node ?? last.settlement, nearLarge.node ?? last.large)
                let least = min(near.kilometresOutside, nearLarge.kilometresOutside, farthest) - corner
                bytes.append(littleEndian: near.node.map { UInt32(truncatingIfNeeded: $0) } ?? GazetteerFormat.none)
                bytes.append(littleEndian: nearLarge.node.flatMap { UInt16(exactly: $0) } ?? UInt16.max)
                bytes.append(UInt8(max(0, min(255, least.rounded(.down)))))
                var flags: UInt8 = 0
                if has(middle, within: corner + PartRule.reach, in: trees.parts) { flags |= Cell.hasParts }
                if has(middle, within: corner + GazetteerIndex.middleKilometres, in: trees.strays) {
                    flags |= Cell.hasStrays
                }
                bytes.append(flags)
            }
        }
        return bytes
    }

    private static func nearest(_ middle: UnitVector, _ guess: Int, in tree: PlaceTree) -> PlaceTree.Search {
        var search = PlaceTree.Search(middle, limit: farthest)
        search.tryNode(guess, of: tree)
        search.run(tree)
        return search
    }

    private static func has(_ middle: UnitVector, within kilometres: Double, in tree: PlaceTree) -> Bool {
        // Nodes are in single precision.
        var search = PlaceTree.Search(middle, limit: kilometres + 0.01)
        search.run(tree)
        return search.node != nil
    }
}
