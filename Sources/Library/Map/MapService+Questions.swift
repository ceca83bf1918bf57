import Storage
package import Stories
package import StoryMap

extension MapService {
    /// Returns the query for a search, on the current state of the map.
    ///
    /// Reads no stories, only ids: those of the stories the viewer hid and, if the search uses them, those of
    /// favourites, of stories in collections and of stories that contain the words.
    package func mapQuestion(_ search: StorySearch, viewer: Viewer) async throws -> MapQuestion {
        let query = try await mapQuery(search, viewer: viewer)
        return MapQuestion(query: query, snapshot: index.snapshot())
    }

    /// Returns the query for a search.
    ///
    /// Looks up the conditions that only the store knows: words, favourites, ids of collections, and hidden stories.
    package func mapQuery(_ search: StorySearch, viewer: Viewer) async throws -> StoryQuery {
        try await rankedQuery(search, viewer: viewer, isRanked: false).query
    }

    /// Returns the query for a search and, with `isRanked` and if it has words, how well the stories match these.
    func rankedQuery(
        _ search: StorySearch,
        viewer: Viewer,
        isRanked: Bool
    ) async throws -> (query: StoryQuery, ranks: StoryRanks?) {
        var query = StoryQuery(viewer: viewer, filter: search.filter)
        if let ids = search.ids { query.narrow(to: StorySet(ids)) }
        var ranks: StoryRanks?
        if !search.words.isEmpty {
            let found = try await wordSearches.matches(
                of: search.words,
                viewer: viewer,
                isRanked: isRanked,
                in: index.snapshot(),
                by: textSearch
            )
            query.narrow(to: found.stories)
            ranks = found.ranks
        }
        if search.asksOnlyMarks { query.narrow(to: StorySet([])) }
        guard viewer.user != nil || search.asksStore else { return (query, ranks) }
        let snapshot = index.snapshot()
        /// Returns those of the stories that the viewer can still see.
        @Sendable func seen(_ ids: Set<StoryID>) -> StorySet {
            StorySet(ids.filter { snapshot.contains($0, viewer: viewer) })
        }
        query = try await context.store.read { [query] transaction in
            var query = query
            query.except = try viewer.user.map(transaction.hiddenStories) ?? []
            if search.onlyFavourites {
                query.narrow(to: seen(try viewer.user.map(transaction.favourites) ?? []))
            }
            if let found = try MapService.stories(in: search.filter.collections, viewer: viewer, transaction) {
                query.filter.collections = []
                query.narrow(to: seen(found))
            }
            return query
        }
        return (query, ranks)
    }

    /// Returns the stories of collections given by id or name; `nil` if no value is the id of a collection visible to
    /// the viewer.
    ///
    /// Any other value is the name of a collection in stories. If all values are names, the map looks them up itself.
    static func stories(
        in values: Set<String>,
        viewer: Viewer,
        _ transaction: StoreReader
    ) throws -> Set<StoryID>? {
        var collections: [String: StoryCollection] = [:]
        for value in values {
            guard let id = CollectionID(value), let found = try transaction.collection(id, visibleTo: viewer) else {
                continue
            }
            collections[value] = found
        }
        guard !collections.isEmpty else { return nil }
        return try values.reduce(into: []) { stories, value in
            stories.formUnion(
                try collections[value].map { try transaction.storyIDs(of: $0, viewer: viewer) }
                    ?? transaction.storyIDs(naming: value, viewer: viewer)
            )
        }
    }
}

extension StorySearch {
    /// Whether the search needs data from the store besides the map.
    fileprivate var asksStore: Bool {
        onlyFavourites || filter.collections.contains { CollectionID($0) != nil }
    }
}

extension StoryQuery {
    /// Keeps only the stories that are also in `stories`.
    mutating func narrow(to stories: StorySet) {
        among = among.map { StorySet($0.ids.intersection(stories.ids)) } ?? stories
    }
}
