public import Geometry

/// An index of the points of fences, shared by users with different radii: built once, then read-only.
///
/// Sorted by cells of 0.0025 degrees, a few streets each, so that the fences of a street are adjacent.
public struct FenceIndex: Sendable {
    private let table: Table

    /// A class, so that copying the index copies only one reference.
    private final class Table: Sendable {
        /// The index of the first point of each row of cells, followed by the number of points.
        let starts: [UInt32]
        let columns: [UInt32]
        let ids: [PlaceID]
        let points: [Coordinate]

        init(starts: [UInt32], columns: [UInt32], ids: [PlaceID], points: [Coordinate]) {
            self.starts = starts
            self.columns = columns
            self.ids = ids
            self.points = points
        }
    }

    /// Creates an index of points; duplicate points are stored once.
    ///
    /// - Complexity: O(*n* log *n*).
    public init(_ coordinates: some Sequence<Coordinate>) {
        self.init(coordinates.map { (PlaceID($0), $0) })
    }

    /// Creates an index of places with their points; of several points with the same id, the first in order of cell,
    /// then latitude, is stored.
    ///
    /// - Complexity: O(*n* log *n*).
    public init(_ places: some Sequence<(PlaceID, Coordinate)>) {
        let keyed = places.map { (key: FenceCells.key($0.1), id: $0.0, point: $0.1) }
            .sorted { ($0.key, $0.id, $0.point.latitude) < ($1.key, $1.id, $1.point.latitude) }
        var seen: Set<PlaceID> = []
        let unique = keyed.filter { seen.insert($0.id).inserted }
        var starts = [UInt32](repeating: 0, count: FenceCells.rows + 1)
        for place in unique { starts[Int(place.key >> 32) + 1] += 1 }
        for row in 1...FenceCells.rows { starts[row] += starts[row - 1] }
        table = Table(
            starts: starts,
            columns: unique.map { UInt32(truncatingIfNeeded: $0.key) },
            ids: unique.map(\.id),
            points: unique.map(\.point)
        )
    }

    /// The places with their points, sorted by cell.
    package var places: [(id: PlaceID, point: Coordinate)] {
        table.points.indices.map { (table.ids[$0], table.points[$0]) }
    }

    /// The number of points.
    public var count: Int { table.points.count }

    /// Returns a user's fences: with the given radius in metres, except for places with a radius of their own, and
    /// without muted places.
    public func fences(
        radius: Double,
        radii: [PlaceID: Double] = [:],
        muted: Set<PlaceID> = []
    ) -> PersonalFences {
        PersonalFences(index: self, radius: radius, radii: radii, muted: muted)
    }

    /// Calls `body` with every place whose point lies in `box`.
    ///
    /// - Complexity: O(*r* log *w* + *m*) for *r* rows of *w* points and *m* points in cells that the box touches.
    func forEach(in box: BoundingBox, _ body: (PlaceID, Coordinate) -> Void) {
        FenceCells.forEachRun(in: box) { row, columns, part in
            collect(row: Int(row), columns: columns, box: part, body)
        }
    }

    private func collect(
        row: Int,
        columns range: ClosedRange<UInt64>,
        box: BoundingBox,
        _ body: (PlaceID, Coordinate) -> Void
    ) {
        let end = Int(table.starts[row + 1])
        var index = Int(table.starts[row])
        guard index < end else { return }
        // If a row has many points, the first one in the box is found by bisection.
        var high = end
        while index < high {
            let middle = index + (high - index) / 2
            if UInt64(table.columns[middle]) < range.lowerBound { index = middle + 1 } else { high = middle }
        }
        while index < end, UInt64(table.columns[index]) <= range.upperBound {
            let point = table.points[index]
            if box.contains(point) { body(table.ids[index], point) }
            index += 1
        }
    }
}

/// A user's own fences around the points of an index.
public struct PersonalFences: FenceSource, Sendable {
    /// The largest radius in metres.
    public let largestRadius: Double
    private let index: FenceIndex
    private let radius: Double
    private let radii: [PlaceID: Double]
    private let muted: Set<PlaceID>

    init(index: FenceIndex, radius: Double, radii: [PlaceID: Double], muted: Set<PlaceID>) {
        self.index = index
        self.radius = radius
        self.radii = radii
        self.muted = muted
        largestRadius = radii.values.reduce(radius, max)
    }

    /// Returns the fences whose centre lies in `box`.
    public func fences(in box: BoundingBox) -> [Fence] {
        var found: [Fence] = []
        index.forEach(in: box) { id, point in
            guard muted.isEmpty || !muted.contains(id) else { return }
            let radius = radii.isEmpty ? radius : radii[id] ?? radius
            found.append(Fence(id: id, coordinate: point, radius: radius))
        }
        return found
    }
}
