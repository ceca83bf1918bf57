import Folding
import Stories

/// Attributes of stories by which a viewer can narrow a map (MAP-09).
public struct FacetSet: OptionSet, Hashable, Sendable {
    /// A bit for each facet.
    public let rawValue: UInt8

    /// Creates a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The kinds of stories.
    public static let kinds = FacetSet(rawValue: 1)
    /// The tags.
    public static let tags = FacetSet(rawValue: 2)
    /// The persons.
    public static let people = FacetSet(rawValue: 4)
    /// The owners.
    public static let owners = FacetSet(rawValue: 8)
    /// The names of collections, as stories give them.
    public static let collections = FacetSet(rawValue: 16)
    /// The views, see ``StoryFilter/View``.
    public static let views = FacetSet(rawValue: 32)
    /// The families of the viewer.
    public static let families = FacetSet(rawValue: 64)
    /// The viewer's favourites.
    public static let favourites = FacetSet(rawValue: 128)
}

/// A query whose facets are counted: the parts that a facet leaves out to count its own values are kept apart.
public struct FacetQuery: Sendable {
    /// The query, without favourites; its filter names collections unless ``collected`` is given.
    public var query: StoryQuery
    /// The stories of the wanted collections, if these are given by id; otherwise `nil`.
    public var collected: StorySet?
    /// The viewer's favourites.
    public var favourites: StorySet
    /// Whether only favourites are wanted.
    public var onlyFavourites: Bool

    /// Creates a query for facets.
    public init(
        _ query: StoryQuery,
        collected: StorySet? = nil,
        favourites: StorySet = StorySet([]),
        onlyFavourites: Bool = false
    ) {
        self.query = query
        self.collected = collected
        self.favourites = favourites
        self.onlyFavourites = onlyFavourites
    }
}

/// The most frequent values of a facet.
public struct FacetValues: Hashable, Sendable {
    /// A value with the number of stories that have it.
    public struct Entry: Hashable, Sendable {
        /// The value, as the filter takes it.
        public let value: String
        /// The number of stories, at least one.
        public let count: Int
    }

    /// The most frequent values: those of most stories first, then by value.
    public var entries: [Entry] = []
    /// The number of values that some story has, listed or not.
    public var distinct = 0

    /// Creates the values of a facet that no story has.
    public init() {}
}

/// The numbers of stories for the values of each facet.
///
/// The count of a value is the number of stories that the query would find if its facet wanted this value and nothing
/// else; all other conditions of the query apply.
public struct FacetCounts: Hashable, Sendable {
    /// The number of stories that match the whole query.
    public var total = 0
    /// The values of the facets with values, none for those not asked for.
    public var values: [FacetSet: FacetValues] = [:]
    /// The number of favourites; 0 if not asked for.
    public var favourites = 0
}

/// The values of a facet to list.
public struct FacetChoice: Sendable {
    /// The facets.
    public var facets: FacetSet
    /// The maximum number of values per facet.
    public var limit: Int
    /// Only values of which a word begins like this, folded as ``TermFolding`` does; empty for all.
    public var prefix: String

    /// Creates a choice.
    public init(_ facets: FacetSet, limit: Int, prefix: String = "") {
        self.facets = facets
        self.limit = limit
        self.prefix = TermFolding.key(prefix)
    }

    /// Returns whether a value begins with the prefix, at any of its words.
    func admits(_ value: String) -> Bool {
        guard !prefix.isEmpty else { return true }
        let value = TermFolding.key(value)
        if value.hasPrefix(prefix) { return true }
        return value.indices.contains { index in
            value[index] == " " && value[value.index(after: index)...].hasPrefix(prefix)
        }
    }
}

extension FacetValues {
    /// Collects the most frequent of the values that `forEach` passes.
    init(_ choice: FacetChoice, _ forEach: (_ add: (_ value: String, _ count: Int) -> Void) -> Void) {
        var best = BestFew<Entry>(choice.limit) { a, b in a.count != b.count ? a.count > b.count : a.value < b.value }
        var distinct = 0
        forEach { value, count in
            guard choice.admits(value) else { return }
            distinct += 1
            best.consider(Entry(value: value, count: count))
        }
        entries = best.sorted()
        self.distinct = distinct
    }
}
