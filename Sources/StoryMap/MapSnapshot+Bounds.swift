public import Geometry
import Stories

extension MapSnapshot {
    /// Returns the smallest box around all located matches of the query, `nil` if there are none.
    ///
    /// Its longitudes exclude the widest gap, the westernmost one of equal gaps, so the box may cross the antimeridian.
    ///
    /// - Complexity: O(*n*) in the points of the viewer's layers.
    public func bounds(_ query: StoryQuery) -> BoundingBox? {
        let scope = Scope(query, segments: segments).filtered()
        var south = Double.infinity
        var north = -Double.infinity
        var gaps = LongitudeGaps()
        func include(_ point: Coordinate) {
            south = min(south, point.latitude)
            north = max(north, point.latitude)
            gaps.include(point.longitude)
        }
        if scope.slices.allSatisfy({ $0.run.isPlain(in: $0.range) }) {
            for slice in scope.slices { for point in slice.run.points[slice.range] { include(point) } }
        } else {
            let pieces = scope.slices.indices.map { Piece(slice: $0, range: scope.slices[$0].range) }
            for member in scope.members(of: pieces) { include(member.point) }
        }
        guard let (west, east) = gaps.narrowest else { return nil }
        return BoundingBox(west: west, south: south, east: east, north: north)
    }
}

/// Finds the narrowest span of longitudes: the circle without its widest gap.
struct LongitudeGaps {
    private static let count = 3_600
    private var lowest = [Double](repeating: .infinity, count: LongitudeGaps.count)
    private var highest = [Double](repeating: -.infinity, count: LongitudeGaps.count)

    mutating func include(_ longitude: Double) {
        // +180 and -180 are the same meridian.
        let longitude = longitude == 180 ? -180 : longitude
        let bucket = min(LongitudeGaps.count - 1, max(0, Int((longitude + 180) * Double(LongitudeGaps.count) / 360)))
        lowest[bucket] = min(lowest[bucket], longitude)
        highest[bucket] = max(highest[bucket], longitude)
    }

    /// The western and eastern ends, `nil` if there are no longitudes.
    ///
    /// If the widest gap is less than a tenth of a degree, the span is the whole circle.
    var narrowest: (west: Double, east: Double)? {
        let filled = lowest.indices.filter { lowest[$0] <= highest[$0] }
        guard let first = filled.first, let last = filled.last else { return nil }
        var west = lowest[first]
        var east = highest[last]
        var widest = west + 360 - east
        for (bucket, next) in zip(filled, filled.dropFirst()) where lowest[next] - highest[bucket] > widest {
            widest = lowest[next] - highest[bucket]
            west = lowest[next]
            east = highest[bucket]
        }
        if widest < 0.1 { return (-180, 180) }
        return (west, west > east && east == -180 ? 180 : east)
    }
}
