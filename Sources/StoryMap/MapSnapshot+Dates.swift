public import Geometry
public import Stories

extension MapSnapshot {
    /// How many of the stories that the query finds there are over time, in the closed box if there is one.
    ///
    /// The days asked for are `from` to `to`, not the query's own, which are passed over. Without a box stories without a
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
        let scope = Scope(query, segments: segments)
        let spans = box.map(scope.dateSpans) ?? scope.dateSpans()
        return DateHistogram(spans, from: from, to: to, bins: bins)
    }
}

extension Scope {
    /// The days of what lies in the closed box.
    ///
    /// Sums over signed points, as counts are: a story that was taken away carries the days with which it was added.
    func dateSpans(in box: BoundingBox) -> DateSpans {
        var spans = DateSpans()
        visit(box) { index, range, isInside in
            let slice = slices[index]
            let view = views[slice.view]
            let rows = view.segment.rows
            for position in range where isInside || box.contains(slice.run.points[position]) {
                let row = Int(slice.run.rows[position])
                guard isUnfiltered || view.wants(row) else { continue }
                spans.add(rows[row], sign: Int(slice.run.marks[position].signum()))
            }
        }
        return spans
    }

    /// The days of everything, with and without a location.
    func dateSpans() -> DateSpans {
        var spans = DateSpans()
        for view in views {
            let (segment, rows) = (view.segment, view.segment.rows)
            for visible in view.layers {
                for (positions, sign) in [(visible.layer.added, 1), (visible.layer.removed, -1)] {
                    for position in positions {
                        let row = Int(segment.layerRows[position])
                        if isUnfiltered || view.wants(row) { spans.add(rows[row], sign: sign) }
                    }
                }
            }
        }
        return spans
    }
}
