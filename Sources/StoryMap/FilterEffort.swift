/// What it costs to find what a filter lets through: work that is the same on every machine.
package struct FilterEffort: Hashable, Sendable {
    /// How many lists of points with something in common are looked up.
    package var lists = 0
    /// How many points of these lists are gone through.
    package var listed = 0
    /// How many points are compared with the filter one by one.
    package var compared = 0
}

extension MapSnapshot {
    /// Returns what it costs to find everything that a query wants, for tests that hold the work equal.
    package func effort(_ query: StoryQuery) -> FilterEffort {
        var effort = FilterEffort()
        let scope = Scope(query, segments: segments)
        for index in scope.views.indices { _ = scope.wanted(ofSegment: index, noting: &effort) }
        return effort
    }
}
