package import Geometry
package import Stories
package import StoryMap

/// The map of the stories behind one link: an index that contains nothing else.
///
/// Every answer is computed from the stories as the link shows them, and from nothing of the service's own map, so no
/// count, cluster, date or version can depend on anything that the link does not show. The index is built for each
/// request: a copy that is kept could outlive the link.
package struct SharedMap: Sendable {
    /// The link.
    package let link: ShareLink
    /// The name of its owner.
    package let ownerName: String?
    /// The collection that it shows; `nil` if it shows one story.
    package let collection: StoryCollection?
    private let shown: [Story]
    private let snapshot: MapSnapshot
    private let service: SharingService

    /// Creates the map of what a link shows, with versions under `key`.
    init(_ contents: SharedContents, service: SharingService, key: DigestKey) {
        link = contents.link
        ownerName = contents.ownerName
        collection = contents.collection
        shown = contents.stories
        self.service = service
        // The link shows each further place as coarsely as the place itself and the link demand.
        let index = MapIndex(digestKey: key, further: { $0.placesOnMap })
        index.load(contents.stories)
        snapshot = index.snapshot()
    }

    /// The title of the collection or of the story.
    package var title: String { collection?.title ?? shown.first?.title ?? "" }

    /// The number of stories that the link shows.
    package var storyCount: Int { shown.count }

    /// Returns the query for a search among the stories behind the link.
    private func query(_ search: StorySearch) async throws -> StoryQuery { try await rankedQuery(search).query }

    /// Returns the query for a search and, if it has words, how well the stories match these.
    private func rankedQuery(_ search: StorySearch) async throws -> (query: StoryQuery, ranks: StoryRanks?) {
        var query = StoryQuery(viewer: .anonymous, filter: search.filter)
        // The holder of a link may name the collection by its id, as everywhere, and has no favourites.
        if let collection, query.filter.collections.remove(collection.id.rawValue) != nil {
            query.filter.collections.insert(collection.title)
        }
        var among: Set<StoryID>? = search.onlyFavourites || search.asksOnlyMarks ? [] : search.ids
        var ranks: StoryRanks?
        if !search.words.isEmpty {
            let found = try await service.ranks(of: search.words, through: link)
            among = among.map { $0.intersection(found.keys) } ?? Set(found.keys)
            ranks = StoryRanks(found)
        }
        query.among = among.map { StorySet($0) }
        return (query, ranks)
    }

    /// Returns the query for a search, with the state of the map that it refers to.
    package func question(_ search: StorySearch) async throws -> MapQuestion {
        MapQuestion(query: try await query(search), snapshot: snapshot)
    }

    /// Returns the story with an id; `nil` if the link does not show it.
    package func story(_ id: StoryID) async throws -> StoryView? {
        try await service.stories([id], through: link).first
    }
}

// Lists.
extension SharedMap {
    /// Returns a page of the stories, in the order of the window.
    package func stories(_ window: ListWindow, search: StorySearch) async throws -> StoryList {
        let (query, ranks) = try await rankedQuery(search)
        if window.isUnplaced {
            let page = snapshot.unplaced(query, after: window.after, limit: window.limit)
            return try await list(page, matched: snapshot.unplacedCount(query)).marking(search.words)
        }
        let order = window.isByRelevance ? ranks.map(ListOrder.ranked) ?? window.order : window.order
        let limit = window.limit
        let page = snapshot.stories(in: window.box, query, order: order, after: window.after, limit: limit)
        let matched = window.countedBox.map { snapshot.count(in: $0, query) } ?? snapshot.total(query)
        return try await list(page, matched: matched).marking(search.words)
    }

    /// Returns the nearest stories, nearest first, with their distances in metres, each with the id of the further place
    /// that is so near; `nil` for its own location.
    package func stories(
        near coordinate: Coordinate,
        limit: Int,
        search: StorySearch
    ) async throws -> [(story: StoryView, distance: Double?, place: StoryID?)] {
        let nearest = snapshot.nearby(coordinate, try await query(search), limit: limit)
        let found = Dictionary(nearest.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return try await service.stories(nearest.map(\.id), through: link)
            .map { view in
                let near = found[view.story.id].flatMap { view.shows($0.place) ? $0 : nil }
                return (view.marking(search.words), near?.distance, near?.place)
            }
    }

    /// Returns the stories at a place, newest first; none if the link shows nothing there.
    package func stories(at place: PlaceID, _ window: ListWindow, search: StorySearch) async throws -> StoryList {
        let ids = snapshot.stories(at: place, try await query(search))
        let here = StoryQuery(viewer: .anonymous, among: StorySet(Set(ids)))
        let page = snapshot.stories(here, after: window.after, limit: window.limit)
        return try await list(page, matched: ids.count).marking(search.words)
    }

    /// Returns the stories in a cluster, newest first; `nil` if there is no such cluster.
    package func stories(of cluster: ClusterID, _ window: ListWindow, search: StorySearch) async throws -> StoryList? {
        let query = try await query(search)
        guard let marker = snapshot.marker(cluster, query),
            let page = snapshot.stories(of: cluster, query, after: window.after, limit: window.limit)
        else { return nil }
        return try await list(page, matched: marker.count).marking(search.words)
    }

    private func list(_ page: StoryPage, matched: Int) async throws -> StoryList {
        let stories = try await service.stories(page.ids, through: link)
        return StoryList(stories: stories, matched: matched, next: page.next)
    }
}

// Everything that is counted or summarised.
extension SharedMap {
    /// Returns the markers into which a cluster splits, at the zoom where it does; `nil` if there is no such cluster.
    package func split(of cluster: ClusterID, search: StorySearch) async throws -> ClusterSplit? {
        let query = try await query(search)
        guard let marker = snapshot.marker(cluster, query), let markers = snapshot.children(of: cluster, query) else {
            return nil
        }
        return ClusterSplit(zoom: marker.expansionZoom, matched: marker.count, markers: markers)
    }

    /// Returns the first deeper zoom at which a cluster splits, 21 if it never does; `nil` if there is no such cluster.
    package func expansionZoom(of cluster: ClusterID, search: StorySearch) async throws -> Int? {
        snapshot.marker(cluster, try await query(search))?.expansionZoom
    }

    /// Returns the distribution of the stories in a box over time: `bins` bins across the date range of the search.
    package func histogram(in box: BoundingBox?, bins: Int, search: StorySearch) async throws -> DateHistogram {
        let (from, to) = (search.filter.from, search.filter.to)
        return snapshot.histogram(in: box, try await query(search), from: from, to: to, bins: bins)
    }

    /// Returns the smallest box around the results of a search; `nil` if none has a place.
    package func bounds(_ search: StorySearch) async throws -> BoundingBox? {
        snapshot.bounds(try await query(search))
    }

    /// Returns how many stories of a search have each value of some facets.
    package func facets(_ choice: FacetChoice, in box: BoundingBox?, search: StorySearch) async throws -> StoryFacets {
        var plain = search
        plain.onlyFavourites = false
        let question = FacetQuery(try await query(plain), onlyFavourites: search.onlyFavourites)
        let names: [FacetSet: [String: String]] = ownerName.map { [.owners: [link.owner.rawValue: $0]] } ?? [:]
        return StoryFacets(counts: snapshot.facets(choice, in: box, question), names: names)
    }
}
