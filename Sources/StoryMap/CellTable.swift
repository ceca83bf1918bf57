import Geometry

/// Numbers keyed by the cells of a region: an array if the region is small, otherwise a dictionary.
struct CellTable: Sendable {
    private let region: CellRegion
    private var dense: [Int32]
    private var sparse: [UInt64: Int32] = [:]

    private static let denseLimit = 1 << 18

    init(_ region: CellRegion) {
        self.region = region
        dense = region.area <= CellTable.denseLimit ? [Int32](repeating: -1, count: region.area) : []
    }

    /// Accesses the number of a cell; -1 if the cell has none or lies outside the region.
    ///
    /// Setting the number of a cell outside the region does nothing.
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
