public import Geometry

/// A fixed set of fences in an index of cells of 0.0025 degrees.
public struct FenceList: FenceSource, Sendable {
    /// The largest radius in metres, zero when there is no fence.
    public let largestRadius: Double
    private let keys: [UInt64]
    private let sorted: [Fence]

    private static let cellsPerDegree = 400.0

    /// Creates an index.
    ///
    /// - Complexity: O(*n* log *n*).
    public init(_ fences: some Sequence<Fence>) {
        let keyed = fences.map { (key: FenceList.key($0.coordinate), fence: $0) }
            .sorted { ($0.key, $0.fence.id) < ($1.key, $1.fence.id) }
        keys = keyed.map(\.key)
        sorted = keyed.map(\.fence)
        largestRadius = sorted.map(\.radius).max() ?? 0
    }

    /// Returns the fences whose centre lies in `box`.
    ///
    /// - Complexity: O(*r* log *n* + *m*) for *r* rows of cells and *m* fences in cells that the box touches.
    public func fences(in box: BoundingBox) -> [Fence] {
        var found: [Fence] = []
        for part in box.parts {
            let columns = FenceList.column(part.west)...FenceList.column(part.east)
            // Points on the antimeridian are kept in column 0, which a second part has anyway.
            let touchesAntimeridian = part.east == 180 && !box.crossesAntimeridian && columns.lowerBound > 0
            for row in FenceList.row(part.south)...FenceList.row(part.north) {
                collect(row: row, columns: columns, box: part, into: &found)
                if touchesAntimeridian { collect(row: row, columns: 0...0, box: part, into: &found) }
            }
        }
        return found
    }

    private func collect(row: UInt64, columns: ClosedRange<UInt64>, box: BoundingBox, into found: inout [Fence]) {
        let last = row << 32 | columns.upperBound
        var index = firstIndex(notBelow: row << 32 | columns.lowerBound)
        while index < keys.count, keys[index] <= last {
            if box.contains(sorted[index].coordinate) { found.append(sorted[index]) }
            index += 1
        }
    }

    private func firstIndex(notBelow key: UInt64) -> Int {
        var low = 0
        var high = keys.count
        while low < high {
            let middle = low + (high - low) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The cell of a coordinate; the meridians +180 and -180 are one.
    private static func key(_ coordinate: Coordinate) -> UInt64 {
        row(coordinate.latitude) << 32 | (coordinate.longitude == 180 ? 0 : column(coordinate.longitude))
    }

    private static func row(_ latitude: Double) -> UInt64 { UInt64((latitude + 90) * cellsPerDegree) }

    private static func column(_ longitude: Double) -> UInt64 {
        UInt64((longitude + 180) * cellsPerDegree)
    }
}
