public import Geometry
public import Stories

extension MapSnapshot {
    /// Returns a page of the query's matches, newest first (`createdAt`, then id).
    ///
    /// With a box, includes only stories of which a place lies in it or on its edge and, if asked for, those that the
    /// viewer sees without any place; without one, all.
    public func stories(
        in box: BoundingBox? = nil,
        _ query: StoryQuery,
        includingUnplaced: Bool = false,
        after cursor: ListCursor? = nil,
        limit: Int
    ) -> StoryPage {
        guard limit > 0 else { return StoryPage(ids: [], next: nil) }
        let few = few(query)
        if box == nil, let few { return page(few, after: cursor, limit: limit) }
        let scope = Scope(query, segments: segments)
        guard let box, few != nil || !isMost(box, query) else {
            return listed(scope, after: cursor, limit: limit) { view, row in
                guard let box else { return true }
                let places = view.places(of: row)
                return places.contains { box.contains($0.point) } || includingUnplaced && places.isEmpty
            }
        }
        var found = scope.distinct(scope.members(in: box)).map(scope.story)
        if includingUnplaced { found += unplaced(scope, few, query.viewer, after: cursor, limit: limit) }
        return page(found, after: cursor, limit: limit)
    }

    /// Returns the query's matches, with and without a location, if the query lists so few ids that looking them up is
    /// fastest; otherwise `nil`.
    func few(_ query: StoryQuery) -> [IndexedStory]? {
        guard let among = query.among?.ids else { return nil }
        let views = Scope(query, segments: segments).views
        // Only stories visible to the viewer decide the strategy, so that the time taken reveals nothing else.
        let visible = views.reduce(0) { sum, view in view.layers.reduce(sum) { $0 + $1.layer.added.count } }
        guard Scope.isFew(among, of: visible) else { return nil }
        return among.compactMap { id in
            guard let (index, row) = MapSnapshot.find(id, in: segments) else { return nil }
            let view = views[index]
            return view.layer(view.segment.rows[row].layer) != nil && view.wants(row) ? view.story(row) : nil
        }
    }

    /// Returns whether so many stories lie in the box that scanning the list is faster than sorting the box.
    private func isMost(_ box: BoundingBox, _ query: StoryQuery) -> Bool {
        let everything = StoryQuery(viewer: query.viewer)
        let inside = count(in: box, everything)
        return inside > 2_000 && inside > total(everything) / 16
    }

    /// Sorts stories and returns the page after `cursor`.
    func page(_ stories: [IndexedStory], after cursor: ListCursor?, limit: Int) -> StoryPage {
        let sorted =
            stories.filter { story in cursor.map { story.isListed(after: $0) } ?? true }
            .sorted { $0.isListed(before: $1) }
        let shown = sorted.prefix(limit)
        let next = sorted.count > limit ? shown.last.map(\.cursor) : nil
        return StoryPage(ids: shown.map(\.id), next: next)
    }

    /// Scans the rows of each layer in order until each has yielded a page of wanted rows that `isTaken` takes.
    private func listed(
        _ scope: Scope,
        after cursor: ListCursor?,
        limit: Int,
        where isTaken: @escaping (_ view: SegmentView, _ row: Int) -> Bool
    ) -> StoryPage {
        let found = newest(scope, after: cursor, limit: limit, among: { $1 }, where: isTaken)
        return page(found, after: cursor, limit: limit)
    }

    /// Returns the matches that the viewer sees without any place, as many of each layer as a page can have: of the `few`
    /// or, without these, of all.
    ///
    /// - Complexity: O(*n*) in the stories of the viewer's layers of which not every viewer sees a place.
    func unplaced(
        _ scope: Scope,
        _ few: [IndexedStory]?,
        _ viewer: Viewer,
        after cursor: ListCursor?,
        limit: Int
    ) -> [IndexedStory] {
        if let few { return few.filter { places(of: $0.id, viewer: viewer).isEmpty } }
        return newest(scope, after: cursor, limit: limit, among: { $0.segment.unplacedPositions(in: $1) }) {
            view,
            row in
            view.places(of: row).isEmpty
        }
    }

