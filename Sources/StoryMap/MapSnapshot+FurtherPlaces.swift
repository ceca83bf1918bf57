public import Stories

extension MapSnapshot {
    /// Returns of how many further places the viewer sees each of the query's matches; matches without one are left out.
    ///
    /// Places that wait for the owner of their story are not on the map, so they do not count.
    ///
    /// - Complexity: O(*n*) in the points that stories with further places have in the viewer's layers.
    public func furtherPlaceCounts(_ query: StoryQuery) -> [StoryID: Int] {
        Scope(query, segments: segments).furtherPlaceCounts()
    }
}

extension Scope {
    /// Returns the number of further places of each wanted story, without the stories that have none.
    func furtherPlaceCounts() -> [StoryID: Int] {
        guard hasFurther else { return [:] }
        var counts: [StoryID: Int] = [:]
        for slice in slices {
            let view = views[slice.view]
            for mark in slice.run.further.marks(in: slice.range) where mark.place != .ownLocation {
                let position = Int(mark.position)
                let row = Int(slice.run.rows[position])
                guard isUnfiltered || view.wants(row) else { continue }
                // A place that is shown more exactly is removed from one layer and added to another.
                counts[view.segment.rows[row].id, default: 0] += Int(slice.run.marks[position].signum())
            }
        }
        return counts.filter { $0.value > 0 }
    }
}
