import Geometry

extension Scope {
    /// Calls `body` with the rows of one segment that the viewer may see, wanted or not, and how often each counts.
    ///
    /// With a box, only rows with a point in the closed box are passed; without one, also those without a location. Sums
    /// over signs are exact over all segments, like counts: a removed story is passed again with a negative sign. A row
    /// may be passed several times, with signs that sum to ±1 or 0, however many of its points lie in the box.
    func forEachRow(ofSegment index: Int, in box: BoundingBox?, _ body: (_ row: Int, _ sign: Int) -> Void) {
        guard let box else { return forEachListedRow(ofSegment: index, body) }
        var pieces: [(slice: Slice, range: Range<Int>, isInside: Bool)] = []
        let rectangles = UnitRectangle.covering(box)
        for slice in slices where slice.view == index {
            slice.run.visit(rectangles, in: slice.range, slice.directory) { pieces.append((slice, $0, $1)) }
        }
        func forEachPoint(_ body: (_ row: Int, _ sign: Int) -> Void) {
            for (slice, range, isInside) in pieces {
                for position in range where isInside || box.contains(slice.run.points[position]) {
                    body(Int(slice.run.rows[position]), Int(slice.run.marks[position].signum()))
                }
            }
        }
        let count = views[index].segment.rows.count
        let corrections = corrections(pieces, in: box)
        guard pieces.reduce(0, { $0 + $1.range.count }) >= count / 32 else {
            forEachPoint(body)
            for (row, change) in corrections { body(row, change) }
            return
        }
        // If there are many points, the rows are read in order: points lie along a curve, and random access costs five
        // times as much.
        var signs = [Int8](repeating: 0, count: count)
        // A story can have more places than such a number holds, but its corrected sum is ±1 or 0 again.
        forEachPoint { row, sign in signs[row] &+= Int8(sign) }
        for (row, change) in corrections { signs[row] &+= Int8(truncatingIfNeeded: change) }
        for row in signs.indices where signs[row] != 0 { body(row, Int(signs[row])) }
    }

    private func forEachListedRow(ofSegment index: Int, _ body: (_ row: Int, _ sign: Int) -> Void) {
        let rows = views[index].segment.layerRows
        for visible in views[index].layers {
            for position in visible.layer.added { body(Int(rows[position]), 1) }
            for position in visible.layer.removed { body(Int(rows[position]), -1) }
        }
    }
}
