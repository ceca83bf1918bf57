public import Geometry
import Stories

extension MapSnapshot {
    /// Returns how many stories have each value of some facets, within the closed box if one is given.
    ///
    /// Without a box, stories without a location count too. Every count is exact, and a function of the stories visible
    /// to the viewer alone.
    ///
    /// - Complexity: O(*n* + *t* + *v* log *limit*) for the *n* points of the box (or all the stories of the viewer's
    /// layers), their *t* tags and persons, and *v* different values.
    public func facets(_ choice: FacetChoice, in box: BoundingBox? = nil, _ question: FacetQuery) -> FacetCounts {
        let scope = Scope(question.query, segments: segments)
        var sums = FacetSums(choice, first: segments.first?.words ?? Segment.Words())
        for index in scope.views.indices {
            var pass = FacetPass(scope.views[index], question, choice.facets)
            scope.forEachRow(ofSegment: index, in: box) { row, sign in pass.count(row, sign) }
            sums.add(&pass, isFirst: index == 0)
        }
        return sums.counts()
    }
}

/// Counts the values of one segment's stories.
struct FacetPass {
    /// The numbers of the facets whose values the segment numbers.
    fileprivate struct Tallies {
        var kinds: NumberTally
        var owners: NumberTally
        var collections: NumberTally
        var tags: TermTally
        var people: TermTally
    }

    /// The stories for each tag and person of a segment, of which only the tags or only the persons are meant.
    fileprivate struct TermTally {
        /// By key, however they are spelled.
        var keys: NumberTally
        /// By spelling.
        var spellings: NumberTally

        init(_ words: Segment.Words, isWanted: Bool) {
            keys = NumberTally(count: isWanted ? words.keys.values.count : 0)
            spellings = NumberTally(count: isWanted ? words.terms.values.count : 0)
        }
    }

    fileprivate let view: SegmentView
    private let facets: FacetSet
    private let among: PositionSet?
    private let except: PositionSet?
    private let collected: PositionSet?
    private let favourites: PositionSet
    private let onlyFavourites: Bool
    fileprivate var tallies: Tallies
    /// The counts by the index of the layer among the visible ones, others' stories first, then the viewer's own.
    fileprivate var views: [Int]
    fileprivate var families: [Int]
    private let audiences: [Audience]
    fileprivate var total = 0
    fileprivate var favouriteCount = 0

    init(_ view: SegmentView, _ question: FacetQuery, _ facets: FacetSet) {
        let segment = view.segment
        self.view = view
        self.facets = facets
        func rows(_ ids: Set<StoryID>) -> PositionSet {
            var rows = PositionSet(count: segment.rows.count)
            for id in ids {
                segment.forEachRow(of: id) { row in
                    rows.insert(UInt32(row))
                    return true
                }
            }
            return rows
        }
        among = (question.query.among?.ids).map(rows)
        except = question.query.except.isEmpty ? nil : rows(question.query.except)
        collected = (question.collected?.ids).map(rows)
        favourites = rows(question.favourites.ids)
        onlyFavourites = question.onlyFavourites
        let words = segment.words
        func tally(_ facet: FacetSet, _ count: Int) -> NumberTally {
            NumberTally(count: facets.contains(facet) ? count : 0)
        }
        tallies = Tallies(
            kinds: tally(.kinds, words.kinds.values.count),
            owners: tally(.owners, words.owners.values.count),
            collections: tally(.collections, words.collections.values.count),
            tags: TermTally(words, isWanted: facets.contains(.tags)),
            people: TermTally(words, isWanted: facets.contains(.people))
        )
        audiences = Audience.all(of: view, question.query)
        views = [Int](repeating: 0, count: audiences.count)
        families = views
    }

    /// Counts a row `sign` times.
    mutating func count(_ row: Int, _ sign: Int) {
        if let among, !among.contains(UInt32(row)) { return }
        if let except, except.contains(UInt32(row)) { return }
        guard let (missed, audience) = missed(row) else { return }
        if missed.isEmpty { total += sign }
        // A story that misses one facet counts for this facet alone.
        let counted = missed.isEmpty ? facets : facets.intersection(missed)
        guard !counted.isEmpty else { return }
        let story = view.segment.rows[row]
        if counted.contains(.kinds) { tallies.kinds.add(story.kind, sign) }
        if counted.contains(.owners) { tallies.owners.add(story.owner, sign) }
        if counted.contains(.collections) { tallies.collections.add(story.collection, sign) }
        if !counted.isDisjoint(with: [.tags, .people]) { countTerms(of: row, counted, sign) }
        if let audience {
            if counted.contains(.views) { views[audience] += sign }
            if counted.contains(.families) { families[audience] += sign }
        }
        if counted.contains(.favourites), favourites.contains(UInt32(row)) { favouriteCount += sign }
    }

