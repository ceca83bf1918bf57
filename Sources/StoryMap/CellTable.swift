import Geometry

/// Numbers by cell of a region: an array when the region is small, a dictionary when it is not.
struct CellTable: Sendable {
    private let region: CellRegion
    private var dense: [Int32]
    private var sparse: [UInt64: Int32] = [:]

    private static let denseLimit = 1 << 18

    init(_ region: CellRegion) {
        self.region = region
        dense = region.area <= CellTable.denseLimit ? [Int32](repeating: -1, count: region.area) : []
    }

    /// The number at a cell, -1 when there is none or the cell lies outside.
    ///
    /// Setting a cell outside does nothing.
    subscript(column: UInt32, row: UInt32) -> Int32 {
        get {
            guard region.contains(column: column, row: row) else { return -1 }
            if dense.isEmpty { return sparse[key(column, row)] ?? -1 }
            return dense[slot(column, row)]
        }
        set {
            guard region.contains(column: column, row: row) else { return }
            if dense.isEmpty { sparse[key(column, row)] = newValue } else { dense[slot(column, row)] = newValue }
        }
    }

    private func key(_ column: UInt32, _ row: UInt32) -> UInt64 { UInt64(column) << 32 | UInt64(row) }

    private func slot(_ column: UInt32, _ row: UInt32) -> Int {
        Int(row - region.row) * Int(region.width) + Int(region.offset(ofColumn: column))
    }
}

extension CellTable {
    /// The pairs of sites at most `reach` units apart, the shorter way round the globe.
    ///
    /// `cells` gives for each site the cell that holds it, of a region that holds them all.
    static func pairs(
        of sites: [Site],
        cells: [(column: UInt32, row: UInt32)],
        in region: CellRegion,
        reach: Double
    ) -> [(Int32, Int32)] {
        var table = CellTable(region)
        var next = [Int32](repeating: -1, count: sites.count)
        for (index, cell) in cells.enumerated() {
            next[index] = table[cell.column, cell.row]
            table[cell.column, cell.row] = Int32(index)
        }
        let steps = Int((reach / Double(region.side)).rounded(.up))
        var pairs: [(Int32, Int32)] = []
        for (index, cell) in cells.enumerated() {
            func meet(_ first: Int32) {
                var other = first
                while other >= 0 {
                    if sites[index].isWithin(reach, of: sites[Int(other)]) { pairs.append((Int32(index), other)) }
                    other = next[Int(other)]
                }
            }
            // Forward half of the neighbourhood only, so that each pair is met once.
            meet(next[index])
            for dx in 1...max(1, steps) { meet(table[region.column(cell.column, plus: dx), cell.row]) }
            for dy in 1...max(1, steps) where Int(cell.row) + dy < Int(region.columns) {
                for dx in -steps...steps {
                    meet(table[region.column(cell.column, plus: dx), cell.row + UInt32(dy)])
                }
            }
        }
        return pairs
    }
}

extension Site {
    /// Whether the other site is at most `reach` units away, the shorter way round the globe.
    func isWithin(_ reach: Double, of other: Site) -> Bool {
        var dx = abs(x - other.x)
        if dx > WebMercator.size / 2 { dx = WebMercator.size - dx }
        let dy = y - other.y
        return dx * dx + dy * dy <= reach * reach
    }
}

extension CellRegion {
    /// The column a number of steps further east.
    func column(_ column: UInt32, plus steps: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: Int(column) + steps) & (columns - 1)
    }
}
