import Geometry

/// A rectangle of Mercator units, edges inclusive; where it extends beyond the map, there is no limit on that side.
struct UnitRectangle: Sendable {
    var west: Int64
    var north: Int64
    var east: Int64
    var south: Int64

    /// Returns whether a quadtree square is disjoint from the rectangle.
    func misses(x: Int64, y: Int64, side: Int64) -> Bool {
        x > east || y > south || x + side - 1 < west || y + side - 1 < north
    }

    /// Returns whether a square lies inside the rectangle, with a margin for the rounding of the projection.
    func holds(x: Int64, y: Int64, side: Int64) -> Bool {
        x > west + 2 && y > north + 2 && x + side - 1 < east - 2 && y + side - 1 < south - 2
    }
}

extension PointRun {
    /// The number of points below which scanning them is faster than dividing them further.
    private static let fewPoints = 24

    /// A square of the quadtree with the points in it.
    private struct Square {
        let code: UInt64
        let level: Int
        let range: Range<Int>

        var side: Int64 { 1 << Int64(32 - level) }
    }

    /// Calls `body` with disjoint ranges that together contain every point of `range` inside one of the rectangles.
    ///
    /// `isInside` means that all points of the range are inside; otherwise each must be compared.
    func visit(
        _ rectangles: [UnitRectangle],
        in range: Range<Int>,
        _ directory: CellDirectory?,
        _ body: (_ range: Range<Int>, _ isInside: Bool) -> Void
    ) {
        visit(Square(code: 0, level: 0, range: range), rectangles, directory, body)
    }

    private func visit(
        _ square: Square,
        _ rectangles: [UnitRectangle],
        _ directory: CellDirectory?,
        _ body: (Range<Int>, Bool) -> Void
    ) {
        guard !square.range.isEmpty else { return }
        let (x, y) = Morton.decode(square.code)
        let side = square.side
        if rectangles.allSatisfy({ $0.misses(x: Int64(x), y: Int64(y), side: side) }) { return }
        if rectangles.contains(where: { $0.holds(x: Int64(x), y: Int64(y), side: side) }) {
            return body(square.range, true)
        }
        guard square.range.count > PointRun.fewPoints, square.level < 32 else { return body(square.range, false) }
        forEachQuarter(of: square, directory) { visit($0, rectangles, directory, body) }
    }

    /// Calls `body` with the quarters of a square that contain points.
    @inline(__always)
    private func forEachQuarter(of square: Square, _ directory: CellDirectory? = nil, _ body: (Square) -> Void) {
        let step: UInt64 = 1 << UInt64(62 - 2 * square.level)
        if let directory, square.level < directory.level {
            for index in 0..<4 {
                let code = square.code + UInt64(index) * step
                let cell = code >> UInt64(62 - 2 * square.level)
                let range = directory.range(ofCell: cell, level: square.level + 1)
                if !range.isEmpty { body(Square(code: code, level: square.level + 1, range: range)) }
            }
            return
        }
        var start = square.range.lowerBound
        for index in 0..<4 {
            let code = square.code + UInt64(index) * step
            var end = square.range.upperBound
            if index < 3 { end = lowerBound(code + step, in: start..<end) }
            if end > start { body(Square(code: code, level: square.level + 1, range: start..<end)) }
            start = end
        }
    }

    /// Calls `body` with each cell of `region` that has points in `range`, and with those points.
    ///
    /// With a directory of that range, the search starts at its cells instead of the whole world.
    func cells(
        of region: CellRegion,
        in range: Range<Int>,
        _ directory: CellDirectory?,
        _ body: (_ column: UInt32, _ row: UInt32, _ range: Range<Int>) -> Void
    ) {
        guard let directory, region.area <= range.count else {
            return cells(Square(code: 0, level: 0, range: range), region, body)
        }
        let level = min(directory.level, region.level)
        let start = region.outer(level: level)
        for row in start.row..<start.row + start.height {
            for step in 0..<start.width {
                let column = start.column(start.column, plus: Int(step))
                let cell = Morton.encode(x: column, y: row)
                let found = directory.range(ofCell: cell, level: level)
                if found.isEmpty { continue }
                if level == region.level {
                    body(column, row, found)
                } else {
                    cells(Square(code: cell << UInt64(64 - 2 * level), level: level, range: found), region, body)
                }
            }
        }
    }

    private func cells(_ square: Square, _ region: CellRegion, _ body: (UInt32, UInt32, Range<Int>) -> Void) {
        guard region.touches(code: square.code, level: square.level) else { return }
        let shift = UInt64(64 - 2 * region.level)
        if square.range.count > 8, square.level < region.level {
            return forEachQuarter(of: square) { cells($0, region, body) }
        }
        var start = square.range.lowerBound
        while start < square.range.upperBound {
            let cell = codes[start] >> shift
            var end = start + 1
            if square.level == region.level {
                end = square.range.upperBound
            } else {
                while end < square.range.upperBound, codes[end] >> shift == cell { end += 1 }
            }
            let (column, row) = Morton.decode(cell)
            if region.contains(column: column, row: row) { body(column, row, start..<end) }
            start = end
        }
    }

    /// Returns the end of the points of a cell; the first point of `range` must lie in that cell.
    func end(ofCell cell: UInt64, shift: UInt64, in range: Range<Int>) -> Int {
        // Most cells contain few points: doubling steps find a nearby end.
        var low = range.lowerBound
        var step = 1
        while low + step < range.upperBound, codes[low + step] >> shift == cell {
            low += step
            step *= 2
        }
        var high = min(range.upperBound, low + step)
        while low + 1 < high {
            let middle = (low + high) / 2
            if codes[middle] >> shift == cell { low = middle } else { high = middle }
        }
        return low + 1
    }
}
