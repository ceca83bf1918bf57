import Folding

/// A filter on the visible stories (MAP-09): a story must match every field, with any of the field's values.
///
/// Text is matched by the store, which has the texts; everything else is evaluated by ``matches(_:viewer:)``.
public struct StoryFilter: Hashable, Sendable {
    /// The views of the map.
    public enum View: String, CaseIterable, Hashable, Sendable {
        /// Public stories of all users.
        case shared
        /// Stories shared with families of the viewer, including the viewer's own.
        case family
        /// The viewer's own stories.
        case mine
    }

    /// The wanted kinds; empty means any.
    public var kinds: Set<StoryKind> = []
    /// The wanted tags, without regard to case and accents; empty means any.
    public var tags: Set<String> = []
    /// The wanted persons, without regard to case and accents; empty means any.
    public var people: Set<String> = []
    /// The wanted owners; empty means any.
    public var owners: Set<UserID> = []
    /// The wanted families, empty meaning any; a family that the viewer does not belong to matches nothing.
    public var families: Set<FamilyID> = []
    /// The wanted collections; empty means any.
    public var collections: Set<String> = []
    /// The wanted views; empty means everything visible.
    public var views: Set<View> = []
    /// The first wanted day, inclusive.
    public var from: CalendarDay?
    /// The last wanted day, inclusive.
    public var to: CalendarDay?
    /// The wanted day of any year; see ``DayOfYear/isWithin(first:last:)`` for the dates that match.
    public var on: DayOfYear?
    /// Whether undated stories match any ``from`` and ``to``, as OGC API – Features asks of `datetime`; no ``on``.
    public var includesUndated = false

    /// Creates a filter that matches everything.
    public init() {}

    /// Whether the filter matches everything.
    public var isEmpty: Bool { self == StoryFilter() }

    /// Returns whether a story that the viewer may see matches.
    public func matches(_ story: Story, viewer: Viewer) -> Bool {
        func wanted<Value: Hashable>(_ set: Set<Value>, _ value: Value?) -> Bool {
            set.isEmpty || value.map(set.contains) == true
        }
        guard wanted(kinds, story.kind), wanted(owners, story.owner), wanted(collections, story.collection) else {
            return false
        }
        guard StoryFilter.admits(story.tags, tags), StoryFilter.admits(story.people, people) else { return false }
        guard matchesDates(story.times(for: viewer).date) else { return false }
        return matchesAudience(layer: story.layer, owner: story.owner, viewer: viewer)
    }

    /// Returns whether one of a story's tags or persons is wanted.
    private static func admits(_ terms: [String], _ wanted: Set<String>) -> Bool {
        guard !wanted.isEmpty else { return true }
        let keys = Set(wanted.map(TermFolding.key))
        return terms.contains { keys.contains(TermFolding.key($0)) }
    }

    private func matchesDates(_ date: StoryDate?) -> Bool { matchesDates(first: date?.first, last: date?.last) }

    /// Whether a condition on the days of stories is specified.
    public var hasDates: Bool { from != nil || to != nil || on != nil }

    /// Returns whether a span of days overlaps the wanted one and includes the wanted day of the year; undated stories
    /// match only if no day is specified, or by ``includesUndated``.
    public func matchesDates(first: CalendarDay?, last: CalendarDay?) -> Bool {
        guard hasDates else { return true }
        guard let first, let last else { return includesUndated && on == nil }
        guard on?.isWithin(first: first, last: last) ?? true else { return false }
        return from.map { last >= $0 } ?? true && to.map { first <= $0 } ?? true
    }

    /// Returns whether the wanted views and families include a story with this layer and owner.
    public func matchesAudience(layer: VisibilityLayer, owner: UserID, viewer: Viewer) -> Bool {
        let inView =
            views.isEmpty
            || views.contains { view in
                switch (view, layer) {
                case (.shared, .public), (.family, .kin), (.family, .group): true
                case (.mine, _): owner == viewer.user
                default: false
                }
            }
        guard inView, !families.isEmpty else { return inView }
        return families.contains { family in
            guard let members = viewer.families[family] else { return false }
            switch layer {
            case .group(let named): return named == family
            case .kin(let kin): return members.contains(kin)
            default: return false
            }
        }
    }
}
