import Geometry

/// The layout of a grid of areas, in which nearby borders determine the area that contains a position.
///
/// A cell without borders belongs to one area. A cell with borders stores the area at its south-west corner. To find
/// the area of a position, follow a path from that corner north and then east: the area is the one behind the last
/// border crossed. So each position has exactly one answer, and neighbouring areas neither leave a gap nor overlap,
/// however their borders were rounded.
///
/// The section is 360 x 180 cells of one degree, starting at -180, -90, eastwards and then northwards, followed by
/// blocks of 8 x 8 fine cells, as 32-bit words; the lists of borders are a separate section.
package enum AreaGridFormat: Sendable {
    /// Position steps per degree.
    package static let degree = 10_000
    /// Steps per fine cell.
    package static let cell = 1_250
    /// Fine cells per degree.
    package static let fine = 8
    /// The number of coarse cells, one per degree, from west to east.
    package static let columns = 360
    /// The number of coarse cells, one per degree, from south to north.
    package static let rows = 180

    /// The two highest bits of a word give its kind; the rest is a number.
    package static let kindShift: UInt32 = 30
    static let valueMask: UInt32 = (1 << 30) - 1
    /// The kind of a cell without borders: the number is one plus the number of the area that contains the whole cell,
    /// or zero if there is no area and no border within reach.
    static let whole: UInt32 = 0
    /// The kind of a coarse cell with borders: the number is the index of its block of fine cells.
    package static let block: UInt32 = 1
    /// The kind of a cell without an area but with a border within reach.
    package static let nearby: UInt32 = 2
    /// The kind of a fine cell with borders: the number is the start of its list, in units of four bytes.
    package static let list: UInt32 = 3

    /// The distance in kilometres within which a position off the coast still belongs to the land.
    static let reach = 10.0
    /// Kilometres per degree of latitude.
    static let kilometresPerDegree = 111.195

    /// The length of the head of a list: the number of its borders, and one plus the area at the cell's corner, 16 bits
    /// each.
    static let headLength = 4
    /// The length of a border: x and y of its lower end and of its upper end, in steps from the cell's corner, then the
    /// areas to its west and east, 16 bits each.
    static let edgeLength = 12

    /// Returns the maximum number of fine cells that `reach` covers to the east or west in a row of fine cells.
    package static func reachColumns(row: Int) -> Int {
        let south = Double(row) / Double(fine) - 90
        let steepest = max(abs(south), abs(south + 1 / Double(fine)))
        let shrink = max(0.0045, Math.cosine(Math.radians(min(90, steepest))))
        return min(180, Int((reach / kilometresPerDegree * Double(fine) / shrink).rounded(.up)))
    }
}

/// One layer of areas in a compiled gazetteer.
struct AreaGrid: Sendable {
    private typealias Format = AreaGridFormat

    let cells: ByteView
    let lists: ByteView

    /// The immediate result for a position.
    enum Answer: Sendable {
        case area(Int)
        /// No area, and none within reach.
        case nothing
        /// No area here, but possibly one within reach.
        case outside
    }

    /// Returns the area of a position.
    ///
    /// - Complexity: O(1) in a cell without borders, otherwise O(*n*) in the number of borders of the cell.
    @inline(__always)
    func answer(_ position: AreaPosition) -> Answer {
        let word = word(column: position.column, row: position.row)
        switch word >> Format.kindShift {
        case Format.whole:
            let value = Int(word & Format.valueMask)
            return value == 0 ? .nothing : .area(value - 1)
        case Format.list:
            let list = list(word)
            let area = list.area(x: position.x, y: position.y)
            return area == AreaFormat.none ? .outside : .area(Int(area))
        default:
            return .outside
        }
    }

    /// Returns the word for a fine cell: its own, or that of its coarse cell if this has no block.
    ///
    /// A word missing from a damaged file is read as zero, no area.
    @inline(__always)
    private func word(column: Int, row: Int) -> UInt32 {
        let coarse: UInt32 = cells.load(((row / Format.fine) * Format.columns + column / Format.fine) * 4)
        guard coarse >> Format.kindShift == Format.block else { return coarse }
        let block = Int(coarse & Format.valueMask)
        let inside = (row % Format.fine) * Format.fine + column % Format.fine
        return cells.load((Format.columns * Format.rows + block * Format.fine * Format.fine + inside) * 4)
    }

    @inline(__always)
    private func list(_ word: UInt32) -> BorderList {
        let offset = Int(word & Format.valueMask) * 4
        let count = Int(lists.load(offset, as: UInt16.self))
        let bytes = lists.part(offset: offset + Format.headLength, length: count * Format.edgeLength)
        return BorderList(bytes: bytes, corner: lists.load(offset + 2, as: UInt16.self) &- 1)
    }

    /// Returns the area nearest to a position outside all areas, with its distance in kilometres, if within reach.
    func nearest(_ position: AreaPosition) -> (area: Int, kilometres: Double)? {
        let shrink = Math.cosine(Math.radians(position.latitude))
        var best = Format.reach
        var found: Int?
        let width = Format.columns * Format.fine
        let reach = Format.reachColumns(row: position.row)
        for row in max(0, position.row - 1)...min(Format.rows * Format.fine - 1, position.row + 1) {
            for step in -reach...reach {
                let column = (position.column + step + width) % width
                let word = word(column: column, row: row)
                guard word >> Format.kindShift == Format.list else { continue }
                // The position in steps from the corner of that cell.
                let x = Double(position.x - step * Format.cell) + 0.5
                let y = Double(position.y + (position.row - row) * Format.cell) + 0.5
                list(word)
                    .forEach { edge in
                        let area = edge.nearerSide
                        guard area != AreaFormat.none else { return }
                        let kilometres =
                            edge.distance(x: x, y: y, shrink: shrink) / Double(Format.degree)
                            * Format.kilometresPerDegree
                        if kilometres < best || (kilometres == best && Int(area) < found ?? .max) {
                            best = kilometres
                            found = Int(area)
                        }
                    }
            }
        }
        return found.map { ($0, best) }
    }
}

/// A position in a grid of areas: its fine cell, and the middle of a square of one step inside it.
package struct AreaPosition: Sendable {
    let column: Int
    let row: Int
    /// Whole steps east and north of the cell's corner.
    let x: Int
    let y: Int
    let latitude: Double

    /// Locates a position given in degrees.
    @inline(__always)
    package init(latitude: Double, longitude: Double) {
        let (steps, cell) = (Double(AreaGridFormat.degree), AreaGridFormat.cell)
        let allX = min(3_599_999, max(0, Int(((longitude + 180) * steps).rounded(.down))))
        let allY = min(1_799_999, max(0, Int(((latitude + 90) * steps).rounded(.down))))
        (column, x) = (allX / cell, allX % cell)
        (row, y) = (allY / cell, allY % cell)
        self.latitude = latitude
    }
}
