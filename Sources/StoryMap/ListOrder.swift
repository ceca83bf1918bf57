public import Geometry
import Stories

/// The order of a list of stories.
public enum ListOrder: Hashable, Sendable {
    /// Newest first, by the time of creation, then by id.
    case newest
    /// By the first day of the story's date, earliest first, then by id; stories without a date come last.
    case date
    /// By the distance of the story's nearest place, in the box if there is one, from a coordinate, then by id; stories
    /// without a place are left out.
    case nearest(Coordinate)
    /// Best match first, then newest first, then by id; stories without a rank come last.
    case ranked(StoryRanks)
}

extension ListOrder {
    /// A story with its position in a list; positions are ascending.
    struct Place {
        let key: Int64
        let id: StoryID

        func precedes(_ other: Place) -> Bool { key != other.key ? key < other.key : id < other.id }
    }

    /// The key of a story without a date: after all days.
    private static let undated = Int64.max

    /// Returns the key of a day, given the first and last day of a story.
    static func key(_ story: IndexedStory) -> Int64 { story.first <= story.last ? Int64(story.first) : undated }

    /// Returns the key of a rank and a time of creation.
    ///
    /// Times are kept to 140,000 years around 1970, beyond which the id decides, so that a rank fits above them.
    static func key(rank: UInt8, created: Int64) -> Int64 {
        let farthest = Int64(1) << 52
        return Int64(rank) << 54 + (farthest - max(-farthest, min(farthest, created)))
    }

    /// Returns the key of a distance: the bits of numbers that are not negative are in the same order as the numbers.
    static func key(distance: Double) -> Int64 { Int64(bitPattern: max(0, distance).bitPattern) }
}

extension ListCursor {
    /// Creates the cursor of a list in another order than newest first: the key takes the place of the time.
    init(_ place: ListOrder.Place) {
        self.init(createdAt: Timestamp(milliseconds: place.key), id: place.id)
    }

    fileprivate var place: ListOrder.Place { ListOrder.Place(key: createdAt.milliseconds, id: id) }
}

extension MapSnapshot {
    /// Returns a page of the query's matches in an order.
    ///
    /// With a box, includes only stories of which a place lies in it or on its edge. Only `nearest` leaves out stories
    /// without a place if there is no box.
    ///
    /// - Complexity: As ``stories(in:_:includingUnplaced:after:limit:)`` for the newest, O(*n* log *limit*) in the points
    /// of the box, or in the stories of the viewer's layers, for other orders. The first page of the nearest usually takes
    /// O(*k* log *n*).
    public func stories(
        in box: BoundingBox? = nil,
        _ query: StoryQuery,
        order: ListOrder,
        after cursor: ListCursor? = nil,
        limit: Int
    ) -> StoryPage {
        switch order {
        case .newest: return stories(in: box, query, after: cursor, limit: limit)
        case .date:
            return page(limit, after: cursor) { add in
                forEachMatch(in: box, query) { add(ListOrder.Place(key: ListOrder.key($0), id: $0.id)) }
            }
        case .ranked(let found):
            return page(limit, after: cursor) { add in
                forEachMatch(in: box, query) { story in
                    let key = ListOrder.key(rank: found.ranks[story.id] ?? .max, created: story.created)
                    add(ListOrder.Place(key: key, id: story.id))
                }
            }
        case .nearest(let coordinate):
            if cursor == nil, let page = nearestPage(to: coordinate, in: box, query, limit: limit) { return page }
            return page(limit, after: cursor) { add in
                let scope = Scope(query, segments: segments)
                for near in scope.nearest(to: coordinate, in: box ?? .world) {
                    add(ListOrder.Place(key: ListOrder.key(distance: near.distance), id: near.id))
                }
            }
        }
    }

    /// Returns the first page of the nearest stories if they lie among those nearest to the coordinate.
    private func nearestPage(
        to coordinate: Coordinate,
        in box: BoundingBox?,
        _ query: StoryQuery,
        limit: Int
    ) -> StoryPage? {
        guard limit > 0, limit < 10_000 else { return nil }
        let near = nearbyPlaces(coordinate, query, limit: 4 * limit)
        let found = near.filter { story in box.map { $0.contains(story.point) } ?? true }.firstOfEach()
        // Fewer than asked for means that there are no more anywhere.
        guard found.count > limit || near.firstOfEach().count < 4 * limit else { return nil }
        let shown = found.prefix(limit)
        let last = shown.last.map { ListOrder.Place(key: ListOrder.key(distance: $0.distance), id: $0.id) }
        return StoryPage(ids: shown.map(\.id), next: found.count > limit ? last.map { ListCursor($0) } : nil)
    }

    private func forEachMatch(in box: BoundingBox?, _ query: StoryQuery, _ add: (IndexedStory) -> Void) {
        if box == nil, let few = few(query) { return few.forEach(add) }
        let scope = Scope(query, segments: segments)
        if let box { return scope.distinct(scope.members(in: box)).forEach { add(scope.story($0)) } }
        for (index, view) in scope.views.enumerated() {
            for visible in view.layers {
                for position in visible.layer.added {
                    let row = Int(view.segment.layerRows[position])
                    guard view.wants(row), !isSuperseded(view.segment.rows[row].id, from: index) else { continue }
                    add(view.story(row))
                }
            }
        }
    }

    private func page(
        _ limit: Int,
        after cursor: ListCursor?,
        _ forEach: (_ add: (ListOrder.Place) -> Void) -> Void
    ) -> StoryPage {
        guard limit > 0, limit < .max else { return StoryPage(ids: [], next: nil) }
        // One more shows whether there is a next page.
        var best = BestFew<ListOrder.Place>(limit + 1) { $0.precedes($1) }
        forEach { place in
            if cursor.map({ $0.place.precedes(place) }) ?? true { best.consider(place) }
        }
        let found = best.sorted()
        let shown = found.prefix(limit)
        return StoryPage(ids: shown.map(\.id), next: found.count > limit ? shown.last.map { ListCursor($0) } : nil)
    }
}

extension MapSnapshot {
    /// Returns a page of the query's matches that the viewer sees without any place, newest first.
    ///
    /// - Complexity: O(*n*) in the stories of the viewer's layers of which not every viewer sees a place.
    public func unplaced(_ query: StoryQuery, after cursor: ListCursor? = nil, limit: Int) -> StoryPage {
        guard limit > 0 else { return StoryPage(ids: [], next: nil) }
        let scope = Scope(query, segments: segments)
        let found = unplaced(scope, few(query), query.viewer, after: cursor, limit: limit)
        return page(found, after: cursor, limit: limit)
    }

    /// Returns the number of the query's matches that the viewer sees without any place.
    public func unplacedCount(_ query: StoryQuery) -> Int { total(query) - count(in: .world, query) }
}
