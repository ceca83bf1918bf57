public import Geometry
public import Stories

extension MapSnapshot {
    /// Returns the distribution of the query's matches over time, within the closed box if one is given.
    ///
    /// The range is `from` to `to`; the query's own `from` and `to` are ignored. Without a box, stories without a
    /// location count too.
    ///
    /// - Complexity: O(*n*) in the points of the box, or in all the stories of the viewer's layers; nothing is sorted.
    public func histogram(
        in box: BoundingBox? = nil,
        _ query: StoryQuery,
        from: CalendarDay? = nil,
        to: CalendarDay? = nil,
        bins: Int
    ) -> DateHistogram {
        var query = query
        query.filter.from = nil
        query.filter.to = nil
        let spans = Scope(query, segments: segments).dateSpans(in: box)
        return DateHistogram(spans, from: from, to: to, bins: bins)
    }
}

extension Scope {
    /// Returns the spans of days of the wanted stories in the closed box, or, without a box, of all of them.
    ///
    /// Sums over signed rows, like counts: a removed story carries the days with which it was added.
    func dateSpans(in box: BoundingBox?) -> DateSpans {
        var spans = DateSpans()
        for (index, view) in views.enumerated() {
            forEachRow(ofSegment: index, in: box) { row, sign in
                if isUnfiltered || view.wants(row) { spans.add(view.story(row), sign: sign) }
            }
        }
        return spans
    }
}
