/// The cost of evaluating a filter, counted in steps that are the same on every machine.
package struct FilterEffort: Hashable, Sendable {
    /// The number of facet lists looked up.
    package var lists = 0
    /// The number of points read from these lists.
    package var listed = 0
    /// The number of points compared with the filter one by one.
    package var compared = 0
}

extension MapSnapshot {
    /// Returns the cost of finding all matches of a query, for tests that require equal work.
    package func effort(_ query: StoryQuery) -> FilterEffort {
        var effort = FilterEffort()
        let scope = Scope(query, segments: segments)
        for index in scope.views.indices { _ = scope.wanted(ofSegment: index, noting: &effort) }
        return effort
    }
}
