/// The borders near one cell of a grid of areas.
struct BorderList {
    private typealias Format = AreaGridFormat

    /// The borders, truncated to the bounds of the file; a partial border at the end is not counted.
    private let base: UnsafeRawPointer?
    private let count: Int
    /// The area at the cell's corner.
    private let corner: UInt16

    init(bytes: UnsafeRawBufferPointer, corner: UInt16) {
        base = bytes.baseAddress
        count = bytes.count / Format.edgeLength
        self.corner = corner
    }

    @inline(__always)
    private func edge(_ number: Int) -> Edge {
        guard let base else { return Edge(ends: 0, areas: 0) }
        let offset = number * Format.edgeLength
        return Edge(
            ends: UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)),
            areas: UInt32(littleEndian: base.loadUnaligned(fromByteOffset: offset + 8, as: UInt32.self))
        )
    }

    func forEach(_ body: (Edge) -> Void) {
        for number in 0..<count { body(edge(number)) }
    }

    /// Returns the area at the middle of the square of one step at (x, y).
    ///
    /// All sums are exact: in doubled units, positions are odd and ends of borders even, so neither a position nor the
    /// path to it touches the end of a border.
    @inline(__always)
    func area(x: Int, y: Int) -> UInt16 {
        var area = corner
        var highest = -0.5
        var farthest = -0.5
        var east: UInt16?
        for number in 0..<count {
            let edge = edge(number)
            let (ax, ay, bx, by) = (edge.ax, edge.ay, edge.bx, edge.by)
            if ay <= y, by > y {
                // The path east from the western side of the cell.
                let run = (bx - ax) * (2 * (y - ay) + 1)
                let rise = by - ay
                if run <= (2 * (x - ax) + 1) * rise, run > (-1 - 2 * ax) * rise {
                    let crossing = Double(ax) + Double(run) / Double(2 * rise)
                    if crossing >= farthest {
                        farthest = crossing
                        east = edge.east
                    }
                }
            }
            if (ax < 0) != (bx < 0), ay <= y {
                // The path north from the corner, half a step west of the cell.
                let crossing = Double(ay) + Double((by - ay) * (-1 - 2 * ax)) / Double(2 * (bx - ax))
                if crossing > highest, crossing <= Double(y) + 0.5 {
                    highest = crossing
                    area = bx > ax ? edge.west : edge.east
                }
            }
        }
        return east ?? area
    }
}

extension BorderList {
    /// A segment of a border, from its lower to its upper end.
    struct Edge: Sendable {
        let ends: UInt64
        let areas: UInt32

        var ax: Int { Int(Int16(truncatingIfNeeded: ends)) }
        var ay: Int { Int(Int16(truncatingIfNeeded: ends >> 16)) }
        var bx: Int { Int(Int16(truncatingIfNeeded: ends >> 32)) }
        var by: Int { Int(Int16(truncatingIfNeeded: ends >> 48)) }
        /// The area to the left going up; north of a horizontal segment, which runs east.
        var west: UInt16 { UInt16(truncatingIfNeeded: areas) }
        /// The area to the right going up; south of a horizontal segment.
        var east: UInt16 { UInt16(truncatingIfNeeded: areas >> 16) }

        /// The area on one side; if both sides have areas, the one with the lower number.
        var nearerSide: UInt16 { min(west, east) }

        /// Returns the distance in steps from a position, where a degree of longitude is `shrink` times as long as one
        /// of latitude.
        func distance(x: Double, y: Double, shrink: Double) -> Double {
            let (px, py) = ((x - Double(ax)) * shrink, y - Double(ay))
            let (dx, dy) = (Double(bx - ax) * shrink, Double(by - ay))
            let square = dx * dx + dy * dy
            let along = square > 0 ? min(1, max(0, (px * dx + py * dy) / square)) : 0
            let (offX, offY) = (px - along * dx, py - along * dy)
            return (offX * offX + offY * offY).squareRoot()
        }
    }
}
