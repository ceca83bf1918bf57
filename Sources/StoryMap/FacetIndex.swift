import Stories

/// The points of a segment by kind, owner, collection, tag, person and year, so that a filter need not look at each story.
final class FacetIndex: Sendable {
    /// Lists of positions by number, one after another.
    private struct Lists: Sequence, Sendable {
        private let starts: [UInt32]
        private let positions: [UInt32]

        /// Sorts `pairs` by number; positions come in ascending order.
        init(numbers: Int, _ forEachPair: (_ body: (_ number: Int, _ position: Int) -> Void) -> Void) {
            var starts = [UInt32](repeating: 0, count: numbers + 1)
            forEachPair { number, _ in starts[number + 1] += 1 }
            for number in 0..<numbers { starts[number + 1] += starts[number] }
            var next = starts
            var positions = [UInt32](repeating: 0, count: Int(starts[numbers]))
            forEachPair { number, position in
                positions[Int(next[number])] = UInt32(position)
                next[number] += 1
            }
            (self.starts, self.positions) = (starts, positions)
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
    /// By the year of the first day, of stories that last no longer than one.
    private let years: Lists
    private let firstYear: Int
    /// Stories that last longer, or whose year is far from all others.
    private let others: [UInt32]

    /// Fewer points are found fast enough without.
    private static let fewest = 4_096
    /// The most years between the first and the last one.
    private static let mostYears = 4_096
    /// Years of 365.25 days counted from 1970: what lies in one is compared by days.
    private static func year(_ day: Int32) -> Int { Int((Double(day) / 365.25).rounded(.down)) }

    /// `nil` when there are too few points to be worth it.
    ///
    /// - Complexity: O(points and terms), about 24 bytes of memory for a point with one tag and one person.
    init?(_ rows: [IndexedStory], terms: (values: [UInt32], starts: [UInt32]), run: PointRun, words: Segment.Words) {
        guard run.rows.count >= FacetIndex.fewest else { return nil }
        count = run.rows.count
        func lists(_ numbers: Int, _ number: (IndexedStory) -> UInt32) -> Lists {
            Lists(numbers: numbers) { body in
                for (position, row) in run.rows.enumerated() {
                    let number = number(rows[Int(row)])
                    if number != IndexedStory.none { body(Int(number), position) }
                }
            }
        }
        kinds = lists(words.kinds.values.count) { $0.kind }
        owners = lists(words.owners.values.count) { $0.owner }
        collections = lists(words.collections.values.count) { $0.collection }
        self.terms = Lists(numbers: words.terms.values.count) { body in
            for (position, row) in run.rows.enumerated() {
                for index in terms.starts[Int(row)]..<terms.starts[Int(row) + 1] {
                    body(Int(terms.values[Int(index)]), position)
                }
            }
        }
        let dated = rows.lazy.filter { $0.first <= $0.last }.map { FacetIndex.year($0.first) }
        let from = max(dated.min() ?? 0, (dated.max() ?? 0) - FacetIndex.mostYears)
        let numbers = min(FacetIndex.mostYears, (dated.max() ?? 0) - from + 1)
        firstYear = from
        func bucket(_ story: IndexedStory) -> Int? {
            let year = FacetIndex.year(story.first) - from
            let isShort = Int64(story.last) - Int64(story.first) <= 365
            return isShort && (0..<numbers).contains(year) ? year : nil
        }
        years = Lists(numbers: numbers) { body in
            for (position, row) in run.rows.enumerated() {
                let story = rows[Int(row)]
                if story.first <= story.last, let year = bucket(story) { body(year, position) }
            }
        }
        others = run.rows.indices
            .filter { position in
                let story = rows[Int(run.rows[position])]
                return story.first <= story.last && bucket(story) == nil
            }
            .map { UInt32($0) }
    }

    /// The bytes of the lists.
    var bytes: Int {
        kinds.bytes + owners.bytes + collections.bytes + terms.bytes + years.bytes + others.bytes
    }

    /// The points whose stories have everything that is asked for, but for what ``Criteria/asksForMore`` says.
    ///
    /// `nil` when nothing is asked for that is known here.
    func positions(_ criteria: Criteria, in segment: Segment) -> PositionSet? {
        var result: PositionSet?
        func require(_ lists: Lists, _ numbers: NumberSet?) {
            guard let numbers else { return }
            var found = PositionSet(count: count)
            for number in numbers.numbers { found.insert(lists[Int(number)]) }
            result?.formIntersection(found)
            result = result ?? found
        }
        require(kinds, criteria.kinds)
        require(owners, criteria.owners)
        require(collections, criteria.collections)
        require(terms, criteria.tags)
        require(terms, criteria.people)
        if criteria.hasDates {
            let found = dated(criteria, in: segment)
            result?.formIntersection(found)
            result = result ?? found
        }
        return result
    }

    private func dated(_ criteria: Criteria, in segment: Segment) -> PositionSet {
        var found = PositionSet(count: count)
        func check(_ positions: some Sequence<UInt32>) {
            for position in positions
            where criteria.matchesDates(segment.rows[Int(segment.run.rows[Int(position)])]) { found.insert(position) }
        }
        let first = criteria.filter.from.map { FacetIndex.year($0.daysSince1970) }
        let last = criteria.filter.to.map { FacetIndex.year($0.daysSince1970) }
        for (year, list) in zip(firstYear..., years) where !list.isEmpty {
            // A story that lasts for a year can have begun in the year before, or in the one before that.
            if let first, year < first - 2 { continue }
            if let last, year > last { break }
            if first.map({ year > $0 }) ?? true, last.map({ year < $0 }) ?? true {
                found.insert(list)
            } else {
                check(list)
            }
        }
        check(others)
        return found
    }
}
