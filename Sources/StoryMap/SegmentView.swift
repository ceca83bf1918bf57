import Folding
import Stories

/// A segment as seen by one query: the viewer's layers resolved, the filter's strings mapped to numbers.
struct SegmentView: Sendable {
    /// A layer that the viewer sees.
    struct VisibleLayer: Sendable {
        let number: UInt32
        let layer: Segment.Layer
        /// Whether the requested audience includes the viewer's own stories of this layer.
        let wantsOwn: Bool
        /// Whether the requested audience includes other users' stories of this layer.
        let wantsOthers: Bool
    }

    let segment: Segment
    /// The layers, sorted by number.
    let layers: [VisibleLayer]
    let criteria: Criteria?
    /// Whether the viewer is signed in: anonymous viewers never see more precise times.
    let isSomebody: Bool
    private let viewerNumber: UInt32?

    init(_ segment: Segment, query: StoryQuery, layers: [VisibilityLayer]) {
        self.segment = segment
        self.layers =
            layers.compactMap { layer in
                guard let number = segment.words.layers.number(of: layer) else { return nil }
                return SegmentView.visible(layer, number: number, in: segment, query: query)
            }
            .sorted { $0.number < $1.number }
        criteria = query.isUnfiltered ? nil : Criteria(query, in: segment.words)
        isSomebody = query.viewer.user != nil
        viewerNumber = query.viewer.user.flatMap { segment.words.owners.number(of: $0) }
    }

    private static func visible(
        _ layer: VisibilityLayer,
        number: UInt32,
        in segment: Segment,
        query: StoryQuery
    ) -> VisibleLayer {
        let viewer = query.viewer
        let own = viewer.user.map { query.filter.matchesAudience(layer: layer, owner: $0, viewer: viewer) }
        // The result depends only on whether the owner is the viewer, so any other user represents all others.
        let other = UserID(viewer.user?.rawValue == "a" ? "b" : "a")
        let others = other.map { query.filter.matchesAudience(layer: layer, owner: $0, viewer: viewer) }
        return VisibleLayer(
            number: number,
            layer: segment.layers[Int(number)],
            wantsOwn: own ?? false,
            wantsOthers: others ?? false
        )
    }

    /// Returns the viewer's layer with this number, or `nil` if they may not see it.
    func layer(_ number: UInt32) -> VisibleLayer? {
        var low = 0
        var high = layers.count
        while low < high {
            let middle = (low + high) / 2
            if layers[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low < layers.count && layers[low].number == number ? layers[low] : nil
    }

    /// Whether everything visible is wanted.
    var isUnfiltered: Bool { criteria == nil }

    /// Returns whether the viewer owns the story of a row.
    func isOwn(_ row: Int) -> Bool { segment.rows[row].owner == viewerNumber }

    /// Returns whether the story of a row, which the viewer may see, is wanted.
    func wants(_ row: Int) -> Bool {
        guard let criteria else { return true }
        let story = criteria.hasDates ? story(row) : segment.rows[row]
        guard criteria.matches(story, terms: segment.terms(of: row)) else { return false }
        guard criteria.asksForAudience else { return true }
        guard let layer = layer(story.layer) else { return false }
        return isOwn(row) ? layer.wantsOwn : layer.wantsOthers
    }
}

/// A filter expressed in the numbers of one segment.
final class Criteria: Sendable {
    let kinds: NumberSet?
    let owners: NumberSet?
    let collections: NumberSet?
    /// The keys of the wanted tags and persons.
    let tags: NumberSet?
    let people: NumberSet?
    /// The key of each spelling.
    private let keysOfTerms: [UInt32]
    let filter: StoryFilter
    let hasDates: Bool
    /// Whether a first or a last day is wanted, which a ``FacetIndex`` covers.
    var hasSpan: Bool { filter.from != nil || filter.to != nil }
    private let among: Set<StoryID>?
    private let except: Set<StoryID>
    let asksForAudience: Bool

    /// Whether any criteria are not covered by a ``FacetIndex``.
    var asksForMore: Bool { filter.on != nil || asksForAudience || among != nil || !except.isEmpty }

    init(_ query: StoryQuery, in words: Segment.Words) {
        filter = query.filter
        kinds = NumberSet(filter.kinds) { words.kinds.number(of: $0) }
        owners = NumberSet(filter.owners) { words.owners.number(of: $0) }
        collections = NumberSet(filter.collections) { words.collections.number(of: $0) }
        tags = NumberSet(Set(filter.tags.map(TermFolding.key))) { words.keys.number(of: .tag($0)) }
        people = NumberSet(Set(filter.people.map(TermFolding.key))) { words.keys.number(of: .person($0)) }
        keysOfTerms = words.keysOfTerms
        hasDates = filter.hasDates
        among = query.among?.ids
        except = query.except
        asksForAudience = !filter.views.isEmpty || !filter.families.isEmpty
    }

    func matches(_ story: IndexedStory, terms: ArraySlice<UInt32>) -> Bool {
        if let kinds, !kinds.contains(story.kind) { return false }
        if let owners, !owners.contains(story.owner) { return false }
        if let collections, !collections.contains(story.collection) { return false }
        if !admits(terms, tags) || !admits(terms, people) { return false }
        if hasDates, !matchesDates(story) { return false }
        if let among, !among.contains(story.id) { return false }
        return except.isEmpty || !except.contains(story.id)
    }

    /// Returns whether one of a story's tags and persons is wanted, however it is spelled; `nil` means any.
    func admits(_ terms: ArraySlice<UInt32>, _ wanted: NumberSet?) -> Bool {
        guard let wanted else { return true }
        return terms.contains { wanted.contains(keysOfTerms[Int($0)]) }
    }

    /// Returns whether the days of the story match the filter.
    func matchesDates(_ story: IndexedStory) -> Bool {
        guard story.first <= story.last else { return filter.matchesDates(first: nil, last: nil) }
        let first = CalendarDay(daysSince1970: story.first)
        return filter.matchesDates(first: first, last: CalendarDay(daysSince1970: story.last))
    }
}

/// A small set of numbers.
struct NumberSet: Sendable {
    let numbers: [UInt32]

    /// Creates the set of the numbers of `values`, or `nil` if there are no values, which means "any".
    ///
    /// An unused value is searched for like any other, so that the time taken does not reveal whether a story hidden
    /// from the viewer has it.
    init?<Value>(_ values: Set<Value>, number: (Value) -> UInt32?) {
        if values.isEmpty { return nil }
        numbers = values.map { number($0) ?? NumberSet.unused }.sorted()
    }

    /// A number that is never used; see also ``IndexedStory/none``.
    private static let unused = UInt32.max - 1

    func contains(_ number: UInt32) -> Bool {
        guard numbers.count > 8 else { return numbers.contains(number) }
        var low = 0
        var high = numbers.count
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low < numbers.count && numbers[low] == number
    }
}
