import Geometry

/// For each cell of half a degree: a settlement near its centre, from which a search starts, and the minimum distance
/// to any settlement.
///
/// A search that starts with a good result skips most of a ``PlaceTree``; far from all settlements, no search is
/// needed. Cells start at -180, -90 and run east, then north.
package struct PlaceHints: Sendable {
    /// Byte offsets inside a cell.
    package enum Cell: Sendable {
        /// The length of a cell.
        package static let length = 8
        /// The node numbers of a settlement, u32, and of a large settlement, u16; ``GazetteerFormat/none``, or its
        /// lower half, if there is none.
        static let settlement = 0
        static let large = 4
        /// The minimum distance in whole kilometres from any position in the cell to the edge of the nearest
        /// settlement.
        static let kilometres = 6
        /// Which of the smaller trees may contain places for positions in the cell.
        static let flags = 7

        /// The flag of a cell that may have parts of settlements within reach.
        package static let hasParts: UInt8 = 1
        /// The flag of a cell that may have settlements of the tree of strays within reach.
        package static let hasStrays: UInt8 = 2
    }

    /// The data of a cell.
    struct Hint: Sendable {
        /// The settlement's node number; invalid if there is no settlement, or in a damaged file.
        let settlement: Int
        let large: Int
        /// The minimum distance in kilometres to the edge of the nearest settlement.
        let kilometres: Double
        /// Whether a part of a settlement may be within reach.
        let hasParts: Bool
        /// Whether a settlement in the tree of strays may be within reach.
        let hasStrays: Bool
    }

    /// The number of cells from west to east.
    package static let columns = 720
    /// The number of cells from south to north.
    package static let rows = 360
    /// The number of cells per degree.
    package static let cellsPerDegree = 2.0

    /// The cells; empty if there are no hints.
    let cells: ByteView

    init(cells: ByteView) {
        self.cells = cells.count == Self.columns * Self.rows * Cell.length ? cells : .empty
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
}
