public import Geometry
import Stories

extension MapSnapshot {
    /// Returns the stories nearest to a coordinate, by the distance of the nearest of their places, then by id; at most
    /// `limit`.
    ///
    /// Searches boxes sized to contain a few times `limit` stories, whatever the local density.
    ///
    /// - Complexity: O(*k* log *n*); the first use of a selective filter has to scan everything.
    public func nearby(_ coordinate: Coordinate, _ query: StoryQuery, limit: Int) -> [NearbyStory] {
        nearbyPlaces(coordinate, query, limit: limit).firstOfEach()
    }

    /// Returns the places nearest to a coordinate, up to the nearest place of the last of at most `limit` stories.
    func nearbyPlaces(_ coordinate: Coordinate, _ query: StoryQuery, limit: Int) -> [NearbyStory] {
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
        guard let radius = radius() else { return places(in: .world).first(limit) }
        let around = places(in: box(radius)).first(limit)
        guard let last = around.last, scope.hasFurther ? around.firstOfEach().count == limit : around.count == limit
        else { return places(in: .world).first(limit) }
        // Every place no farther away than the farthest of these lies in the box around the circle through that place.
        guard last.distance > radius else { return around }
        return places(in: box(last.distance * 1.000_001 + 0.01)).first(limit)
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

    private func places(in box: BoundingBox) -> [NearbyStory] { scope.nearest(to: coordinate, in: box, isOnce: false) }
}

extension Scope {
    /// Returns the wanted stories with a place in the closed box, by the distance of that nearest to a coordinate, then
    /// by id.
    ///
    /// With `isOnce` false, returns every such place.
    func nearest(to coordinate: Coordinate, in box: BoundingBox, isOnce: Bool = true) -> [NearbyStory] {
        let places = members(in: box)
            .map { member in
                NearbyStory(
                    id: story(member).id,
                    point: member.point,
                    distance: GreatCircle.distance(coordinate, member.point),
                    place: member.place.furtherPlace
                )
            }
            .sorted { $0.isListed(before: $1) }
        return isOnce && hasFurther ? places.firstOfEach() : places
    }
}

extension NearbyStory {
    /// Returns whether this place comes before the other: by distance, then by story, its own location first.
    fileprivate func isListed(before other: NearbyStory) -> Bool {
        if distance != other.distance { return distance < other.distance }
        if id != other.id { return id < other.id }
        return (place ?? .ownLocation) < (other.place ?? .ownLocation)
    }
}

extension [NearbyStory] {
    /// Returns the first place of each story.
    func firstOfEach() -> [NearbyStory] {
        var seen: Set<StoryID> = []
        return filter { seen.insert($0.id).inserted }
    }

    /// Returns the places up to the first place of the last of `limit` stories.
    fileprivate func first(_ limit: Int) -> [NearbyStory] {
        var seen: Set<StoryID> = []
        let end = firstIndex { seen.insert($0.id).inserted && seen.count == limit }
        return end.map { Array(self[...$0]) } ?? self
    }
}
