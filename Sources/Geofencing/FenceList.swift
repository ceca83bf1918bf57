public import Geometry

/// A fixed set of fences, indexed by cells of 0.0025 degrees.
public struct FenceList: FenceSource, Sendable {
    /// The largest radius in metres, zero if there are no fences.
    public let largestRadius: Double
    private let keys: [UInt64]
    private let sorted: [Fence]
    /// Those of the fences that have an outline.
    private let outlined: [Fence]

    /// Creates an index.
    ///
    /// - Complexity: O(*n* log *n*).
    public init(_ fences: some Sequence<Fence>) {
        let keyed = fences.map { (key: FenceCells.key($0.coordinate), fence: $0) }
            .sorted { ($0.key, $0.fence.id) < ($1.key, $1.fence.id) }
        keys = keyed.map(\.key)
        sorted = keyed.map(\.fence)
        largestRadius = sorted.map(\.radius).max() ?? 0
        outlined = sorted.filter { $0.outline != nil }
    }

    /// Whether any of the fences has an outline.
    public var hasOutlines: Bool { !outlined.isEmpty }

    /// Returns the fences whose centre lies in `box`, and those whose outline's box touches it.
    ///
    /// - Complexity: O(*r* log *n* + *m* + *o*) for *r* rows of cells, *m* fences in cells that the box touches, and *o*
    ///   fences with outlines.
    public func fences(in box: BoundingBox) -> [Fence] {
        var found: [Fence] = []
        FenceCells.forEachRun(in: box) { row, columns, part in
            collect(row: row, columns: columns, box: part, into: &found)
        }
        for fence in outlined where fence.outline?.box.touches(box) ?? false && !box.contains(fence.coordinate) {
            found.append(fence)
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
}
