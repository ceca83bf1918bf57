public import Geometry
import Stories

extension MapSnapshot {
    /// Returns the stories nearest to a coordinate, by distance, then by id; at most `limit`.
    ///
    /// Searches boxes sized to contain a few times `limit` stories, whatever the local density.
    ///
    /// - Complexity: O(*k* log *n*); the first use of a selective filter has to scan everything.
    public func nearby(_ coordinate: Coordinate, _ query: StoryQuery, limit: Int) -> [NearbyStory] {
        guard limit > 0 else { return [] }
        var search = NearbySearch(scope: Scope(query, segments: segments), coordinate: coordinate, limit: limit) {
            views.view(of: query).scope(query, segments: segments)
        }
        return search.result()
    }
}

/// A search for the nearest stories.
private struct NearbySearch {
    /// The number of points in a search box above which the search continues with only the matching points, if too few
    /// of them match.
    private static let manyPoints = 10_000

    var scope: Scope
    let coordinate: Coordinate
    let limit: Int
    /// The scope with only matching points.
    let wanted: () -> Scope

    mutating func result() -> [NearbyStory] {
        guard let radius = radius() else { return Array(members(in: .world).prefix(limit)) }
        let around = members(in: box(radius))
        guard around.count >= limit else { return Array(members(in: .world).prefix(limit)) }
        // Every story no farther away than the farthest of these lies in the box around the circle through that story.
        let farthest = around[limit - 1].distance
        guard farthest > radius else { return Array(around.prefix(limit)) }
        return Array(members(in: box(farthest * 1.000_001 + 0.01)).prefix(limit))
    }

    private func box(_ radius: Double) -> BoundingBox { BoundingBox(coordinate).expanded(byMetres: radius) }

    /// Returns a radius in metres whose box contains enough stories and not many more; `nil` if only the world does.
    private mutating func radius() -> Double? {
        var (low, high) = (0.0, 100.0)
        var count = scope.count(in: box(high))
        while count < limit {
            (low, high) = (high, high * 2)
            let box = box(high)
            if box.width >= 360, box.height >= 180 { return nil }
            if !scope.isUnfiltered, hasManyPoints(box) { scope = wanted() }
            count = scope.count(in: box)
        }
        while count > 4 * limit, high - low > 1 {
            let middle = (low + high) / 2
            let inside = scope.count(in: box(middle))
            if inside >= limit { (high, count) = (middle, inside) } else { low = middle }
        }
        return high
    }

    private func hasManyPoints(_ box: BoundingBox) -> Bool {
        var points = 0
        scope.visit(box) { _, range, _ in points += range.count }
        return points > NearbySearch.manyPoints
    }

    /// Returns the wanted stories in the closed box, by distance, then by id.
    private func members(in box: BoundingBox) -> [NearbyStory] {
        scope.members(in: box)
            .map { member in
                NearbyStory(
                    id: scope.story(member).id,
                    point: member.point,
                    distance: GreatCircle.distance(coordinate, member.point)
                )
            }
            .sorted { ($0.distance, $0.id) < ($1.distance, $1.id) }
    }
}
