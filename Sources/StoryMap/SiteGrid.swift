import Geometry

/// The sites of a region by the cell they lie in: an array when the region is small, a dictionary when it is not.
struct SiteGrid: Sendable {
    private let region: CellRegion
    /// The first site of each cell, -1 for none, with a border of ``steps`` cells that repeats the other side of a ring.
    private var dense: [Int32]
    private var sparse: [UInt64: Int32] = [:]
    /// For each site the next one in its cell.
    private var next: [Int32]
    private let stride: Int

    /// How many cells away something near may lie at most.
    static let steps = 3
    private static let denseLimit = 1 << 18

    /// Creates the grid of sites in `region`; those outside of it are left out.
    init(_ sites: [Site], in region: CellRegion) {
        self.region = region
        let border = 2 * SiteGrid.steps
        stride = Int(region.width) + border
        let isDense = region.area <= SiteGrid.denseLimit
        dense = isDense ? [Int32](repeating: -1, count: stride * (Int(region.height) + border)) : []
        next = [Int32](repeating: -1, count: sites.count)
        for (index, site) in sites.enumerated() where region.contains(column: site.column, row: site.row) {
            if isDense {
                let slot = slot(column: site.column, row: site.row)
                next[index] = dense[slot]
                dense[slot] = Int32(index)
            } else {
                let key = SiteGrid.key(site.column, site.row)
                next[index] = sparse.updateValue(Int32(index), forKey: key) ?? -1
            }
        }
        if isDense, region.isRing { repeatBorders() }
    }

    private static func key(_ column: UInt32, _ row: UInt32) -> UInt64 { UInt64(column) << 32 | UInt64(row) }

    private func slot(column: UInt32, row: UInt32) -> Int {
        (Int(row - region.row) + SiteGrid.steps) * stride + Int(region.offset(ofColumn: column)) + SiteGrid.steps
    }

    private mutating func repeatBorders() {
        for row in 0..<Int(region.height) {
            let start = (row + SiteGrid.steps) * stride
            for step in 0..<SiteGrid.steps {
                dense[start + step] = dense[start + step + Int(region.width)]
                dense[start + SiteGrid.steps + Int(region.width) + step] = dense[start + SiteGrid.steps + step]
            }
        }
    }

    /// The first site in a cell, or -1.
    func first(column: UInt32, row: UInt32) -> Int32 {
        guard region.contains(column: column, row: row) else { return -1 }
        return dense.isEmpty ? sparse[SiteGrid.key(column, row)] ?? -1 : dense[slot(column: column, row: row)]
    }

    /// Calls `body` with all sites so many cells, at most ``steps``, from the cell of `site`, itself among them.
    @inline(__always)
    func forEachNear(_ site: Site, steps: Int, _ body: (Int) -> Void) {
        if dense.isEmpty {
            for row in Int(site.row) - steps...Int(site.row) + steps where row >= 0 && row < Int(region.columns) {
                for column in -steps...steps {
                    list(first(column: region.column(site.column, plus: column), row: UInt32(row)), body)
                }
            }
            return
        }
        guard region.contains(column: site.column, row: site.row) else { return }
        let middle = slot(column: site.column, row: site.row)
        for row in -steps...steps {
            let start = middle + row * stride
            for slot in start - steps...start + steps where dense[slot] >= 0 { list(dense[slot], body) }
        }
    }

    @inline(__always)
    private func list(_ first: Int32, _ body: (Int) -> Void) {
        var site = first
        while site >= 0 {
            let following = next[Int(site)]
            body(Int(site))
            site = following
        }
    }
}
