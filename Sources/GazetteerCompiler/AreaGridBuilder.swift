import Gazetteer

/// Compiles a layer of areas into a grid; see ``AreaGridFormat``.
struct AreaGridBuilder {
    private typealias Format = AreaGridFormat

    /// A segment of a border, from its southern to its northern end, or from west to east if it is horizontal.
    ///
    /// Coordinates are in steps from -180, -90 degrees.
    private struct Edge {
        var ax: Int
        var ay: Int
        var bx: Int
        var by: Int
        var west: UInt16
        var east: UInt16
    }

    private static let columns = Format.columns * Format.fine
    private static let rows = Format.rows * Format.fine

    private var edges: [Edge] = []
    /// Pairs of cell and edge, 32 bits each; sorted, they form the lists of all cells.
    private var entries: [UInt64] = []

    /// The section of cells.
    private(set) var cells: [UInt32] = []
    /// The section of border lists.
    private(set) var lists: [UInt8] = []

    init(_ layer: AreaTable.Layer) {
        for line in layer.lines { enter(line) }
        entries.sort()
        write()
    }

    private mutating func enter(_ line: AreaTable.Line) {
        for (start, end) in zip(line.points, line.points.dropFirst()) {
            let (sx, sy) = (Int(start.x) + 180 * Format.degree, Int(start.y) + 90 * Format.degree)
            let (ex, ey) = (Int(end.x) + 180 * Format.degree, Int(end.y) + 90 * Format.degree)
            guard (sx, sy) != (ex, ey) else { continue }
            let isUp = sy < ey || (sy == ey && sx < ex)
            enter(
                isUp
                    ? Edge(ax: sx, ay: sy, bx: ex, by: ey, west: line.left, east: line.right)
                    : Edge(ax: ex, ay: ey, bx: sx, by: sy, west: line.right, east: line.left)
            )
        }
    }

    /// Enters an edge into every cell it may touch, including a margin of one step.
    private mutating func enter(_ edge: Edge) {
        let number = UInt64(edges.count)
        edges.append(edge)
        let (cell, span) = (Format.cell, edge.by - edge.ay)
        for row in max(0, edge.ay - 1) / cell...min(Self.rows - 1, (edge.by + 1) / cell) {
            // The part of the edge in this row of cells.
            let low = max(edge.ay, row * cell - 1)
            let high = min(edge.by, (row + 1) * cell + 1)
            let atLow = span == 0 ? edge.ax : edge.ax + (edge.bx - edge.ax) * (low - edge.ay) / span
            let atHigh = span == 0 ? edge.bx : edge.ax + (edge.bx - edge.ax) * (high - edge.ay) / span
            let west = max(0, min(atLow, atHigh) - 2) / cell
            let east = min(Self.columns - 1, (max(atLow, atHigh) + 2) / cell)
            guard west <= east else { continue }
            for column in west...east { entries.append(UInt64(row * Self.columns + column) << 32 | number) }
        }
    }

    /// Returns, for each row of cells, the borders that cross the line half a step below its southern side, from west
    /// to east.
    private func crossings() -> [[(x: Double, east: UInt16)]] {
        var rows = [[(x: Double, east: UInt16)]](repeating: [], count: Self.rows)
        for edge in edges where edge.by > edge.ay {
            // The first row whose line, at row * cell - 0.5, is above the lower end of the edge.
            var row = (edge.ay + Format.cell) / Format.cell
            while row < Self.rows, row * Format.cell <= edge.by {
                let up = Double(row * Format.cell - edge.ay) - 0.5
                let x = Double(edge.ax) + Double(edge.bx - edge.ax) * up / Double(edge.by - edge.ay)
                rows[row].append((x, edge.east))
                row += 1
            }
        }
        for row in rows.indices { rows[row].sort { $0.x < $1.x } }
        return rows
    }

    private mutating func write() {
        let crossings = crossings()
        /// Returns the number of the area at the south-west corner of a cell, plus one; zero if there is none.
        func corner(_ column: Int, _ row: Int) -> UInt32 {
            let x = Double(column * Format.cell) - 0.5
            var (low, high) = (0, crossings[row].count)
            while low < high {
                let middle = (low + high) / 2
                if crossings[row][middle].x <= x { low = middle + 1 } else { high = middle }
            }
            return low == 0 ? 0 : UInt32(crossings[row][low - 1].east &+ 1)
        }
        var words: [Int: UInt32] = [:]
        var isDivided = [Bool](repeating: false, count: Format.columns * Format.rows)
        var start = 0
        while start < entries.count {
            let cell = Int(entries[start] >> 32)
            var end = start
            while end < entries.count, Int(entries[end] >> 32) == cell { end += 1 }
            let (column, row) = (cell % Self.columns, cell / Self.columns)
            words[cell] = Format.list << Format.kindShift | UInt32(lists.count / 4)
            write(start..<end, column: column, row: row, corner: UInt16(truncatingIfNeeded: corner(column, row)))
            for nearRow in max(0, row - 1)...min(Self.rows - 1, row + 1) {
                let reach = Format.reachColumns(row: nearRow)
                for step in -reach...reach {
                    let nearColumn = (column + step + Self.columns) % Self.columns
                    let near = nearRow * Self.columns + nearColumn
                    if words[near] == nil { words[near] = Format.nearby << Format.kindShift }
                    isDivided[Self.coarse(nearColumn, nearRow)] = true
                }
            }
            start = end
        }
        writeCells(words, isDivided, corner: corner)
    }

    private static func coarse(_ column: Int, _ row: Int) -> Int {
        row / Format.fine * Format.columns + column / Format.fine
    }

    private mutating func writeCells(
        _ words: [Int: UInt32],
        _ isDivided: [Bool],
        corner: (_ column: Int, _ row: Int) -> UInt32
    ) {
        var blocks: [UInt32] = []
        for number in isDivided.indices {
            let column = number % Format.columns * Format.fine
            let row = number / Format.columns * Format.fine
            guard isDivided[number] else {
                cells.append(corner(column, row))
                continue
            }
            cells.append(Format.block << Format.kindShift | UInt32(blocks.count / (Format.fine * Format.fine)))
            for fineRow in row..<(row + Format.fine) {
                for fineColumn in column..<(column + Format.fine) {
                    let word = words[fineRow * Self.columns + fineColumn] ?? 0
                    let isList = word >> Format.kindShift == Format.list
                    // For a cell without borders, store the area at its corner or, if there is none, whether a border
                    // is near.
                    let area = isList ? 0 : corner(fineColumn, fineRow)
                    blocks.append(isList || area == 0 ? word : area)
                }
            }
        }
        cells += blocks
    }

    private mutating func write(_ range: Range<Int>, column: Int, row: Int, corner: UInt16) {
        lists.append(littleEndian: UInt16(clamping: range.count))
        lists.append(littleEndian: corner)
        for entry in entries[range].prefix(Int(UInt16.max)) {
            let edge = edges[Int(entry & 0xFFFF_FFFF)]
            let (x, y) = (column * Format.cell, row * Format.cell)
            for value in [edge.ax - x, edge.ay - y, edge.bx - x, edge.by - y] {
                lists.append(littleEndian: Int16(clamping: value))
            }
            lists.append(littleEndian: edge.west)
            lists.append(littleEndian: edge.east)
        }
    }
}