    private mutating func countTerms(of row: Int, _ counted: FacetSet, _ sign: Int) {
        let terms = view.segment.terms(of: row)
        let keys = view.segment.words.keysOfTerms
        // A story may repeat a tag, in one spelling or in several, and counts once.
        for index in terms.indices where !terms[..<index].contains(terms[index]) {
            let key = keys[Int(terms[index])]
            let isFirst = !terms[..<index].contains { keys[Int($0)] == key }
            func add(_ tally: inout TermTally) {
                tally.spellings.add(terms[index], sign)
                if isFirst { tally.keys.add(key, sign) }
            }
            if counted.contains(.tags) { add(&tallies.tags) }
            if counted.contains(.people) { add(&tallies.people) }
        }
    }

    /// Returns the only facet whose condition the story misses, none if it matches the query, and the index of its
    /// audience if that was looked up; `nil` if it counts for nothing.
    private func missed(_ row: Int) -> (FacetSet, audience: Int?)? {
        var missed: FacetSet = []
        if let collected, !collected.contains(UInt32(row)) { missed.insert(.collections) }
        if onlyFavourites, !favourites.contains(UInt32(row)) { missed.insert(.favourites) }
        if let criteria = view.criteria {
            if criteria.hasDates, !criteria.matchesDates(view.story(row)) { return nil }
            let story = view.segment.rows[row]
            if let kinds = criteria.kinds, !kinds.contains(story.kind) { missed.insert(.kinds) }
            if let owners = criteria.owners, !owners.contains(story.owner) { missed.insert(.owners) }
            if let wanted = criteria.collections, !wanted.contains(story.collection) { missed.insert(.collections) }
            if criteria.tags != nil || criteria.people != nil {
                let terms = view.segment.terms(of: row)
                if !criteria.admits(terms, criteria.tags) { missed.insert(.tags) }
                if !criteria.admits(terms, criteria.people) { missed.insert(.people) }
            }
        }
        var audience: Int?
        if view.criteria?.asksForAudience == true || !facets.isDisjoint(with: [.views, .families]) {
            guard let index = audienceIndex(of: row) else { return nil }
            missed.formUnion(audiences[index].missed)
            audience = index
        }
        return missed.rawValue.nonzeroBitCount > 1 ? nil : (missed, audience)
    }

    private func audienceIndex(of row: Int) -> Int? {
        let number = view.segment.rows[row].layer
        var (low, high) = (0, view.layers.count)
        while low < high {
            let middle = (low + high) / 2
            if view.layers[middle].number < number { low = middle + 1 } else { high = middle }
        }
        guard low < view.layers.count, view.layers[low].number == number else { return nil }
        return 2 * low + (view.isOwn(row) ? 1 : 0)
    }

    /// Calls `body` with the views and families of each audience, and the number of stories counted for each.
    fileprivate func forEachAudience(_ body: (_ audience: Audience, _ views: Int, _ families: Int) -> Void) {
        for (index, audience) in audiences.enumerated() { body(audience, views[index], families[index]) }
    }
}

/// What is the same for all stories of a layer that the viewer owns, or for all that others own.
private struct Audience {
    /// The conditions of the query that these stories miss.
    let missed: FacetSet
    let views: [StoryFilter.View]
    let families: [FamilyID]

    /// Returns two audiences for each visible layer of a segment: others' stories, then the viewer's own.
    static func all(of view: SegmentView, _ query: StoryQuery) -> [Audience] {
        let viewer = query.viewer
        // The result depends only on whether the owner is the viewer, so any other user represents all others.
        let others = UserID(viewer.user?.rawValue == "a" ? "b" : "a")
        return view.layers.flatMap { visible in
            [others, viewer.user ?? others]
                .compactMap { owner in
                    owner.map { Audience(view.segment.words.layers[visible.number], owner: $0, query) }
                }
        }
    }

