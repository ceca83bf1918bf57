import Geofencing
import Geometry
import Notifications
import Storage
import Stories
import StoryMap

/// Turns the evaluator's entries into notices: the only place where geofences and notifications meet.
///
/// Everything is computed from the stories the user may see at this moment, using only their published points.
package struct FenceNotifications: Sendable {
    let snapshot: MapSnapshot
    let viewer: Viewer
    let settings: NotificationSettings
    /// The stories the viewer has hidden from their own views.
    let hidden: Set<StoryID>
    /// The current time, for temporarily muted places.
    let now: Timestamp
    /// Names points for which no story has a name.
    let placeNames: GazetteerNames

    /// A source of ledger entries and of the data for texts.
    protocol Source {
        /// Returns the stories with these ids.
        func stories(_ ids: [StoryID]) throws -> [StoryID: Story]
        /// Returns the location epoch of each story: the number of times it has moved far.
        func locationEpochs(_ ids: [StoryID]) throws -> [StoryID: Int]
        /// Returns whether the story was announced to the user at this location epoch.
        func isTold(_ story: StoryID, locationEpoch: Int) throws -> Bool
        /// Returns which of these stories the user has viewed.
        func viewed(among ids: [StoryID]) throws -> Set<StoryID>
        /// Returns the names under which the viewer sees these people.
        func callNames(of people: Set<UserID>) throws -> [UserID: String]
        /// Returns the named places that the viewer may know of, within a distance of any of these points.
        func namedPlaces(
            within metres: Double,
            of points: [Coordinate],
            visibleTo viewer: Viewer
        ) throws -> [NamedPlace]
    }

    /// Returns the evaluator with the user's settings.
    func evaluator(explains: Bool = false) -> FenceEvaluator {
        var options = FenceOptions()
        options.minimumDwell = Int64(settings.minimumDwell) * 1_000
        options.maximumSpeed = settings.maximumSpeed
        options.explains = explains
        return FenceEvaluator(options: options)
    }

    /// The fences around the places with wanted stories.
    var fences: MapFences {
        MapFences(snapshot: snapshot, query: query, radius: settings.radius, overrides: overrides, now: now)
    }

    private var overrides: [PlaceID: PlaceSetting] {
        Dictionary(settings.places.map { ($0.place, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the places in a box, and the lines and areas that touch it, with the wanted stories at each.
    func places(in box: BoundingBox) -> [PlaceID: MapPlace] { fences.places(in: box) }

    /// The query for the stories the viewer wants to be notified of.
    var query: StoryQuery {
        var query = StoryQuery(viewer: viewer)
        query.filter.kinds = settings.kinds
        query.except = hidden
        return query
    }

    /// Returns the notices for visits, which are collected in windows.
    ///
    /// Stories announced before are left out, as are viewed stories and the user's own unless the user wants them.
    func notices(for windows: [[PlaceVisit]], from source: some Source) throws -> [Notice] {
        let visits = Array(windows.joined())
        // If the type is switched off, nothing is announced, and so nothing is recorded as announced.
        guard !visits.isEmpty, settings.delivery.makes(.nearby) else { return [] }
        var options = NoticeOptions()
        options.preview = settings.preview
        let alone = outlinedPlaces(of: visits)
        let points = visits.filter { !alone.contains($0.placeID) }.map(\.coordinate)
        let named = try source.namedPlaces(within: options.diameter, of: points, visibleTo: viewer)
        let entered = named.filter { place in points.contains { place.contains($0) } }
        let around = visits.map { BoundingBox($0.coordinate).expanded(byMetres: 2 * options.diameter) }
        let nearby = try nearbyStories(in: around + entered.map(\.box), from: source)
        return NoticePlanner(options: options)
            .plan(windows: windows, nearby: nearby, named: named, alone: alone, names: placeNames)
    }

    /// Returns which of the visited places are lines or areas: who enters one can be far from its point, and so from the
    /// places around that.
    private func outlinedPlaces(of visits: [PlaceVisit]) -> Set<PlaceID> {
        guard snapshot.hasOutlines else { return [] }
        return Set(visits.lazy.map(\.placeID))
            .filter { place in
                let box = BoundingBox(place.coordinate).expanded(byMetres: 3)
                return places(in: box)[place]?.outline != nil
            }
    }

    func visit(_ entry: FenceEntry) -> PlaceVisit {
        PlaceVisit(
            placeID: entry.place,
            coordinate: entry.coordinate,
            kind: entry.kind == .entered ? .entered : .passed,
            at: Timestamp(milliseconds: entry.at),
            decidedAt: Timestamp(milliseconds: entry.decidedAt),
            confidence: entry.confidence,
            distance: entry.distance,
            isSimulated: entry.isSimulated
        )
    }

    /// Returns why a story at a visited place is not announced, or `nil` if it is.
    func silence(of story: Story, isViewed: Bool, isTold: () throws -> Bool) rethrows -> NoticeSilence? {
        if !settings.notifiesOwn, story.owner == viewer.user { return .own }
        if isViewed { return .viewed }
        return try isTold() ? .told : nil
    }

    private func nearbyStories(
        in boxes: [BoundingBox],
        from source: some Source
    ) throws -> [Notifications.NearbyStory] {
        var places: [PlaceID: MapPlace] = [:]
        for box in boxes { places.merge(self.places(in: box)) { _, place in place } }
        let ids = Set(places.values.lazy.flatMap(\.stories)).sorted()
        let stories = try source.stories(ids)
        let epochs = try source.locationEpochs(ids)
        let viewed = settings.notifiesViewed ? [] : try source.viewed(among: ids)
        let tellers = settings.preview == .full ? try source.callNames(of: Set(stories.values.map(\.owner))) : [:]
        let wanted = wantedPlaces(of: stories.values, in: places)
        return try ids.flatMap { id -> [Notifications.NearbyStory] in
            guard let story = stories[id] else { return [] }
            let epoch = epochs[id] ?? 0
            return try Notifications.NearbyStory
                .everywhere(story, locationEpoch: epoch, to: viewer, tellers: tellers)
                .filter { near in
                    guard story.places.isEmpty || wanted[id]?.contains(near.placeID) ?? false else { return false }
                    return try silence(of: story, isViewed: viewed.contains(id)) { try source.isTold(near) } == nil
                }
        }
    }

    /// Returns the places at which each story with further places is wanted: a user can mute one of them alone.
    private func wantedPlaces(
        of stories: some Sequence<Story>,
        in places: [PlaceID: MapPlace]
    ) -> [StoryID: Set<PlaceID>] {
        let several = Set(stories.lazy.filter { !$0.places.isEmpty }.map(\.id))
        guard !several.isEmpty else { return [:] }
        var wanted: [StoryID: Set<PlaceID>] = [:]
        for (id, place) in places {
            for story in place.stories where several.contains(story) { wanted[story, default: []].insert(id) }
        }
        return wanted
    }
}

extension FenceNotifications.Source {
    /// Returns whether a story was announced to the user so that it is not announced again at a place; see
    /// ``LocationEpoch/silencing(_:isFurther:)``.
    func isTold(_ story: StoryID, locationEpoch: Int, isFurther: Bool) throws -> Bool {
        try LocationEpoch.silencing(locationEpoch, isFurther: isFurther)
            .contains { try isTold(story, locationEpoch: $0) }
    }

    /// Returns whether a story was announced to the user so that it is not announced again where it is.
    func isTold(_ near: Notifications.NearbyStory) throws -> Bool {
        try isTold(near.id, locationEpoch: near.locationEpoch, isFurther: near.further != nil)
    }
}
