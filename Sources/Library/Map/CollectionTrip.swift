package import Stories
import StoryMap

/// A collection as a trip: what a viewer sees of its stories, in the order in which they are told.
package struct CollectionTrip: Sendable {
    private let maps: MapService

    /// Creates trips over a map.
    package init(_ maps: MapService) {
        self.maps = maps
    }

    /// Returns the stories of a collection: those that are arranged, in that order, then the others by the date that the
    /// viewer is shown; at most ``StoryLimits/tripLength``, and the number of all.
    package func stories(of collection: CollectionID, arranged: [StoryID], viewer: Viewer) async throws -> StoryList {
        var search = StorySearch()
        search.filter.collections = [collection.rawValue]
        let query = try await maps.mapQuery(search, viewer: viewer)
        let (snapshot, limit) = (maps.index.snapshot(), StoryLimits.tripLength)
        var named = query
        named.narrow(to: StorySet(Set(arranged)))
        let shown = Set(snapshot.stories(in: nil, named, limit: limit).ids)
        let others = snapshot.stories(query, order: .date, limit: limit).ids.filter { !shown.contains($0) }
        let ids = arranged.filter(shown.contains) + others
        let page = StoryPage(ids: Array(ids.prefix(limit)), next: nil)
        return try await maps.list(page, matched: snapshot.total(query), viewer: viewer)
    }
}