    /// Returns for each layer the first wanted rows that `isTaken` takes, one more than a page has.
    ///
    /// Of a layer's positions in ``Segment/layerRows``, those that `positions` picks are read, in order. Rows whose times
    /// the viewer sees more precisely would be in the wrong place in this order, so they have their own lists.
    private func newest<Positions: Sequence<Int>>(
        _ scope: Scope,
        after cursor: ListCursor?,
        limit: Int,
        among positions: (_ view: SegmentView, _ range: Range<Int>) -> Positions,
        where isTaken: @escaping (_ view: SegmentView, _ row: Int) -> Bool
    ) -> [IndexedStory] {
        var found: [IndexedStory] = []
        // One more row shows whether there is a next page; a limit of `Int.max` means all.
        let enough = limit == .max ? limit : limit + 1
        for (index, view) in scope.views.enumerated() {
            func isListed(_ row: Int) -> Bool {
                view.wants(row) && !isSuperseded(view.segment.rows[row].id, from: index) && isTaken(view, row)
            }
            for visible in view.layers {
                let range = view.start(of: visible.layer.added, after: cursor)..<visible.layer.added.upperBound
                let rows = positions(view, range).lazy.map { Int(view.segment.layerRows[$0]) }
                    .filter { view.closer($0) == nil && isListed($0) }
                let closer = view.closerRows(of: visible.number, after: cursor).lazy.filter(isListed)
                found += rows.prefix(enough).map { view.segment.rows[$0] }
                found += closer.prefix(enough).map { view.story($0) }
            }
        }
        return found
    }

    /// Returns whether a newer segment replaces or removes the story.
    func isSuperseded(_ id: StoryID, from segment: Int) -> Bool {
        segments[(segment + 1)...].contains { $0.row(of: id) != nil }
    }

    /// Returns the query's matches at a place, sorted by id.
    public func stories(at place: PlaceID, _ query: StoryQuery) -> [StoryID] {
        Scope(query, segments: segments).members(at: place).sorted()
    }
}

extension Scope {
    /// Returns the wanted stories at a place.
    func members(at place: PlaceID) -> [StoryID] {
        let box = BoundingBox(place.coordinate).expanded(byMetres: 2)
        var pieces: [Piece] = []
        visit(box) { slice, range, _ in pieces.append(Piece(slice: slice, range: range)) }
        let members = members(of: pieces) { slice, index in
            PlaceID(slice.run.points[index]) == place
                && (isUnfiltered || views[slice.view].wants(Int(slice.run.rows[index])))
        }
        return distinct(members).map { story($0).id }
    }
}

extension SegmentView {
    /// Returns the first position in a layer's rows after the cursor.
    func start(of range: Range<Int>, after cursor: ListCursor?) -> Int {
        guard let cursor else { return range.lowerBound }
        var low = range.lowerBound
        var high = range.upperBound
        while low < high {
            let middle = (low + high) / 2
            let story = segment.rows[Int(segment.layerRows[middle])]
            if story.isListed(after: cursor) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension Segment {
    /// Returns those of a range of positions in ``layerRows`` at which not all viewers see a place of the story.
    func unplacedPositions(in range: Range<Int>) -> some Sequence<Int> {
        func start(_ position: Int) -> Int {
            var (low, high) = (0, unplaced.count)
            while low < high {
                let middle = (low + high) / 2
                if Int(unplaced[middle]) < position { low = middle + 1 } else { high = middle }
            }
            return low
        }
        return unplaced[start(range.lowerBound)..<start(range.upperBound)].lazy.map { Int($0) }
    }
}

extension IndexedStory {
    /// The cursor of a list that ends with this story.
    var cursor: ListCursor { ListCursor(createdAt: Timestamp(milliseconds: created), id: id) }

    /// Returns whether this story comes after the cursor in lists.
    func isListed(after cursor: ListCursor) -> Bool {
        created != cursor.createdAt.milliseconds ? created < cursor.createdAt.milliseconds : id > cursor.id
    }
}
