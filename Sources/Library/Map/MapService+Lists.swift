public import Geometry
import Storage
public import Stories
public import StoryMap

extension MapService {
    /// Returns a page of the stories that a viewer may see, in the order of the window.
    public func stories(_ window: ListWindow, search: StorySearch, viewer: Viewer) async throws -> StoryList {
        let isRanked = window.isByRelevance && !window.isUnplaced
        let found = try await rankedQuery(search, viewer: viewer, isRanked: isRanked)
        var window = window
        if let ranks = found.ranks { window.order = .ranked(ranks) }
        return try await stories(window, query: found.query).marking(search.words)
    }

    /// Returns a page of the stories that match a query, in the order of the window.
    package func stories(
        _ window: ListWindow,
        query: StoryQuery,
        marking hidden: Set<StoryID> = []
    ) async throws -> StoryList {
        let snapshot = index.snapshot()
        if window.isUnplaced {
            let page = snapshot.unplaced(query, after: window.after, limit: window.limit)
            let matched = snapshot.unplacedCount(query)
            return try await list(page, matched: matched, viewer: query.viewer, marking: hidden)
        }
        if window.includesUnplaced, let box = window.box {
            let limit = window.limit
            let page = snapshot.stories(in: box, query, includingUnplaced: true, after: window.after, limit: limit)
            let matched = snapshot.count(in: box, query) + snapshot.unplacedCount(query)
            return try await list(page, matched: matched, viewer: query.viewer, marking: hidden)
        }
        let (order, limit) = (window.order, window.limit)
        let page = snapshot.stories(in: window.box, query, order: order, after: window.after, limit: limit)
        let matched = window.countedBox.map { snapshot.count(in: $0, query) } ?? snapshot.total(query)
        return try await list(page, matched: matched, viewer: query.viewer, marking: hidden)
    }

    /// Returns the list with this page of the `matched` stories.
    package func list(
        _ page: StoryPage,
        matched: Int,
        viewer: Viewer,
        marking hidden: Set<StoryID> = []
    ) async throws -> StoryList {
        var stories = try await load(page.ids, viewer: viewer)
        for index in stories.indices { stories[index].isHidden = hidden.contains(stories[index].story.id) }
        return StoryList(stories: stories, matched: matched, next: page.next)
    }

    /// Returns the stories with these ids that the viewer may see, in this order.
    ///
    /// Access to exact points among them is recorded for their owners unless the caller shows only published points.
    package func load(_ ids: [StoryID], viewer: Viewer, notingAccesses: Bool = true) async throws -> [StoryView] {
        let stories = try await context.store.read { transaction in
            let found = try transaction.stories(ids, visibleTo: viewer)
            let names = try transaction.names(of: Set(found.values.map(\.owner)))
            let favourites = try viewer.user.map { try transaction.favourites(of: $0, among: found.keys) } ?? []
            let narrowed = try viewer.user.map { try transaction.narrowed(of: $0, among: found.values) } ?? []
            // A story may have changed its owner or level since the index was read: its current row decides.
            return ids.compactMap { found[$0] }
                .map { story in
                    StoryView(
                        story: story,
                        viewer: viewer,
                        ownerName: names[story.owner],
                        isFavourite: favourites.contains(story.id),
                        isNarrowed: narrowed.contains(story.id)
                    )
                }
        }
        if notingAccesses { try await accesses.note(stories.map(\.story), for: viewer) }
        return stories
    }

    /// Returns the nearest stories, nearest first, with their distances in metres, each with the id of the further place
    /// that is so near; `nil` for its own location.
    ///
    /// A story that was found at a place which the viewer no longer sees has neither distance nor place.
    public func stories(
        near coordinate: Coordinate,
        limit: Int,
        search: StorySearch,
        viewer: Viewer
    ) async throws -> [(story: StoryView, distance: Double?, place: StoryID?)] {
        let query = try await mapQuery(search, viewer: viewer)
        let nearest = index.snapshot().nearby(coordinate, query, limit: limit)
        let found = Dictionary(uniqueKeysWithValues: nearest.map { ($0.id, $0) })
        return try await load(nearest.map(\.id), viewer: viewer)
            .map { view in
                let near = found[view.story.id].flatMap { view.shows($0.place) ? $0 : nil }
                return (view.marking(search.words), near?.distance, near?.place)
            }
    }

