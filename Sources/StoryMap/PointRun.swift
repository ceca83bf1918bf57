import Geometry

/// Points in Morton order with prefix sums, so that the count and mean of any quadtree cell cost two look-ups.
///
/// A run may contain several sections (one per layer), each sorted separately.
final class PointRun: Sendable {
    /// Sums over the points before a position; differences are exact even when a sum wraps around.
    struct Sums: Sendable {
        var count: Int64 = 0
        var x: Int64 = 0
        var y: Int64 = 0

        @inline(__always)
        mutating func add(_ code: UInt64, mark: Int8) {
            let sign = Int64(mark.signum())
            let (x, y) = Morton.decode(code)
            count += sign
            self.x &+= sign * Int64(x)
            self.y &+= sign * Int64(y)
        }
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

        /// Returns whether the other extremes touch or cross these.
        func isTouched(by other: Extremes) -> Bool {
            other.west <= west || other.east >= east || other.south <= south || other.north >= north
        }
    }

    static let blockSize = 64
    /// The number of points per stored sum, a power of two: storing only every fourth sum saves 18 bytes per point.
    private static let sumStep = 4

    /// Morton codes, ascending within a section.
    let codes: [UInt64]
    /// The points, with their coordinates exactly as stored.
    let points: [Coordinate]
    /// The row of each point's story in its segment.
    let rows: [UInt32]
    /// ±1 or ±2, see ``IndexedPlacement/mark``, negated for rows that remove a story.
    let marks: [Int8]
    /// The sums over the points before every fourth one; sums for positions between these are computed from the codes.
    private let sums: [Sums]
    /// The extremes of every ``blockSize`` points.
    let blocks: [Extremes]
    /// The points of stories with further places.
    let further: FurtherMarks

    /// The size of the run in bytes.
    var bytes: Int {
        codes.bytes + points.bytes + rows.bytes + marks.bytes + sums.bytes + blocks.bytes + further.bytes
    }

    /// Creates a run of points that are already sorted.
    init(codes: [UInt64], points: [Coordinate], rows: [UInt32], marks: [Int8], further: FurtherMarks = .none) {
        self.further = further
        self.codes = codes
        self.points = points
        self.rows = rows
        self.marks = marks
        sums = PointRun.sums(codes, marks)
        blocks = stride(from: 0, to: points.count, by: PointRun.blockSize)
            .map { start in
                var extremes = Extremes()
                for index in start..<min(points.count, start + PointRun.blockSize) where marks[index] > 0 {
                    extremes.include(points[index])
                }
                return extremes
            }
    }

    private static func sums(_ codes: [UInt64], _ marks: [Int8]) -> [Sums] {
        var sums: [Sums] = []
        sums.reserveCapacity(codes.count / sumStep + 1)
        var sum = Sums()
        var index = 0
        while index + sumStep <= codes.count {
            sums.append(sum)
            for step in 0..<sumStep { sum.add(codes[index + step], mark: marks[index + step]) }
            index += sumStep
        }
        // The last sum is the base for the sums within the remaining points.
        sums.append(sum)
        return sums
    }

    /// Creates a run of the points of another run at the given ascending positions.
    convenience init(_ run: PointRun, keeping positions: [UInt32]) {
        self.init(
            codes: positions.map { run.codes[Int($0)] },
            points: positions.map { run.points[Int($0)] },
            rows: positions.map { run.rows[Int($0)] },
            marks: positions.map { run.marks[Int($0)] },
            further: run.further.keeping(positions)
        )
    }

    /// Returns the first position in `range` whose code is not below `code`.
    func lowerBound(_ code: UInt64, in range: Range<Int>) -> Int {
        var low = range.lowerBound
        var high = range.upperBound
        while low < high {
            let middle = (low + high) / 2
            if codes[middle] < code { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns the sums over the points of `range`.
    @inline(__always)
    func sum(in range: Range<Int>) -> Sums {
        // For few points, reading their codes is faster than reading the sums.
        guard range.count > 2 * PointRun.sumStep else {
            var sum = Sums()
            for index in range { sum.add(codes[index], mark: marks[index]) }
            return sum
        }
        let (from, to) = (sum(before: range.lowerBound), sum(before: range.upperBound))
        return Sums(count: to.count - from.count, x: to.x &- from.x, y: to.y &- from.y)
    }

    @inline(__always)
    private func sum(before position: Int) -> Sums {
        var sum = sums[position / PointRun.sumStep]
        for index in position & ~(PointRun.sumStep - 1)..<position { sum.add(codes[index], mark: marks[index]) }
        return sum
    }

    /// Returns the number of additions minus the number of removals in `range`.
    func count(in range: Range<Int>) -> Int { Int(sum(in: range).count) }

    /// Returns whether `range` contains no removals.
    func isPlain(in range: Range<Int>) -> Bool { count(in: range) == range.count }

    /// Returns the extremes of the added points in `range`.
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
