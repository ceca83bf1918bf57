package import Stories
package import StoryMap

/// A page of the stories that a condition picked among those that a viewer may see.
package struct FilteredList: Sendable {
    /// The stories, newest first.
    package let stories: [StoryView]
    /// The position of the next page; `nil` if there is none.
    package let next: ListCursor?
    /// The number of stories on all pages together, if this page is the only one.
    package let matched: Int?

    /// Creates a list from its parts.
    package init(stories: [StoryView], next: ListCursor?, matched: Int?) {
        self.stories = stories
        self.next = next
        self.matched = matched
    }
}

/// Finds stories by conditions that the index cannot answer, by reading them.
package struct FilteredStories: Sendable {
    private let maps: MapService

    /// Creates a search among the stories of the map.
    package init(maps: MapService) { self.maps = maps }

    /// The maximum number of stories that are read for one page.
    package static let mostFiltered = 20_000
    /// The number of stories read at a time.
    private static let filteredPiece = 500

    /// Returns a page of the stories that match a search and that `isWanted` picks, newest first.
    ///
    /// At most ``mostFiltered`` stories are read, in pieces. Before each, `pay` gets its number. If they hold no wanted
    /// story and there are more, the condition is refused: an empty page would look like the end of the list.
    ///
    /// The stories given to `isWanted` are read for the viewer. Access to exact points is recorded for those returned.
    ///
    /// - Throws: ``Refusal`` if too many stories had to be read; any error of `pay` and `isWanted`.
    package func stories(
        _ window: ListWindow,
        search: StorySearch,
        viewer: Viewer,
        pay: @Sendable (_ stories: Int) throws -> Void,
        where isWanted: @Sendable (_ stories: [StoryView]) throws -> [Bool]
    ) async throws -> FilteredList {
        let query = try await maps.mapQuery(search, viewer: viewer)
        let snapshot = maps.index.snapshot()
        let most = FilteredStories.mostFiltered
        func newest(_ limit: Int) -> StoryPage {
            snapshot.stories(
                in: window.box,
                query,
                includingUnplaced: window.includesUnplaced,
                after: window.after,
                limit: limit
            )
        }
        let page = newest(most)
        var wanted: [StoryView] = []
        for start in stride(from: 0, to: page.ids.count, by: FilteredStories.filteredPiece) {
            try Task.checkCancellation()
            let ids = Array(page.ids[start..<min(start + FilteredStories.filteredPiece, page.ids.count)])
            try pay(ids.count)
            let piece = try await maps.load(ids, viewer: viewer, notingAccesses: false)
            let picked = zip(piece, try isWanted(piece)).filter(\.1).map(\.0)
            wanted += picked.prefix(window.limit - wanted.count)
            if wanted.count == window.limit, let last = wanted.last?.story.id, let at = page.ids.firstIndex(of: last) {
                // The same list, cut behind the last story of the page, knows the position there.
                let cut = newest(at + 1)
                try await maps.accesses.note(wanted.map(\.story), for: viewer)
                return FilteredList(stories: wanted, next: cut.next, matched: nil)
            }
            await Task.yield()
        }
        if wanted.isEmpty, page.next != nil {
            throw Refusal(
                .malformed,
                "filter-too-broad",
                "None of the \(most) newest stories fits the filter, and there are older ones. Narrow the request with bbox, "
                    + "datetime or kind."
            )
        }
        try await maps.accesses.note(wanted.map(\.story), for: viewer)
        let isWhole = window.after == nil && page.next == nil
        return FilteredList(stories: wanted, next: page.next, matched: isWhole ? wanted.count : nil)
    }
}
