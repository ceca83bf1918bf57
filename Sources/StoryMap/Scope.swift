import Geometry
import Stories

/// A section of a run, sorted along the Morton curve, that a query reads.
struct Slice: Sendable {
    let run: PointRun
    let range: Range<Int>
    /// The index of the scope's view that the rows belong to.
    let view: Int
    /// The directory of the section's cells, if it is large.
    let directory: CellDirectory?

    init(run: PointRun, range: Range<Int>, directory: CellDirectory?, view: Int) {
        self.run = run
        self.range = range
        self.directory = directory
        self.view = view
    }

    /// Creates a slice of a whole run.
    init(run: PointRun, view: Int) {
        let range = run.codes.indices
        self.init(run: run, range: range, directory: CellDirectory(run.codes, range: range), view: view)
    }

    /// Calls `body` with each cell of `region` that contains points, and with those points.
    func cells(of region: CellRegion, _ body: (_ column: UInt32, _ row: UInt32, _ range: Range<Int>) -> Void) {
        run.cells(of: region, in: range, directory, body)
    }
}

/// Points of one slice, for example those in one cell.
struct Piece: Sendable {
    let slice: Int
    let range: Range<Int>
}

/// A visible, wanted story at the point shown to the viewer.
struct Member: Sendable {
    let view: Int
    let row: Int
    let point: Coordinate
    /// Whether the point is more precise than the published one.
    let isMore: Bool
    /// The id of the place; ``StoryID/ownLocation`` for the story's own.
    let place: StoryID
    /// Whether the story has further places, visible or not.
    let hasFurther: Bool
}

/// A query resolved against all segments of a snapshot.
struct Scope: Sendable {
    let views: [SegmentView]
    /// The viewer's points; with a filter, also those of unwanted stories.
    let slices: [Slice]
    let isUnfiltered: Bool
    /// Whether any of the viewer's points belongs to a story with further places.
    let hasFurther: Bool
    /// The ids still to be looked up one by one, if there are few.
    private let few: Set<StoryID>?

    /// Creates a scope.
    ///
    /// With `isLater`, a short list of ids is not looked up yet, because cached results may suffice.
    init(_ query: StoryQuery, segments: [Segment], isLater: Bool = false) {
        let layers = query.viewer.layers
        let views = segments.map { SegmentView($0, query: query, layers: layers) }
        self.views = views
        isUnfiltered = query.isUnfiltered
        var slices: [Slice] = []
        for (index, view) in views.enumerated() {
            for visible in view.layers where !visible.layer.points.isEmpty {
                let (points, directory) = (visible.layer.points, visible.layer.directory)
                slices.append(Slice(run: view.segment.run, range: points, directory: directory, view: index))
            }
        }
        var few = query.among?.ids
        if let ids = few, !Scope.isFew(ids, of: slices.reduce(0) { $0 + $1.range.count }) { few = nil }
        if let ids = few, !isLater {
            slices = views.indices.flatMap { [slices] in Scope.narrowed(slices, of: $0, to: ids, views: views) }
            few = nil
        }
        self.slices = slices
        self.few = few
        hasFurther = Scope.hasFurther(slices)
    }

    private static func hasFurther(_ slices: [Slice]) -> Bool {
        slices.contains { !$0.run.further.marks(in: $0.range).isEmpty }
    }

    /// Returns whether looking up the ids one by one is faster than scanning `count` rows.
    static func isFew(_ among: Set<StoryID>, of count: Int) -> Bool { among.count < count / 8 }

    /// Returns the slices of one segment with only the points of a few stories.
    private static func narrowed(
        _ slices: [Slice],
        of index: Int,
        to few: Set<StoryID>,
        views: [SegmentView]
    ) -> [Slice] {
        let segment = views[index].segment
        var positions: [UInt32] = []
        for id in few {
            segment.forEachRow(of: id) { row in
                positions += segment.placements[segment.placements(of: row)]
                return true
            }
        }
        positions.sort()
        return slices.compactMap { slice in
            guard slice.view == index else { return nil }
            let kept = positions.filter { slice.range.contains(Int($0)) }
            return kept.isEmpty ? nil : Slice(run: PointRun(slice.run, keeping: kept), view: index)
        }
    }

    private init(views: [SegmentView], slices: [Slice]) {
        self.views = views
        self.slices = slices
        isUnfiltered = true
        few = nil
        hasFurther = Scope.hasFurther(slices)
    }

    /// Returns the wanted points of one segment.
    func wanted(ofSegment segment: Int) -> [Slice] {
        var effort = FilterEffort()
        return wanted(ofSegment: segment, noting: &effort)
    }

    /// Returns the wanted points of one segment, and records the cost of finding them.
    func wanted(ofSegment segment: Int, noting effort: inout FilterEffort) -> [Slice] {
        let view = views[segment]
        let found = view.criteria.flatMap { view.segment.facets?.positions($0, in: view, noting: &effort) }
        let slices =
            few.map { Scope.narrowed(self.slices, of: segment, to: $0, views: views) }
            ?? self.slices.filter { $0.view == segment }
        return
            slices.compactMap { slice in
                let range = UInt32(slice.range.lowerBound)..<UInt32(slice.range.upperBound)
                // Facets refer to positions in the segment's own run; a narrowed slice has a run with other positions.
                let known = slice.run === view.segment.run ? found : nil
                var positions = known?.members(in: range) ?? Array(range)
                if known == nil || view.criteria?.asksForMore ?? false {
                    effort.compared += positions.count
                    positions.removeAll { !view.wants(Int(slice.run.rows[Int($0)])) }
                }
                return positions.isEmpty ? nil : Slice(run: PointRun(slice.run, keeping: positions), view: segment)
            }
    }

