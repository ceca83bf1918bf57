import Geometry
public import Stories

/// The numbers notices are made by.
public struct NoticeOptions: Hashable, Sendable {
    /// The largest distance in metres between two stories of one place.
    public var diameter = 150.0
    /// How long visits are collected at most before they are announced, in milliseconds.
    public var window: Int64 = 5_000
    /// The most places of one window that are announced one by one; more become one notice.
    public var separatePlaces = 2
    /// How much a notice gives away to whoever sees the screen.
    public var preview = NotificationSettings.Preview.count

    /// Creates the default options.
    public init() {}
}

/// Makes notices of visits: what is told together, what it is called, and nothing twice.
public struct NoticePlanner: Sendable {
    /// The numbers it works by.
    public let options: NoticeOptions

    /// Creates a planner.
    public init(options: NoticeOptions = NoticeOptions()) {
        self.options = options
    }

    /// Returns the notices of one user's visits, in the order they are to be written; each window is as long as it can be.
    ///
    /// `nearby` holds the stories that may be announced around the visited places, at least within
    /// ``NoticeOptions/diameter``; a story appears in one notice at most. A notice has the name of the place that was
    /// entered first, of several at once the nearest; what it tells of places around that one it says in its text. Where
    /// nothing is left to be told of a place itself, its visit tells nothing. Where the place entered lies in one of
    /// `named`, the named places that the user may know of, all that lies in the smallest such is told together and under
    /// its name; `nearby` must then reach as far. What lies in one that was not entered is left for whoever enters it, so
    /// `named` must hold those within ``NoticeOptions/diameter`` as well. `names` is asked only where no named place and no
    /// story says what the place is called.
    ///
    /// - Complexity: O(*s* log *s* + *v* · *n*) for *s* stories, *v* visits and *n* places in a band of latitude.
    public func plan(
        visits: [PlaceVisit],
        nearby: [NearbyStory],
        named: [NamedPlace] = [],
        names: some PlaceNaming = NoPlaceNames()
    ) -> [Notice] {
        var window = VisitWindow(span: options.window)
        var windows: [[PlaceVisit]] = []
        for visit in visits.sorted(by: PlaceVisit.precedes) { windows.append(window.add(visit)) }
        windows.append(window.close())
        return plan(windows: windows, nearby: nearby, named: named, names: names)
    }

    /// Returns the notices of one user's visits that were collected in windows, one window after the other.
    public func plan(
        windows: [[PlaceVisit]],
        nearby: [NearbyStory],
        named: [NamedPlace] = [],
        names: some PlaceNaming = NoPlaceNames()
    ) -> [Notice] {
        var places = StoryPlaces(nearby)
        return windows.flatMap {
            notices(window: $0.sorted(by: PlaceVisit.precedes), places: &places, named: named, names: names)
        }
    }

    /// Returns the notice of a visit in the words that fit these stories, wherever each of them is; `nil` for none.
    ///
    /// For a notice that was written before: what was told together stays together. `isArea` says that it tells of several
    /// places that were entered together, `named` is the named place that it was told under.
    public func notice(
        of visit: PlaceVisit,
        tellingOf stories: [NearbyStory],
        isArea: Bool = false,
        under named: NamedPlace? = nil,
        names: some PlaceNaming = NoPlaceNames()
    ) -> Notice? {
        guard !stories.isEmpty else { return nil }
        let draft = NoticeDraft(first: visit, named: named, stories: stories.sorted { $0.id < $1.id })
        let writer = NoticeWriter(preview: options.preview, readyAt: visit.decidedAt)
        return isArea ? writer.notice(merging: [draft], names: names) : writer.notice(of: draft, names: names)
    }

    private func notices(
        window: [PlaceVisit],
        places: inout StoryPlaces,
        named: [NamedPlace],
        names: some PlaceNaming
    ) -> [Notice] {
        var drafts: [NoticeDraft] = []
        var draftOfPlace: [PlaceID: Int] = [:]
        for visit in window {
            if let index = draftOfPlace[visit.placeID] {
                drafts[index].others.append(visit)
                continue
            }
            // Its neighbours are for whoever comes to them: told under its name they would be used up for nothing.
            guard places.holdsStories(at: visit.placeID) else { continue }
            let holder = places.holdsExactStories(at: visit.placeID) ? named.naming(visit.coordinate) : nil
            let group =
                holder.map { places.group(in: $0, of: visit) }
                ?? places.group(around: visit, diameter: options.diameter, butNotIn: named)
            let stories = places.take(group)
            for place in group { draftOfPlace[place] = drafts.count }
            drafts.append(NoticeDraft(first: visit, named: holder, stories: stories))
        }
        guard let opened = window.first?.decidedAt.milliseconds else { return [] }
        let (closes, overflow) = opened.addingReportingOverflow(VisitWindow(span: options.window).span)
        let writer = NoticeWriter(
            preview: options.preview,
            readyAt: Timestamp(milliseconds: overflow ? opened : closes)
        )
        if drafts.count > options.separatePlaces { return [writer.notice(merging: drafts, names: names)] }
        return drafts.map { writer.notice(of: $0, names: names) }
    }
}

/// The visits and stories of one place, before words are found for them.
struct NoticeDraft {
    /// The visit that opened it, to the place that gives it its name.
    let first: PlaceVisit
    /// The named place that the first one lies in.
    let named: NamedPlace?
    /// Visits to places that it already held.
    var others: [PlaceVisit] = []
    /// Sorted by id, at least one.
    let stories: [NearbyStory]

    var visits: [PlaceVisit] { [first] + others }
}
