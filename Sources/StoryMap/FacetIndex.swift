import Stories

/// An index of a segment's points by kind, owner, collection, tag, person and year, so that a filter need not check
/// each story.
final class FacetIndex: Sendable {
    /// The positions that belong to each number, stored as consecutive lists.
    private struct Lists: Sequence, Sendable {
        private let starts: [UInt32]
        private let positions: [UInt32]

        /// Sorts positions by number, omitting those with ``IndexedStory/none``.
        ///
        /// The number at index *i* belongs to `positions[i]`, or to position *i* if `positions` is `nil`; positions are
        /// ascending.
        init(_ numbers: [UInt32], positions: [UInt32]? = nil, count: Int) {
            var starts = [UInt32](repeating: 0, count: count + 1)
            for number in numbers where number != IndexedStory.none { starts[Int(number) + 1] += 1 }
            for number in 0..<count { starts[number + 1] += starts[number] }
            var next = starts
            var sorted = [UInt32](repeating: 0, count: Int(starts[count]))
            for (index, number) in numbers.enumerated() where number != IndexedStory.none {
                sorted[Int(next[Int(number)])] = positions?[index] ?? UInt32(index)
                next[Int(number)] += 1
            }
            (self.starts, self.positions) = (starts, sorted)
        }

        func makeIterator() -> some IteratorProtocol<ArraySlice<UInt32>> {
            (0..<starts.count - 1).lazy.map { self[$0] }.makeIterator()
        }

        var bytes: Int { starts.bytes + positions.bytes }

        subscript(number: Int) -> ArraySlice<UInt32> {
            guard number >= 0, number + 1 < starts.count else { return [] }
            return positions[Int(starts[number])..<Int(starts[number + 1])]
        }
    }

    private let count: Int
    private let kinds: Lists
    private let owners: Lists
    private let collections: Lists
    private let terms: Lists
    /// The positions by the year of the first day, for stories that last at most a year.
    private let years: Lists
    private let firstYear: Int
    /// The positions of stories that last longer or whose year is far from all others.
    private let others: [UInt32]
    /// The positions of undated stories.
    private let undated: [UInt32]

    /// The minimum number of points; fewer are filtered fast enough without an index.
    private static let fewest = 4_096
    /// The maximum number of years with a list of their own.
    private static let mostYears = 4_096
    /// Returns the year of a day, in years of 365.25 days counted from 1970: accurate enough, because near the bounds
    /// of a filter the exact days are compared.
    private static func year(_ day: Int32) -> Int { Int((Double(day) / 365.25).rounded(.down)) }

    /// Creates an index, or returns `nil` if there are too few points.
    ///
    /// - Complexity: O(points and terms), about 24 bytes of memory for a point with one tag and one person.
    init?(_ rows: [IndexedStory], terms: (values: [UInt32], starts: [UInt32]), run: PointRun, words: Segment.Words) {
        guard run.rows.count >= FacetIndex.fewest else { return nil }
        count = run.rows.count
        let columns = Columns(rows, terms: terms, keys: words.keysOfTerms, run: run)
        kinds = Lists(columns.kinds, count: words.kinds.values.count)
        owners = Lists(columns.owners, count: words.owners.values.count)
        collections = Lists(columns.collections, count: words.collections.values.count)
        self.terms = Lists(columns.terms, positions: columns.termPositions, count: words.keys.values.count)
        let dated = columns.years.lazy.filter { $0 != Columns.undated }
        firstYear = max(dated.min() ?? 0, (dated.max() ?? 0) - FacetIndex.mostYears)
        let years = min(FacetIndex.mostYears, (dated.max() ?? 0) - firstYear + 1)
        let first = firstYear
        var (others, undated): ([UInt32], [UInt32]) = ([], [])
        let numbers = columns.years.enumerated()
            .map { position, year -> UInt32 in
                guard year != Columns.undated else {
                    undated.append(UInt32(position))
                    return IndexedStory.none
                }
                guard !columns.isLong[position], (0..<years).contains(year - first) else {
                    others.append(UInt32(position))
                    return IndexedStory.none
                }
                return UInt32(year - first)
            }
        self.years = Lists(numbers, count: years)
        self.others = others
        self.undated = undated
    }

    /// The attributes of the stories of all points, in point order: each story is looked up once.
    private struct Columns {
        var kinds: [UInt32] = []
        var owners: [UInt32] = []
        var collections: [UInt32] = []
        /// The year of the first day, or ``undated``.
        var years: [Int] = []
        /// Whether a story lasts longer than a year.
        var isLong: [Bool] = []
        /// The tags and persons by their keys.
        var terms: [UInt32] = []
        var termPositions: [UInt32] = []

