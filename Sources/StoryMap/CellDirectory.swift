import Geometry

/// A table of where each cell of one level starts in a section of a run, so that a query for a region need not search
/// down from the whole map.
final class CellDirectory: Sendable {
    /// The level, chosen for about four points per cell if they were spread evenly.
    let level: Int
    /// The position of the first point of each cell in Morton order, followed by the end.
    private let starts: [UInt32]

    /// The size of the directory in bytes.
    var bytes: Int { starts.bytes }

    /// The minimum number of points; fewer are found fast enough without a directory.
    private static let fewest = 2_048

    /// Creates a directory, or returns `nil` if there are too few points.
    ///
    /// - Complexity: O(points), about a byte of memory per point.
    init?(_ codes: [UInt64], range: Range<Int>) {
        guard range.count >= CellDirectory.fewest, range.upperBound <= Int(UInt32.max) else { return nil }
        level = min(12, (Int.bitWidth - (range.count / 4).leadingZeroBitCount) / 2)
        let shift = UInt64(64 - 2 * level)
        var starts = [UInt32](repeating: 0, count: 1 << (2 * level) + 1)
        var next = 0
        for position in range {
            let cell = Int(codes[position] >> shift)
            while next <= cell {
                starts[next] = UInt32(position)
                next += 1
            }
        }
        while next < starts.count {
            starts[next] = UInt32(range.upperBound)
            next += 1
        }
        self.starts = starts
    }

    /// Returns the range of the points in a cell; `level` must not be deeper than the directory's level.
    @inline(__always)
    func range(ofCell cell: UInt64, level: Int) -> Range<Int> {
        let shift = UInt64(2 * (self.level - level))
        return Int(starts[Int(cell << shift)])..<Int(starts[Int((cell + 1) << shift)])
    }
}
