import Gazetteer

/// Writes the hints for searches in the given trees; see ``PlaceHints``.
struct PlaceHintsWriter {
    private typealias Cell = PlaceHints.Cell

    /// The distance in kilometres from a cell's centre beyond which settlements are not searched.
    private static let farthest = 320.0
    /// The minimum number of settlements; fewer are searched just as fast without hints.
    private static let fewest = 256

    let settlements: PlaceTree
    let large: PlaceTree
    let parts: PlaceTree
    let strays: PlaceTree

    /// Returns the cells; empty if the trees are searched just as fast without hints.
    func cells() -> [UInt8] {
        guard settlements.count + large.count >= Self.fewest else { return [] }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(PlaceHints.columns * PlaceHints.rows * Cell.length)
        var last = (settlement: 0, large: 0)
        let half = 0.5 / PlaceHints.cellsPerDegree
        for row in 0..<PlaceHints.rows {
            let south = Double(row) / PlaceHints.cellsPerDegree - 90
            // The corners nearer to the equator are farthest from the centre.
            let flat = min(abs(south), abs(south + 2 * half))
            let corner = UnitVector(latitude: south + half, longitude: 0)
                .kilometres(to: UnitVector(latitude: south < 0 ? -flat : flat, longitude: half))
            for column in 0..<PlaceHints.columns {
                let west = Double(column) / PlaceHints.cellsPerDegree - 180
                let middle = UnitVector(latitude: south + half, longitude: west + half)
                let near = Self.nearest(middle, last.settlement, in: settlements)
                let nearLarge = Self.nearest(middle, last.large, in: large)
                last = (near.node ?? last.settlement, nearLarge.node ?? last.large)
                let least = min(near.kilometresOutside, nearLarge.kilometresOutside, Self.farthest) - corner
                bytes.append(littleEndian: near.node.map { UInt32(truncatingIfNeeded: $0) } ?? GazetteerFormat.none)
                bytes.append(littleEndian: nearLarge.node.flatMap { UInt16(exactly: $0) } ?? UInt16.max)
                bytes.append(UInt8(max(0, min(255, least.rounded(.down)))))
                var flags: UInt8 = 0
                if Self.has(middle, within: corner + PartRule.reach, in: parts) { flags |= Cell.hasParts }
                if Self.has(middle, within: corner + GazetteerIndex.middleKilometres, in: strays) {
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
        // Nodes are in single precision, hence the margin of 10 m.
        var search = PlaceTree.Search(middle, limit: kilometres + 0.01)
        search.run(tree)
        return search.node != nil
    }
}
