package import Geometry
import Storage
package import Stories
package import StoryMap

/// A further place of a story as its viewer sees it, with the story.
package struct PlaceView: Sendable {
    /// The place, by ``Story/places(for:)``.
    package let place: StoryPlace
    /// Its story.
    package let story: StoryView

    /// Returns the further places of a story that its viewer sees, by id: random ids tell nothing of what is hidden.
    static func all(of story: StoryView) -> [PlaceView] {
        story.story.places(for: story.viewer).sorted { $0.id < $1.id }.map { PlaceView(place: $0, story: story) }
    }

    /// The number of corners that an answer has of it.
    var cornerCount: Int { place.shape?.cornerCount ?? 1 }
}

/// The position in a list of further places after which the next page begins.
package struct PlaceCursor: Hashable, Sendable {
    /// The position in the list of stories before the story of the last place; `nil` at the beginning.
    package let stories: ListCursor?
    /// The story of the last place; `nil` if the page ended with a whole story.
    package let story: StoryID?
    /// The last place.
    package let place: StoryID?

    /// Creates a position from its parts.
    package init(stories: ListCursor?, story: StoryID? = nil, place: StoryID? = nil) {
        self.stories = stories
        self.story = story
        self.place = place
    }

    /// Returns whether a place of one of the stories behind ``stories`` comes after the last one.
    func isBefore(_ view: PlaceView) -> Bool {
        guard let place, view.story.story.id == story else { return true }
        return place < view.place.id
    }
}

/// A page of the further places that a viewer may see.
package struct PlaceList: Sendable {
    /// The places: by their stories, newest first, then by id.
    package let places: [PlaceView]
    /// The position of the next page; `nil` if there is none.
    package let next: PlaceCursor?
    /// The number of places on all pages together, if it is known.
    package let matched: Int?
}

