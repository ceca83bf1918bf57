import Geometry
import Stories

/// A section of a run, sorted along the Morton curve, that takes part in a query.
struct Slice: Sendable {
    let run: PointRun
    let range: Range<Int>
    /// Which of the scope's views the rows belong to.
    let view: Int
    /// Where the cells of the section begin, when it is large.
    let directory: CellDirectory?

    init(run: PointRun, range: Range<Int>, directory: CellDirectory?, view: Int) {
        self.run = run
        self.range = range
        self.directory = directory
        self.view = view
    }

    /// A whole run.
    init(run: PointRun, view: Int) {
        let range = run.codes.indices
        self.init(run: run, range: range, directory: CellDirectory(run.codes, range: range), view: view)
    }

    /// Calls `body` with each cell of `region` that has points, and with those points.
    func cells(of region: CellRegion, _ body: (_ column: UInt32, _ row: UInt32, _ range: Range<Int>) -> Void) {
        run.cells(of: region, in: range, directory, body)
    }
}

/// Points of one slice, for instance those in one cell.
struct Piece: Sendable {
    let slice: Int
    let range: Range<Int>
}

/// A visible, wanted story at the viewer's point of it.
struct Member: Sendable {
    let view: Int
    let row: Int
    let point: Coordinate
    /// Whether the point is more exact than the published one.
    let isMore: Bool
}

/// A query resolved against all segments of a snapshot.
struct Scope: Sendable {
    let views: [SegmentView]
    /// The viewer's points; with a filter those of unwanted stories too.
    let slices: [Slice]
    let isUnfiltered: Bool
    /// The stories that are still to be looked up one by one, being few.
    private let few: Set<StoryID>?

    /// With `isLater`, few wanted stories are not looked up yet, as what was found before may do.
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
    }

    /// Whether looking the ids up one by one beats going through all of so many.
    static func isFew(_ among: Set<StoryID>, of count: Int) -> Bool { among.count < count / 8 }

    /// The slices of one segment with only the points of a few stories.
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
    }

    /// The wanted points of one segment.
    func wanted(ofSegment segment: Int) -> [Slice] {
        var effort = FilterEffort()
        return wanted(ofSegment: segment, noting: &effort)
    }

    /// The wanted points of one segment, and what it costs to find them.
    func wanted(ofSegment segment: Int, noting effort: inout FilterEffort) -> [Slice] {
        let view = views[segment]
        let found = view.criteria.flatMap { view.segment.facets?.positions($0, in: view, noting: &effort) }
        let slices =
            few.map { Scope.narrowed(self.slices, of: segment, to: $0, views: views) }
            ?? self.slices.filter { $0.view == segment }
        return
            slices.compactMap { slice in
                let range = UInt32(slice.range.lowerBound)..<UInt32(slice.range.upperBound)
                // What facets know are positions in the segment's own run; a narrowed slice has others.
                let known = slice.run === view.segment.run ? found : nil
                var positions = known?.members(in: range) ?? Array(range)
                if known == nil || view.criteria?.asksForMore ?? false {
                    effort.compared += positions.count
                    positions.removeAll { !view.wants(Int(slice.run.rows[Int($0)])) }
                }
                return positions.isEmpty ? nil : Slice(run: PointRun(slice.run, keeping: positions), view: segment)
            }
    }

    /// The scope with these slices, of which everything is wanted.
    func narrowed(to slices: [Slice]) -> Scope { Scope(views: views, slices: slices) }

    /// The scope with only the wanted points; itself when nothing is filtered.
    func filtered() -> Scope {
        isUnfiltered ? self : narrowed(to: views.indices.flatMap(wanted(ofSegment:)))
    }

    /// The story of a member, with the times that the viewer gets.
    func story(_ member: Member) -> IndexedStory { views[member.view].story(member.row) }

    /// An appearance that is taken away.
    private struct Cancelled: Hashable {
        let id: StoryID
        let point: Coordinate
    }

    /// The stories that remain of `pieces` after what is taken away has met what was added.
    ///
    /// A story's addition and removal have the same point, so pieces that hold whole cells or whole places suffice.
    func members(of pieces: some Sequence<Piece>, where isTaken: (Slice, Int) -> Bool = { _, _ in true }) -> [Member] {
        var members: [Member] = []
        var cancelled: [Cancelled: Int] = [:]
        for piece in pieces {
            let slice = slices[piece.slice]
            let rows = views[slice.view].segment.rows
            for index in piece.range where isTaken(slice, index) {
                let row = Int(slice.run.rows[index])
                let point = slice.run.points[index]
                if slice.run.marks[index] > 0 {
                    let isMore = slice.run.marks[index] > 1
                    members.append(Member(view: slice.view, row: row, point: point, isMore: isMore))
                } else {
                    cancelled[Cancelled(id: rows[row].id, point: point), default: 0] += 1
                }
            }
        }
        guard !cancelled.isEmpty else { return members }
        // Removals meet the oldest additions, so that what remains is the newest row of the story.
        return members.filter { member in
            let key = Cancelled(id: views[member.view].segment.rows[member.row].id, point: member.point)
            guard let count = cancelled[key], count > 0 else { return true }
            cancelled[key] = count - 1
            return false
        }
    }

    /// The wanted members in the closed box.
    func members(in box: BoundingBox) -> [Member] {
        var pieces: [Piece] = []
        visit(box) { slice, range, _ in pieces.append(Piece(slice: slice, range: range)) }
        return members(of: pieces) { slice, index in
            box.contains(slice.run.points[index])
                && (isUnfiltered || views[slice.view].wants(Int(slice.run.rows[index])))
        }
    }

    /// Calls `body` with ranges of slices that hold all points of the box.
    func visit(_ box: BoundingBox, _ body: (_ slice: Int, _ range: Range<Int>, _ isInside: Bool) -> Void) {
        let rectangles = UnitRectangle.covering(box)
        for (index, slice) in slices.enumerated() {
            slice.run.visit(rectangles, in: slice.range, slice.directory) { body(index, $0, $1) }
        }
    }
}

extension UnitRectangle {
    /// Disjoint rectangles that together hold the closed box, and the other side of the 180th meridian if it touches that.
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