    /// Returns the scope with these slices, all of whose points are wanted.
    func narrowed(to slices: [Slice]) -> Scope { Scope(views: views, slices: slices) }

    /// Returns the scope with only the wanted points; itself if nothing is filtered.
    func filtered() -> Scope {
        isUnfiltered ? self : narrowed(to: views.indices.flatMap(wanted(ofSegment:)))
    }

    /// Returns the story of a member, with the times shown to the viewer.
    func story(_ member: Member) -> IndexedStory { views[member.view].story(member.row) }

    /// An appearance that is removed.
    private struct Cancelled: Hashable {
        let id: StoryID
        let place: StoryID
        let point: Coordinate
    }

    /// Returns the stories of `pieces` that remain after removals cancel additions, once for each of their places.
    ///
    /// A story's addition and removal have the same point, so pieces that contain whole cells or whole places suffice.
    func members(of pieces: some Sequence<Piece>, where isTaken: (Slice, Int) -> Bool = { _, _ in true }) -> [Member] {
        var members: [Member] = []
        var cancelled: [Cancelled: Int] = [:]
        for piece in pieces {
            let slice = slices[piece.slice]
            let rows = views[slice.view].segment.rows
            var further = slice.run.further.marks(in: piece.range)
            for index in piece.range {
                let mark = further.first.flatMap { Int($0.position) == index ? $0 : nil }
                if mark != nil { further.removeFirst() }
                guard isTaken(slice, index) else { continue }
                let place = mark?.place ?? .ownLocation
                let row = Int(slice.run.rows[index])
                let point = slice.run.points[index]
                if slice.run.marks[index] > 0 {
                    let isMore = slice.run.marks[index] > 1
                    members.append(
                        Member(
                            view: slice.view,
                            row: row,
                            point: point,
                            isMore: isMore,
                            place: place,
                            hasFurther: mark != nil
                        )
                    )
                } else {
                    cancelled[Cancelled(id: rows[row].id, place: place, point: point), default: 0] += 1
                }
            }
        }
        guard !cancelled.isEmpty else { return members }
        // Removals cancel the oldest additions, so that the newest row of the story remains.
        return members.filter { member in
            let id = views[member.view].segment.rows[member.row].id
            let key = Cancelled(id: id, place: member.place, point: member.point)
            guard let count = cancelled[key], count > 0 else { return true }
            cancelled[key] = count - 1
            return false
        }
    }

    /// Returns the wanted members in the closed box, one for each place.
    func members(in box: BoundingBox) -> [Member] {
        var pieces: [Piece] = []
        visit(box) { slice, range, _ in pieces.append(Piece(slice: slice, range: range)) }
        return members(of: pieces) { slice, index in
            box.contains(slice.run.points[index])
                && (isUnfiltered || views[slice.view].wants(Int(slice.run.rows[index])))
        }
    }

    /// Calls `body` with ranges of slices that contain all points of the box.
    func visit(_ box: BoundingBox, _ body: (_ slice: Int, _ range: Range<Int>, _ isInside: Bool) -> Void) {
        let rectangles = UnitRectangle.covering(box)
        for (index, slice) in slices.enumerated() {
            slice.run.visit(rectangles, in: slice.range, slice.directory) { body(index, $0, $1) }
        }
    }
}

extension UnitRectangle {
    /// Returns disjoint rectangles that cover the closed box and, if it touches the 180th meridian, the same meridian
    /// at the opposite edge of the map.
    static func covering(_ box: BoundingBox) -> [UnitRectangle] {
        let size = Int64(1) << 32
        let top = box.north >= 90 ? -8 : Int64(unit(box.north, box.east).y) - 1
        let bottom = box.south <= -90 ? size + 8 : Int64(unit(box.south, box.east).y) + 1
        var spans: [(Int64, Int64)] = []
        for part in box.parts {
            let west = part.west <= -180 ? -8 : Int64(unit(0, part.west).x) - 1
            let east = part.east >= 180 ? size + 8 : Int64(unit(0, part.east).x) + 1
            spans.append((west, east))
            if part.west <= -180 { spans.append((size - 1, size + 8)) }
            if part.east >= 180 { spans.append((-8, 0)) }
        }
        return disjoint(spans).map { UnitRectangle(west: $0.0, north: top, east: $0.1, south: bottom) }
    }

    private static func unit(_ latitude: Double, _ longitude: Double) -> MercatorPoint {
        MercatorPoint(Coordinate(wrappingLatitude: latitude, longitude: longitude))
    }

    private static func disjoint(_ spans: [(Int64, Int64)]) -> [(Int64, Int64)] {
        var result: [(Int64, Int64)] = []
        for span in spans.sorted(by: { $0 < $1 }) {
            if let last = result.last, span.0 <= last.1 {
                result[result.count - 1].1 = max(last.1, span.1)
            } else {
                result.append(span)
            }
        }
        return result
    }
}
