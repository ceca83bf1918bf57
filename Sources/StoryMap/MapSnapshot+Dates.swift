public import Geometry
public import Stories

extension MapSnapshot {
    /// Returns the distribution of the query's matches over time, within the closed box if one is given.
    ///
    /// The range is `from` to `to`; the query's own dates are ignored. Without a box, stories without a location count
    /// too.
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
    /// Returns the spans of days of stories in the closed box.
    ///
    /// Sums over signed points, like counts: a removed story carries the days with which it was added.
    func dateSpans(in box: BoundingBox) -> DateSpans {
        var pieces: [[(piece: Piece, isInside: Bool)]] = views.map { _ in [] }
        visit(box) { index, range, isInside in
            pieces[slices[index].view].append((Piece(slice: index, range: range), isInside))
        }
        var spans = DateSpans()
        for (view, pieces) in zip(views, pieces) where !pieces.isEmpty {
            func forEachPoint(_ body: (_ row: Int, _ sign: Int) -> Void) {
                for (piece, isInside) in pieces {
                    let run = slices[piece.slice].run
                    for position in piece.range where isInside || box.contains(run.points[position]) {
                        body(Int(run.rows[position]), Int(run.marks[position].signum()))
                    }
                }
            }
            let rows = view.segment.rows
            let count = pieces.reduce(0) { $0 + $1.piece.range.count }
            if count < rows.count / 32 {
                forEachPoint { row, sign in
                    if isUnfiltered || view.wants(row) { spans.add(view.story(row), sign: sign) }
                }
            } else {
                // If there are many points, the rows are read in order: points lie along a curve, and random access
                // costs five times as much.
                var signs = [Int8](repeating: 0, count: rows.count)
                forEachPoint { row, sign in signs[row] += Int8(sign) }
                for row in rows.indices where signs[row] != 0 && (isUnfiltered || view.wants(row)) {
                    spans.add(view.story(row), sign: Int(signs[row]))
                }
            }
        }
        return spans
    }

    /// Returns the spans of days of all stories, with and without a location.
    func dateSpans() -> DateSpans {
        var spans = DateSpans()
        for view in views {
            let segment = view.segment
            for visible in view.layers {
                for (positions, sign) in [(visible.layer.added, 1), (visible.layer.removed, -1)] {
                    for position in positions {
                        let row = Int(segment.layerRows[position])
                        if isUnfiltered || view.wants(row) { spans.add(view.story(row), sign: sign) }
                    }
                }
            }
        }
        return spans
    }
}