        static let undated = Int.max

        init(
            _ rows: [IndexedStory],
            terms all: (values: [UInt32], starts: [UInt32]),
            keys: [UInt32],
            run: PointRun
        ) {
            let count = run.rows.count
            kinds.reserveCapacity(count)
            owners.reserveCapacity(count)
            collections.reserveCapacity(count)
            years.reserveCapacity(count)
            isLong.reserveCapacity(count)
            terms.reserveCapacity(all.values.count)
            termPositions.reserveCapacity(all.values.count)
            for (position, row) in run.rows.enumerated() {
                let story = rows[Int(row)]
                kinds.append(story.kind)
                owners.append(story.owner)
                collections.append(story.collection)
                years.append(story.first <= story.last ? FacetIndex.year(story.first) : Columns.undated)
                isLong.append(Int64(story.last) - Int64(story.first) > 365)
                for index in all.starts[Int(row)]..<all.starts[Int(row) + 1] {
                    terms.append(keys[Int(all.values[Int(index)])])
                    termPositions.append(UInt32(position))
                }
            }
        }
    }

    /// The size of the lists in bytes.
    var bytes: Int {
        kinds.bytes + owners.bytes + collections.bytes + terms.bytes + years.bytes + others.bytes + undated.bytes
    }

    /// Returns the points whose stories match the indexed criteria; ``Criteria/asksForMore`` tells whether there are
    /// others.
    ///
    /// Returns `nil` if no criterion is indexed here.
    func positions(_ criteria: Criteria, in view: SegmentView, noting effort: inout FilterEffort) -> PositionSet? {
        var result: PositionSet?
        func require(_ lists: Lists, _ numbers: NumberSet?) {
            guard let numbers else { return }
            var found = PositionSet(count: count)
            // Only points in layers visible to the viewer are read, so that others' lists do not affect the time taken.
            for number in numbers.numbers {
                for visible in view.layers {
                    let positions = lists[Int(number)].members(in: visible.layer.points)
                    effort.lists += 1
                    effort.listed += positions.count
                    found.insert(positions)
                }
            }
            result?.formIntersection(found)
            result = result ?? found
        }
        require(kinds, criteria.kinds)
        require(owners, criteria.owners)
        require(collections, criteria.collections)
        require(terms, criteria.tags)
        require(terms, criteria.people)
        if criteria.hasSpan {
            let found = dated(criteria, in: view)
            result?.formIntersection(found)
            result = result ?? found
        }
        return result
    }

    private func dated(_ criteria: Criteria, in view: SegmentView) -> PositionSet {
        let segment = view.segment
        var found = PositionSet(count: count)
        func check(_ positions: some Sequence<UInt32>) {
            for position in positions
            where criteria.matchesDates(segment.rows[Int(segment.run.rows[Int(position)])]) { found.insert(position) }
        }
        let first = criteria.filter.from.map { FacetIndex.year($0.daysSince1970) }
        let last = criteria.filter.to.map { FacetIndex.year($0.daysSince1970) }
        for (year, list) in zip(firstYear..., years) where !list.isEmpty {
            // A story that lasts a year can have begun one or two years before.
            if let first, year < first - 2 { continue }
            if let last, year > last { break }
            if first.map({ year > $0 }) ?? true, last.map({ year < $0 }) ?? true {
                found.insert(list)
            } else {
                check(list)
            }
        }
        check(others)
        if criteria.filter.matchesDates(first: nil, last: nil) {
            for visible in view.layers { found.insert(undated[...].members(in: visible.layer.points)) }
        }
        // The lists hold the published days; the viewer sees more precise ones of a few stories.
        view.forEachCloserRow { row in
            let isFound = criteria.matchesDates(view.story(row))
            for position in segment.placements[segment.placements(of: row)] {
                if isFound { found.insert(position) } else { found.remove(position) }
            }
        }
        return found
    }
}

extension ArraySlice<UInt32> {
    /// Returns the part of ascending positions that lies in a range, found by bisection.
    fileprivate func members(in range: Range<Int>) -> ArraySlice<UInt32> {
        func start(_ position: Int) -> Int {
            var (low, high) = (startIndex, endIndex)
            while low < high {
                let middle = (low + high) / 2
                if Int(self[middle]) < position { low = middle + 1 } else { high = middle }
            }
            return low
        }
        return self[start(range.lowerBound)..<start(range.upperBound)]
    }
}