/// Lists the further places of stories, each by itself.
///
/// Only stories of which the viewer sees a further place are read, so that neither the time nor the price of an answer
/// depends on places that are hidden.
package struct PlaceListing: Sendable {
    private let maps: MapService

    /// Creates a listing of the places of the map's stories.
    package init(maps: MapService) { self.maps = maps }

    /// The number of stories read at a time.
    private static let piece = 500
    /// The number of corners after which a page ends, though it has fewer places than were asked for.
    private static let mostCorners = 100_000
    /// The maximum number of stories that are read to find the box around their places.
    package static let mostBounded = 2_000

    /// What a search finds before anything is read.
    private struct Sought {
        /// The stories of which the viewer sees a further place.
        let query: StoryQuery
        let snapshot: MapSnapshot
        /// The number of their further places.
        let placeCount: Int
        let storyCount: Int
    }

    /// Returns a page of the further places that match a search and, if it is given, that `isWanted` picks.
    ///
    /// With a condition at most ``FilteredStories/mostFiltered`` stories are read, in pieces. `pay` gets the number of
    /// stories before they are read, or of as many as are as much work. If they hold no wanted place and there are more,
    /// the condition is refused: an empty page would look like the end of the list.
    ///
    /// - Throws: ``Refusal`` if too many stories had to be read; any error of `pay` and `isWanted`.
    package func places(
        after cursor: PlaceCursor?,
        limit: Int,
        search: StorySearch,
        viewer: Viewer,
        pay: @Sendable (_ stories: Int) throws -> Void,
        where isWanted: (@Sendable (_ places: [PlaceView]) throws -> [Bool])? = nil
    ) async throws -> PlaceList {
        let sought = try await sought(search, viewer: viewer)
        // To find them takes a small part of the time that it takes to read them.
        try pay(sought.storyCount / 500)
        // Each has a place; of the first, all places may have been on the page before.
        let most = isWanted == nil ? limit + 2 : FilteredStories.mostFiltered
        let page = sought.snapshot.stories(sought.query, after: cursor?.stories, limit: most)
        var found: [PlaceView] = []
        var corners = 0
        for start in stride(from: 0, to: page.ids.count, by: PlaceListing.piece) {
            try Task.checkCancellation()
            let ids = Array(page.ids[start..<min(start + PlaceListing.piece, page.ids.count)])
            if isWanted != nil { try pay(ids.count) }
            let read = try await maps.load(ids, viewer: viewer, notingAccesses: false)
                .flatMap(PlaceView.all).filter { cursor?.isBefore($0) ?? true }
            // Corners are converted, compared and written one by one.
            try pay(read.reduce(0) { $0 + $1.cornerCount } / 1_000)
            let picked = try isWanted.map { isWanted in zip(read, try isWanted(read)).filter(\.1).map(\.0) } ?? read
            for place in picked {
                guard found.count < limit, corners < PlaceListing.mostCorners else {
                    let next = PlaceListing.position(behind: found.last, on: page, after: cursor, of: sought)
                    return try await list(found, next: next, matched: isWanted == nil ? sought.placeCount : nil)
                }
                found.append(place)
                corners += place.cornerCount
            }
            await Task.yield()
        }
        if found.isEmpty, page.next != nil, isWanted != nil {
            throw Refusal(
                .malformed,
                "filter-too-broad",
                "None of the places of the \(most) newest stories fits the filter, and there are older ones. Narrow the "
                    + "request with datetime, owner or kind."
            )
        }
        let isWhole = cursor == nil && page.next == nil
        return try await list(
            found,
            next: page.next.map { PlaceCursor(stories: $0) },
            matched: isWanted == nil ? sought.placeCount : isWhole ? found.count : nil
        )
    }

    /// Returns the box around all further places that the viewer sees; `nil` if there are none, or if those of too many
    /// stories would have to be read to know it.
    ///
    /// Access to the exact places at its edges is recorded.
    package func bounds(viewer: Viewer, pay: @Sendable (_ stories: Int) throws -> Void) async throws -> BoundingBox? {
        let sought = try await sought(StorySearch(), viewer: viewer)
        guard sought.storyCount <= PlaceListing.mostBounded else { return nil }
        try pay(sought.storyCount)
        let ids = sought.snapshot.stories(sought.query, limit: PlaceListing.mostBounded).ids
        var boxes: [(story: StoryID, box: BoundingBox)] = []
        for start in stride(from: 0, to: ids.count, by: PlaceListing.piece) {
            try Task.checkCancellation()
            let part = Array(ids[start..<min(start + PlaceListing.piece, ids.count)])
            let read = try await maps.load(part, viewer: viewer, notingAccesses: false).flatMap(PlaceView.all)
            for view in read {
                let box = view.place.shape?.box ?? BoundingBox(view.place.location.coordinate)
                boxes.append((story: view.story.story.id, box: box))
            }
            await Task.yield()
        }
        guard let whole = PlaceListing.box(around: boxes.map { $0.box }) else { return nil }
        func isSame(_ a: Double, _ b: Double) -> Bool { abs(a - b) < 1e-9 }
        let edges = boxes.filter { found in
            isSame(found.box.west, whole.west) || isSame(found.box.east, whole.east)
                || isSame(found.box.south, whole.south) || isSame(found.box.north, whole.north)
        }
        _ = try await maps.load(Set(edges.map { $0.story }).sorted(), viewer: viewer)
        return whole
    }

    /// Finds the stories of which the viewer sees a further place: by the index, and of the viewer's own also those with
    /// places that wait for confirmation, which are not in it.
    private func sought(_ search: StorySearch, viewer: Viewer) async throws -> Sought {
        var query = try await maps.mapQuery(search, viewer: viewer)
        let snapshot = maps.index.snapshot()
        var counts = snapshot.furtherPlaceCounts(query)
        if let user = viewer.user {
            let waiting = try await maps.context.store.read { try $0.waitingPlaceCounts(of: user) }
            if !waiting.isEmpty {
                var own = query
                own.narrow(to: StorySet(Set(waiting.keys)))
                for id in snapshot.stories(own, limit: .max).ids { counts[id, default: 0] += waiting[id] ?? 0 }
            }
        }
        query.narrow(to: StorySet(Set(counts.keys)))
        return Sought(
            query: query,
            snapshot: snapshot,
            placeCount: counts.values.reduce(0, +),
            storyCount: counts.count
        )
    }

    /// Returns the position behind the last place of a page; the same place, if the page has none.
    private static func position(
        behind last: PlaceView?,
        on page: StoryPage,
        after cursor: PlaceCursor?,
        of sought: Sought
    ) -> PlaceCursor? {
        guard let last, let at = page.ids.firstIndex(of: last.story.story.id) else { return cursor }
        // The same list, cut before the story of the last place, knows the position there.
        let before =
            at == 0
            ? cursor?.stories : sought.snapshot.stories(sought.query, after: cursor?.stories, limit: at).next
        return PlaceCursor(stories: before, story: last.story.story.id, place: last.place.id)
    }

    /// Returns a page, and records that the viewer got the exact points on it.
    private func list(_ places: [PlaceView], next: PlaceCursor?, matched: Int?) async throws -> PlaceList {
        var stories: [Story] = []
        for view in places where stories.last?.id != view.story.story.id { stories.append(view.story.story) }
        if let viewer = places.first?.story.viewer { try await maps.accesses.note(stories, for: viewer) }
        return PlaceList(places: places, next: next, matched: matched)
    }

    /// Returns the narrowest box around boxes: the circle of longitudes without its widest gap; `nil` without any.
    static func box(around boxes: [BoundingBox]) -> BoundingBox? {
        let spans = boxes.map { (west: $0.west, east: $0.west + $0.width) }.sorted { $0.west < $1.west }
        guard let first = spans.first, let south = boxes.map(\.south).min(), let north = boxes.map(\.north).max() else {
            return nil
        }
        let last = spans.map(\.east).max() ?? first.east
        // The gap across the antimeridian; where a span goes across it, there is none.
        var gap = first.west + 360 - last
        var (west, east) = (first.west, last)
        // What goes across the antimeridian covers the beginning of the others too.
        var reached = max(first.east, last - 360)
        for span in spans.dropFirst() {
            if span.west - reached > gap { (gap, west, east) = (span.west - reached, span.west, reached) }
            reached = max(reached, span.east)
        }
        guard gap > 0 else { return BoundingBox(west: -180, south: south, east: 180, north: north) }
        return BoundingBox(west: west, south: south, east: east > 180 ? east - 360 : east, north: north)
    }
}
