import Geometry

/// The sites of a region by cell: an array if the region is small, otherwise a dictionary.
struct SiteGrid: Sendable {
    private let region: CellRegion
    /// The first site of each cell, -1 if it has none, with a border of ``steps`` cells on each side; in a ring, the
    /// western and eastern borders repeat the opposite side.
    private var dense: [Int32]
    private var sparse: [UInt64: Int32] = [:]
    /// The next site in the same cell, for each site.
    private var next: [Int32]
    private let stride: Int

    /// The maximum distance of a neighbour, in cells.
    static let steps = 3
    private static let denseLimit = 1 << 18

    /// Creates the grid of sites in `region`; those outside are omitted.
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

    /// Returns the first site in a cell, or -1.
    func first(column: UInt32, row: UInt32) -> Int32 {
        guard region.contains(column: column, row: row) else { return -1 }
        return dense.isEmpty ? sparse[SiteGrid.key(column, row)] ?? -1 : dense[slot(column: column, row: row)]
    }

    /// Returns whether any two sites are within reach of each other.
    func hasPair(_ sites: [Site], within reach: Int64) -> Bool {
        withNeighbours { neighbours in
            for (index, site) in sites.enumerated() {
                var isFound = false
                neighbours.forEach(near: site, steps: 2) { other in
                    isFound = isFound || other != index && site.squaredDistance(to: sites[other]) <= reach * reach
                }
                if isFound { return true }
            }
            return false
        }
    }

    /// Calls `body` with an accessor for neighbours without bounds checks and reference counting, for loops over all
    /// sites.
    @inline(__always)
    func withNeighbours<Value>(_ body: (Neighbours) -> Value) -> Value {
        dense.withUnsafeBufferPointer { dense in
            next.withUnsafeBufferPointer { next in
                body(Neighbours(grid: self, dense: dense.baseAddress, next: next.baseAddress, stride: stride))
            }
        }
    }

    /// Calls `body` with all sites within a number of cells, at most ``steps``, of the cell of `site`, including
    /// itself.
    @inline(__always)
    func forEachNear(_ site: Site, steps: Int, _ body: (Int) -> Void) {
        withNeighbours { $0.forEach(near: site, steps: steps, body) }
    }

    /// An accessor for neighbours, valid inside ``withNeighbours(_:)``.
    ///
    /// Safety: a slot is read only after its cell was found to be in the region, the border contains every step beyond
    /// it, and the grid contains only indices of its sites.
    struct Neighbours {
        fileprivate let grid: SiteGrid
        fileprivate let dense: UnsafePointer<Int32>?
        fileprivate let next: UnsafePointer<Int32>?
        fileprivate let stride: Int

        /// Calls `body` with all sites within a number of cells, at most ``steps``, of the cell of `site`, including
        /// itself.
        @inline(__always)
        func forEach(near site: Site, steps: Int, _ body: (Int) -> Void) {
            guard let dense, let next, !grid.dense.isEmpty else { return grid.forEachSparse(near: site, steps, body) }
            guard grid.region.contains(column: site.column, row: site.row) else { return }
            let middle = grid.slot(column: site.column, row: site.row)
            for row in -steps...steps {
                let start = middle + row * stride
                let across = SiteGrid.columns(steps: steps, row: row)
                for slot in start - across...start + across {
                    var found = dense[slot]
                    while found >= 0 {
                        let following = next[Int(found)]
                        body(Int(found))
                        found = following
                    }
                }
            }
        }
    }

    /// Returns how many columns to either side are searched in a row so many rows away.
    ///
    /// Sites two cells across and two down are at least 45.25 pixels apart, the diagonal of a cell. No pair of the
    /// second step reaches that far, and the pairs of the first step, at most 46 pixels apart, stay separate there.
    @inline(__always)
    private static func columns(steps: Int, row: Int) -> Int { steps == 2 && abs(row) == 2 ? 1 : steps }

    private func forEachSparse(near site: Site, _ steps: Int, _ body: (Int) -> Void) {
        for step in -steps...steps {
            let row = Int(site.row) + step
            guard row >= 0 && row < Int(region.columns) else { continue }
            let across = SiteGrid.columns(steps: steps, row: step)
            for column in -across...across {
                var found = first(column: region.column(site.column, plus: column), row: UInt32(row))
                while found >= 0 {
                    let following = next[Int(found)]
                    body(Int(found))
                    found = following
                }
            }
        }
    }
}
