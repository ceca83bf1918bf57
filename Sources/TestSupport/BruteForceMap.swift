public import Geometry
public import Stories

/// A reference implementation of the map: evaluates every story for every query.
public struct BruteForceMap: Sendable {
    /// All stories.
    public let stories: [Story]

    /// Creates the map of some stories.
    public init(_ stories: some Sequence<Story>) {
        self.stories = Array(stories)
    }

    /// Returns the stories that match a query, each with the viewer's point of it.
    public func found(_ query: StoryQueryParts) -> [(story: Story, point: Coordinate?)] {
        stories.filter { story in
            guard story.isVisible(to: query.viewer), query.filter.matches(story, viewer: query.viewer) else {
                return false
            }
            return query.among?.contains(story.id) ?? true && !query.except.contains(story.id)
        }
        .map { ($0, $0.point(for: query.viewer)) }
    }

    /// Returns the stories that match a query and have a point for the viewer.
    public func located(_ query: StoryQueryParts) -> [(story: Story, point: Coordinate)] {
        found(query).compactMap { found in found.point.map { (found.story, $0) } }
    }

    /// Returns the number of matching stories in the closed box.
    public func count(in box: BoundingBox, _ query: StoryQueryParts) -> Int {
        located(query).filter { box.contains($0.point) }.count
    }

    /// Returns the ids of all matching stories in list order: newest first, then by id.
    public func list(in box: BoundingBox?, _ query: StoryQueryParts) -> [StoryID] {
        found(query)
            .filter { found in box.map { box in found.point.map(box.contains) ?? false } ?? true }
            .sorted {
                let (a, b) = ($0.story.times(for: query.viewer).createdAt, $1.story.times(for: query.viewer).createdAt)
                return a != b ? a > b : $0.story.id < $1.story.id
            }
            .map(\.story.id)
    }

    /// Returns the smallest box around all matching stories, or `nil` if there are none.
    public func bounds(_ query: StoryQueryParts) -> BoundingBox? {
        BruteForceMap.smallestBox(around: located(query).map(\.point))
    }

    /// Returns the smallest box around some points, or `nil` if there are none; its longitudes exclude the widest gap.
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

    /// Returns the ids of the matching stories at each place.
    public func places(_ query: StoryQueryParts) -> [PlaceID: [StoryID]] {
        Dictionary(grouping: located(query)) { PlaceID($0.point) }.mapValues { $0.map(\.story.id).sorted() }
    }

    /// Returns the ids of all matching stories by distance, then by id.
    public func nearest(to coordinate: Coordinate, _ query: StoryQueryParts) -> [StoryID] {
        located(query)
            .map { (GreatCircle.distance(coordinate, $0.point), $0.story.id) }
            .sorted { $0 < $1 }
            .map(\.1)
    }
}
