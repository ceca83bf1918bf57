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
        var query = StoryQuery(viewer: viewer, filter: search.filter)
        if let ids = search.ids { query.narrow(to: StorySet(ids)) }
        if !search.words.isEmpty { query.narrow(to: try await stories(containing: search.words, viewer: viewer)) }
        guard viewer.user != nil || search.asksStore else { return query }
        let snapshot = index.snapshot()
        /// Returns those of the stories that the viewer can still see.
        @Sendable func seen(_ ids: Set<StoryID>) -> StorySet {
            StorySet(ids.filter { snapshot.contains($0, viewer: viewer) })
        }
        return try await context.store.read { [query] transaction in
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
    }

    /// Returns the stories the viewer may see whose texts contain all of the words.
    private func stories(containing words: [String], viewer: Viewer) async throws -> StorySet {
        let snapshot = index.snapshot()
        let version = snapshot.version(for: viewer)
        let question = WordSearches.Question(words: words, viewer: viewer, version: version)
        return try await wordSearches.stories(question) { [textSearch] in
            try await textSearch.stories(containing: words, viewer: viewer, among: snapshot.storyCount)
        }
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
