import Geometry
import Stories

extension Scope {
    /// Returns the number of wanted places in the closed box.
    func placeCount(in box: BoundingBox) -> Int {
        var count = 0
        visit(box) { index, range, isInside in
            let slice = slices[index]
            if isInside, isUnfiltered {
                count += slice.run.count(in: range)
                return
            }
            let view = views[slice.view]
            for position in range where isInside || box.contains(slice.run.points[position]) {
                guard isUnfiltered || view.wants(Int(slice.run.rows[position])) else { continue }
                count += Int(slice.run.marks[position].signum())
            }
        }
        return count
    }

    /// Returns the number of wanted stories in the closed box, each counted once.
    func count(in box: BoundingBox) -> Int {
        let places = placeCount(in: box)
        guard hasFurther, places > 1 else { return places }
        var pieces: [Piece] = []
        visit(box) { slice, range, _ in pieces.append(Piece(slice: slice, range: range)) }
        return places
            - repeats(in: pieces) { slice, position in
                box.contains(slice.run.points[position])
                    && (isUnfiltered || views[slice.view].wants(Int(slice.run.rows[position])))
            }
    }

    /// Returns by how much the places in `pieces` outnumber their stories: a story with three places there counts two.
    ///
    /// Reads only the points of stories with further places. The pieces must contain whole cells or whole places, as
    /// for ``members(of:where:)``.
    func repeats(
        in pieces: some Sequence<Piece>,
        where isTaken: (_ slice: Slice, _ position: Int) -> Bool = { _, _ in true }
    ) -> Int {
        guard hasFurther else { return 0 }
        var tally = RepeatTally()
        for piece in pieces {
            let slice = slices[piece.slice]
            for mark in slice.run.further.marks(in: piece.range) where isTaken(slice, Int(mark.position)) {
                let position = Int(mark.position)
                tally.add(view: slice.view, row: slice.run.rows[position], sign: slice.run.marks[position].signum())
            }
        }
        return tally.repeats(views)
    }

    /// Returns the first member of each story, in order.
    func distinct(_ members: [Member]) -> [Member] {
        guard hasFurther else { return members }
        var seen: Set<StoryID> = []
        return members.filter { !$0.hasFurther || seen.insert(views[$0.view].segment.rows[$0.row].id).inserted }
    }

    /// Returns how to change the sum of signs of some rows of a segment, so that each row counts once instead of once
    /// for each of its points in `pieces`.
    func corrections(
        _ pieces: [(slice: Slice, range: Range<Int>, isInside: Bool)],
        in box: BoundingBox
    ) -> [(row: Int, change: Int)] {
        guard hasFurther else { return [] }
        var sums: [UInt32: Int] = [:]
        for (slice, range, isInside) in pieces {
            for mark in slice.run.further.marks(in: range) {
                let position = Int(mark.position)
                guard isInside || box.contains(slice.run.points[position]) else { continue }
                sums[slice.run.rows[position], default: 0] += Int(slice.run.marks[position].signum())
            }
        }
        return sums.filter { abs($1) > 1 }.sorted { $0.key < $1.key }
            .map { (Int($0.key), $0.value.signum() - $0.value) }
    }
}

/// Counts how often stories with further places occur.
private struct RepeatTally {
    /// The occurrences: the view from bit 33, then the row, then whether it is a removal.
    private var entries: [UInt64] = []

    mutating func add(view: Int, row: UInt32, sign: Int8) {
        entries.append(UInt64(view) << 33 | UInt64(row) << 1 | (sign < 0 ? 1 : 0))
    }

    /// Returns the number of occurrences beyond the first of each story.
    mutating func repeats(_ views: [SegmentView]) -> Int {
        guard entries.count > 1 else { return 0 }
        entries.sort()
        var repeats = 0
        var sums: [StoryID: Int] = [:]
        // A story has rows in several views only if it was changed.
        let isOneView = entries[0] >> 33 == entries[entries.count - 1] >> 33
        var start = 0
        while start < entries.count {
            let row = entries[start] >> 1
            var (sum, end) = (0, start)
            while end < entries.count, entries[end] >> 1 == row {
                sum += entries[end] & 1 == 0 ? 1 : -1
                end += 1
            }
            if isOneView {
                repeats += max(0, sum - 1)
            } else {
                sums[views[Int(row >> 32)].segment.rows[Int(row & 0xFFFF_FFFF)].id, default: 0] += sum
            }
            start = end
        }
        return sums.values.reduce(repeats) { $0 + max(0, $1 - 1) }
    }
}
