import Geometry

/// Points in Morton order with prefix sums, so that the count and mean of any quadtree cell cost two look-ups.
///
/// A run may hold several sections (one for each layer), each sorted for itself.
final class PointRun: Sendable {
    /// Sums over the points before a position; differences are exact even when a sum wraps around.
    struct Sums: Sendable {
        var count: Int64 = 0
        var x: Int64 = 0
        var y: Int64 = 0
    }

    /// The extremes of the added points of a block.
    struct Extremes: Sendable {
        var west = Double.infinity
        var south = Double.infinity
        var east = -Double.infinity
        var north = -Double.infinity

        mutating func include(_ point: Coordinate) {
            west = min(west, point.longitude)
            east = max(east, point.longitude)
            south = min(south, point.latitude)
            north = max(north, point.latitude)
        }

        mutating func include(_ other: Extremes) {
            west = min(west, other.west)
            east = max(east, other.east)
            south = min(south, other.south)
            north = max(north, other.north)
        }

        var isEmpty: Bool { south > north }

        /// Whether the other extremes touch or cross these.
        func isTouched(by other: Extremes) -> Bool {
            other.west <= west || other.east >= east || other.south <= south || other.north >= north
        }
    }

    static let blockSize = 64

    /// Morton codes, ascending within a section.
    let codes: [UInt64]
    /// The points in stored doubles.
    let points: [Coordinate]
    /// The row of each point's story in its segment.
    let rows: [UInt32]
    /// ±1 or ±2, see ``IndexedPlacement/mark``, negated for rows that take a story away.
    let marks: [Int8]
    /// One more than there are points.
    let sums: [Sums]
    /// Of every ``blockSize`` points.
    let blocks: [Extremes]

    /// Creates a run of points that are already in order.
    init(codes: [UInt64], points: [Coordinate], rows: [UInt32], marks: [Int8]) {
        self.codes = codes
        self.points = points
        self.rows = rows
        self.marks = marks
        var sums: [Sums] = []
        sums.reserveCapacity(codes.count + 1)
        var sum = Sums()
        sums.append(sum)
        var blocks: [Extremes] = []
        blocks.reserveCapacity(codes.count / PointRun.blockSize + 1)
        for index in codes.indices {
            let sign = Int64(marks[index].signum())
            let (x, y) = Morton.decode(codes[index])
            sum.count += sign
            sum.x &+= sign * Int64(x)
            sum.y &+= sign * Int64(y)
            sums.append(sum)
            if index.isMultiple(of: PointRun.blockSize) { blocks.append(Extremes()) }
            if sign > 0 { blocks[index / PointRun.blockSize].include(points[index]) }
        }
        self.sums = sums
        self.blocks = blocks
    }

    /// Creates a run of some points of another, given in order.
    convenience init(_ run: PointRun, keeping positions: [Int]) {
        self.init(
            codes: positions.map { run.codes[$0] },
            points: positions.map { run.points[$0] },
            rows: positions.map { run.rows[$0] },
            marks: positions.map { run.marks[$0] }
        )
    }

    /// The first position in `range` whose code is not below `code`.
    func lowerBound(_ code: UInt64, in range: Range<Int>) -> Int {
        var low = range.lowerBound
        var high = range.upperBound
        while low < high {
            let middle = (low + high) / 2
            if codes[middle] < code { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The sum of the weights in `range`.
    func count(in range: Range<Int>) -> Int {
        Int(sums[range.upperBound].count - sums[range.lowerBound].count)
    }

    /// Whether nothing in `range` takes anything away.
    func isPlain(in range: Range<Int>) -> Bool { count(in: range) == range.count }

    /// The extremes of the added points in `range`.
    func extremes(in range: Range<Int>) -> Extremes {
        var result = Extremes()
        var index = range.lowerBound
        while index < range.upperBound {
            if index.isMultiple(of: PointRun.blockSize), index + PointRun.blockSize <= range.upperBound {
                result.include(blocks[index / PointRun.blockSize])
                index += PointRun.blockSize
            } else {
                if marks[index] > 0 { result.include(points[index]) }
                index += 1
            }
        }
        return result
    }
}