    /// Returns the stories at a place, newest first; none if the viewer sees nothing there.
    public func stories(
        at place: PlaceID,
        _ window: ListWindow,
        search: StorySearch,
        viewer: Viewer
    ) async throws -> StoryList {
        let query = try await mapQuery(search, viewer: viewer)
        let snapshot = index.snapshot()
        let ids = snapshot.stories(at: place, query)
        let here = StoryQuery(viewer: viewer, among: StorySet(Set(ids)))
        let page = snapshot.stories(here, after: window.after, limit: window.limit)
        return try await list(page, matched: ids.count, viewer: viewer).marking(search.words)
    }

    /// The maximum number of bins of a histogram.
    public static let mostBins = 1_000

    /// Returns the distribution of the stories in a box over time: `bins` bins across the date range of the search.
    public func histogram(
        in box: BoundingBox?,
        bins: Int,
        search: StorySearch,
        viewer: Viewer
    ) async throws -> DateHistogram {
        let query = try await mapQuery(search, viewer: viewer)
        let (from, to) = (search.filter.from, search.filter.to)
        return index.snapshot().histogram(in: box, query, from: from, to: to, bins: bins)
    }

    /// Returns the smallest box around the results of a search.
    ///
    /// Its edges are points of stories, so the viewer's access to these is recorded.
    public func bounds(_ search: StorySearch, viewer: Viewer) async throws -> BoundingBox? {
        let query = try await mapQuery(search, viewer: viewer)
        let snapshot = index.snapshot()
        guard let box = snapshot.bounds(query) else { return nil }
        guard viewer.user != nil || viewer.service != nil else { return box }
        let (west, south, east, north) = (box.west, box.south, box.east, box.north)
        let edges = [
            BoundingBox(west: west, south: south, east: west, north: north),
            BoundingBox(west: east, south: south, east: east, north: north),
            BoundingBox(west: west, south: south, east: east, north: south),
            BoundingBox(west: west, south: north, east: east, north: north),
        ]
        var ids: Set<StoryID> = []
        for edge in edges {
            ids.formUnion(snapshot.stories(in: edge, query, limit: MapService.edgeLimit).ids)
        }
        _ = try await load(ids.sorted(), viewer: viewer)
        return box
    }

    /// The maximum number of stories recorded per edge of a box.
    private static let edgeLimit = 100

    /// Calls `body` with the results of a search in pieces: newest first or, with `byPlace`, those of a place together,
    /// the places in the order of their newest stories.
    ///
    /// `body` also receives the number of stories done and their total. With a box, only the stories in it or on its
    /// edges are included. If `current` is given, it is asked before each piece who the viewer is by then, since they may
    /// have left a family meanwhile.
    /// - Complexity: memory for the ids of all results and one piece; with `byPlace` every story is read twice.
    public func forEachStory(
        in box: BoundingBox?,
        search: StorySearch,
        viewer: Viewer,
        byPlace: Bool = false,
        current: (() async throws -> Viewer)? = nil,
        _ body: (_ stories: [StoryView], _ done: Int, _ total: Int) async throws -> Void
    ) async throws {
        let query = try await mapQuery(search, viewer: viewer)
        var ids = index.snapshot().stories(in: box, query, limit: .max).ids
        if byPlace {
            var order = PlaceOrder()
            for start in stride(from: 0, to: ids.count, by: MapService.piece) {
                try Task.checkCancellation()
                let part = Array(ids[start..<min(start + MapService.piece, ids.count)])
                // Nothing is shown yet.
                order.add(try await load(part, viewer: viewer, notingAccesses: false))
            }
            ids = order.ids
        }
        for start in stride(from: 0, to: ids.count, by: MapService.piece) {
            let part = Array(ids[start..<min(start + MapService.piece, ids.count)])
            let viewer = try await current?() ?? viewer
            try await body(try await load(part, viewer: viewer), start + part.count, ids.count)
        }
    }

    /// The number of stories read at a time.
    private static let piece = 500
}
