public import Geometry
public import Stories

/// The parameters of notices.
public struct NoticeOptions: Hashable, Sendable {
    /// The maximum distance in metres between two stories of one place.
    public var diameter = 150.0
    /// The maximum time that visits are collected before they are announced, in milliseconds.
    public var window: Int64 = 5_000
    /// The maximum number of places in one window that are announced separately; if there are more, all of them are
    /// announced in one notice.
    public var separatePlaces = 2
    /// How much a notice reveals to anyone who sees the screen.
    public var preview = NotificationSettings.Preview.count

    /// Creates the default options.
    public init() {}
}

/// Turns visits into notices: groups stories, names places, and announces nothing twice.
public struct NoticePlanner: Sendable {
    /// The planner's parameters.
    public let options: NoticeOptions

    /// Creates a planner.
    public init(options: NoticeOptions = NoticeOptions()) {
        self.options = options
    }

    /// Returns the notices of one user's visits, in the order in which they are written.
    ///
    /// The visits are first collected in windows, each of which stays open for the maximum time.
    ///
    /// `nearby` holds the stories that may be announced around the visited places, at least within
    /// ``NoticeOptions/diameter``; a story with several places occurs once for each of them, and appears in at most one
    /// notice: that of the place reached first. A notice is named after the place that was
    /// entered first, or the nearest of several entered at once; its text also names other places around it where some
    /// of the stories are. A visit produces no notice if nothing is left to announce at the place itself.
    ///
    /// `named` holds the named places that the user may know of. If the place entered lies in one of them, everything
    /// in the smallest such named place is announced together under its name, so `nearby` must contain all stories in
    /// it. Stories in a named place that was not entered are left for a visit to it, so `named` must also contain the
    /// named places within ``NoticeOptions/diameter``. `names` is consulted only if neither a named place nor a story
    /// gives the place a name. A visit to one of the places `alone` announces that place only.
    ///
    /// - Complexity: O(*s* log *s* + *v* · *n*) for *s* stories, *v* visits and *n* places in a band of latitude.
    public func plan(
        visits: [PlaceVisit],
        nearby: [NearbyStory],
        named: [NamedPlace] = [],
        alone: Set<PlaceID> = [],
        names: some PlaceNaming = NoPlaceNames()
    ) -> [Notice] {
        var window = VisitWindow(span: options.window)
        var windows: [[PlaceVisit]] = []
        for visit in visits.sorted(by: PlaceVisit.precedes) { windows.append(window.add(visit)) }
        windows.append(window.close())
        return plan(windows: windows, nearby: nearby, named: named, alone: alone, names: names)
    }

    /// Returns the notices of one user's visits that were already collected in windows, one window after the other; see
    /// ``plan(visits:nearby:named:alone:names:)``.
    public func plan(
        windows: [[PlaceVisit]],
        nearby: [NearbyStory],
        named: [NamedPlace] = [],
        alone: Set<PlaceID> = [],
        names: some PlaceNaming = NoPlaceNames()
    ) -> [Notice] {
        var places = StoryPlaces(nearby)
        return windows.flatMap { window in
            let window = window.sorted(by: PlaceVisit.precedes)
            return notices(window: window, places: &places, named: named, alone: alone, names: names)
        }
    }

    /// Returns the notice of a visit for the given stories, regardless of where each one is; `nil` if there are no
    /// stories.
    ///
    /// Used for a notice that was written before: stories announced together stay together. `isArea` means that it
    /// covers several places that were entered together; `named` is the named place that it was announced under.
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
        alone: Set<PlaceID>,
        names: some PlaceNaming
    ) -> [Notice] {
        var drafts: [NoticeDraft] = []
        var draftOfPlace: [PlaceID: Int] = [:]
        for visit in window {
            if let index = draftOfPlace[visit.placeID] {
                drafts[index].others.append(visit)
                continue
            }
            // If the place itself has no stories left, those at neighbouring places wait for a visit there: once
            // announced under the name of this place, they would not be announced again.
            guard places.holdsStories(at: visit.placeID) else { continue }
            let isAlone = alone.contains(visit.placeID)
            let isNamed = !isAlone && places.holdsExactStories(at: visit.placeID)
            let holder = isNamed ? named.naming(visit.coordinate) : nil
            let group: Set<PlaceID> =
                isAlone
                ? [visit.placeID]
                : holder.map { places.group(in: $0, of: visit) }
                    ?? places.group(around: visit, diameter: options.diameter, butNotIn: named)
            let stories = places.take(group, first: visit.placeID)
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

/// The visits and stories of one place, before the text is written.
struct NoticeDraft {
    /// The visit that opened the draft, to the place that gives it its name.
    let first: PlaceVisit
    /// The named place that contains the first visit.
    let named: NamedPlace?
    /// Later visits to places already in the draft.
    var others: [PlaceVisit] = []
    /// The stories, sorted by id, at least one.
    let stories: [NearbyStory]

    var visits: [PlaceVisit] { [first] + others }
}
