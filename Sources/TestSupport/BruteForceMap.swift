public import Geometry
public import Stories

/// The map computed the obvious way: go through all stories and ask each of them.
public struct BruteForceMap: Sendable {
    /// All stories.
    public let stories: [Story]

    /// Creates the map of some stories.
    public init(_ stories: some Sequence<Story>) {
        self.stories = Array(stories)
    }

    /// What a query finds, with the viewer's points.
    public func found(_ query: StoryQueryParts) -> [(story: Story, point: Coordinate?)] {
        stories.filter { story in
            guard story.isVisible(to: query.viewer), query.filter.matches(story, viewer: query.viewer) else {
                return false
            }
            return query.among?.contains(story.id) ?? true && !query.except.contains(story.id)
        }
        .map { ($0, $0.point(for: query.viewer)) }
    }

    /// What a query finds that has a point.
    public func located(_ query: StoryQueryParts) -> [(story: Story, point: Coordinate)] {
        found(query).compactMap { found in found.point.map { (found.story, $0) } }
    }

    /// How many lie in the closed box.
    public func count(in box: BoundingBox, _ query: StoryQueryParts) -> Int {
        located(query).filter { box.contains($0.point) }.count
    }

    /// All ids in the order of lists.
    public func list(in box: BoundingBox?, _ query: StoryQueryParts) -> [StoryID] {
        found(query)
            .filter { found in box.map { box in found.point.map(box.contains) ?? false } ?? true }
            .sorted {
                let (a, b) = ($0.story.times(for: query.viewer).createdAt, $1.story.times(for: query.viewer).createdAt)
                return a != b ? a > b : $0.story.id < $1.story.id
            }
            .map(\.story.id)
    }

    /// The smallest box around everything found, `nil` when nothing is.
    public func bounds(_ query: StoryQueryParts) -> BoundingBox? {
        BruteForceMap.smallestBox(around: located(query).map(\.point))
    }

    /// The smallest box around some points, `nil` when there are none: all longitudes but the widest gap.
    public static func smallestBox(around points: [Coordinate]) -> BoundingBox? {
        let latitudes = points.map(\.latitude).sorted()
        let longitudes = points.map { $0.longitude == 180 ? -180 : $0.longitude }.sorted()
        guard let south = latitudes.first, let north = latitudes.last else { return nil }
        guard let first = longitudes.first, let last = longitudes.last else { return nil }
        var best = (gap: first + 360 - last, west: first, east: last)
        for (a, b) in zip(longitudes, longitudes.dropFirst()) where b - a > best.gap { best = (b - a, b, a) }
        let east = best.west > best.east && best.east == -180 ? 180 : best.east
        return BoundingBox(west: best.west, south: south, east: east, north: north)
    }

    /// The stories at each place.
    public func places(_ query: StoryQueryParts) -> [PlaceID: [StoryID]] {
        Dictionary(grouping: located(query)) { PlaceID($0.point) }.mapValues { $0.map(\.story.id).sorted() }
    }

    /// All found stories by distance, then id.
    public func nearest(to coordinate: Coordinate, _ query: StoryQueryParts) -> [StoryID] {
        located(query)
            .map { (GreatCircle.distance(coordinate, $0.point), $0.story.id) }
            .sorted { $0 < $1 }
            .map(\.1)
    }
}