    private init(_ layer: VisibilityLayer, owner: UserID, _ query: StoryQuery) {
        let viewer = query.viewer
        func matches(_ views: Set<StoryFilter.View>, _ families: Set<FamilyID>) -> Bool {
            var filter = StoryFilter()
            (filter.views, filter.families) = (views, families)
            return filter.matchesAudience(layer: layer, owner: owner, viewer: viewer)
        }
        var missed: FacetSet = []
        if !matches(query.filter.views, []) { missed.insert(.views) }
        if !matches([], query.filter.families) { missed.insert(.families) }
        self.missed = missed
        views = StoryFilter.View.allCases.filter { matches([$0], []) }
        families = viewer.families.keys.filter { matches([], [$0]) }
    }
}

/// The counts of all segments together.
private struct FacetSums {
    let choice: FacetChoice
    var total = 0
    var favourites = 0
    var kinds: ValueTally<StoryKind>
    var owners: ValueTally<UserID>
    var collections: ValueTally<String>
    var tags: TermSums
    var people: TermSums
    var views: [StoryFilter.View: Int] = [:]
    var families: [FamilyID: Int] = [:]

    init(_ choice: FacetChoice, first words: Segment.Words) {
        self.choice = choice
        kinds = ValueTally(words.kinds)
        owners = ValueTally(words.owners)
        collections = ValueTally(words.collections)
        tags = TermSums(words)
        people = TermSums(words)
    }

    mutating func add(_ pass: inout FacetPass, isFirst: Bool) {
        total += pass.total
        favourites += pass.favouriteCount
        pass.forEachAudience { audience, inViews, inFamilies in
            for view in audience.views { views[view, default: 0] += inViews }
            for family in audience.families { families[family, default: 0] += inFamilies }
        }
        let words = pass.view.segment.words
        kinds.add(&pass.tallies.kinds, words.kinds, isBase: isFirst)
        owners.add(&pass.tallies.owners, words.owners, isBase: isFirst)
        collections.add(&pass.tallies.collections, words.collections, isBase: isFirst)
        tags.add(&pass.tallies.tags, words, isBase: isFirst)
        people.add(&pass.tallies.people, words, isBase: isFirst)
    }

    mutating func counts() -> FacetCounts {
        var counts = FacetCounts()
        counts.total = total
        counts.favourites = favourites
        func list(_ facet: FacetSet, _ forEach: (_ add: (String, Int) -> Void) -> Void) {
            if choice.facets.contains(facet) { counts.values[facet] = FacetValues(choice, forEach) }
        }
        list(.kinds) { add in kinds.drain { add($0.rawValue, $1) } }
        list(.owners) { add in owners.drain { add($0.rawValue, $1) } }
        list(.collections) { add in collections.drain { add($0, $1) } }
        list(.tags) { add in
            tags.drain { if case .tag(let name) = $0 { add(name, $1) } }
        }
        list(.people) { add in
            people.drain { if case .person(let name) = $0 { add(name, $1) } }
        }
        list(.views) { add in
            for (view, count) in views where count > 0 { add(view.rawValue, count) }
        }
        list(.families) { add in
            for (family, count) in families where count > 0 { add(family.rawValue, count) }
        }
        return counts
    }
}

/// The counts of tags or persons over all segments.
private struct TermSums {
    private var keys: ValueTally<Segment.Term>
    private var spellings: ValueTally<Segment.Spelling>

    init(_ words: Segment.Words) {
        keys = ValueTally(words.keys)
        spellings = ValueTally(words.terms)
    }

    mutating func add(_ tally: inout FacetPass.TermTally, _ words: Segment.Words, isBase: Bool) {
        keys.add(&tally.keys, words.keys, isBase: isBase)
        spellings.add(&tally.spellings, words.terms, isBase: isBase)
    }

    /// Calls `body` with every tag or person that has stories, in the spelling of most of these stories, of equally
    /// common ones the first; no other spelling shows, nor takes part.
    mutating func drain(_ body: (_ value: Segment.Term, _ count: Int) -> Void) {
        var common: [Segment.Term: (spelling: Segment.Term, count: Int)] = [:]
        spellings.drain { spelling, count in
            guard let known = common[spelling.key] else { return common[spelling.key] = (spelling.term, count) }
            let isMore =
                known.count != count
                ? count > known.count
                : spelling.term.text.utf8.lexicographicallyPrecedes(known.spelling.text.utf8)
            if isMore { common[spelling.key] = (spelling.term, count) }
        }
        keys.drain { key, count in body(common[key]?.spelling ?? key, count) }
    }
}
