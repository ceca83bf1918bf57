import Geofencing
import Geometry
import Notifications
import Storage
import Stories
import StoryMap

/// Turns what the evaluator finds into what a person is told: the one place where geofences and notifications meet.
///
/// Everything is computed from what the user may see at this moment, and from published points alone.
package struct FenceNotifications: Sendable {
    let snapshot: MapSnapshot
    let viewer: Viewer
    let settings: NotificationSettings
    /// What the viewer has hidden from their own views.
    let hidden: Set<StoryID>
    /// The time, for places that are muted for a while.
    let now: Timestamp
    /// Names points that no story has a name for.
    let placeNames: GazetteerNames

    /// What the ledger and the texts are asked.
    protocol Source {
        /// The stories with these ids.
        func stories(_ ids: [StoryID]) throws -> [StoryID: Story]
        /// How often each has moved far.
        func locationEpochs(_ ids: [StoryID]) throws -> [StoryID: Int]
        /// Whether the user was told of the story before its present move.
        func isTold(_ story: StoryID, locationEpoch: Int) throws -> Bool
        /// Which of them the user has looked at.
        func viewed(among ids: [StoryID]) throws -> Set<StoryID>
        /// What the viewer calls these people.
        func callNames(of people: Set<UserID>) throws -> [UserID: String]
        /// The named places so near to one of these points, of those that the viewer may know of.
        func namedPlaces(
            within metres: Double,
            of points: [Coordinate],
            visibleTo viewer: Viewer
        ) throws -> [NamedPlace]
    }

    /// The evaluator with the user's own choices.
    func evaluator(explains: Bool = false) -> FenceEvaluator {
        var options = FenceOptions()
        options.minimumDwell = Int64(settings.minimumDwell) * 1_000
        options.maximumSpeed = settings.maximumSpeed
        options.explains = explains
        return FenceEvaluator(options: options)
    }

    /// The fences around the places of wanted stories.
    var fences: MapFences {
        MapFences(snapshot: snapshot, query: query, radius: settings.radius, overrides: overrides, now: now)
    }

    private var overrides: [PlaceID: PlaceSetting] {
        Dictionary(settings.places.map { ($0.place, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The places in a box with the stories that are wanted there.
    func places(in box: BoundingBox) -> [PlaceID: [StoryID]] { fences.places(in: box).mapValues(\.stories) }

    /// What the viewer wants to be told of.
    var query: StoryQuery {
        var query = StoryQuery(viewer: viewer)
        query.filter.kinds = settings.kinds
        query.except = hidden
        return query
    }

    /// What is to be told after visits, those of a window together: nothing that was told or viewed before, or is the
    /// user's own, unless they want it.
    func notices(for windows: [[PlaceVisit]], from source: some Source) throws -> [Notice] {
        let visits = Array(windows.joined())
        // Of what is switched off nothing is told, and so nothing noted as told.
        guard !visits.isEmpty, settings.delivery.makes(.nearby) else { return [] }
        var options = NoticeOptions()
        options.preview = settings.preview
        let points = visits.map(\.coordinate)
        let named = try source.namedPlaces(within: options.diameter, of: points, visibleTo: viewer)
        let entered = named.filter { place in points.contains { place.contains($0) } }
        let around = visits.map { BoundingBox($0.coordinate).expanded(byMetres: 2 * options.diameter) }
        let nearby = try nearbyStories(in: around + entered.map(\.box), from: source)
        return NoticePlanner(options: options).plan(windows: windows, nearby: nearby, named: named, names: placeNames)
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

    private func nearbyStories(
        in boxes: [BoundingBox],
        from source: some Source
    ) throws -> [Notifications.NearbyStory] {
        var places: [PlaceID: [StoryID]] = [:]
        for box in boxes { places.merge(self.places(in: box)) { _, stories in stories } }
        let ids = Set(places.values.joined()).sorted()
        let stories = try source.stories(ids)
        let epochs = try source.locationEpochs(ids)
        let viewed = settings.notifiesViewed ? [] : try source.viewed(among: ids)
        let tellers = settings.preview == .full ? try source.callNames(of: Set(stories.values.map(\.owner))) : [:]
        return try ids.compactMap { id in
            guard let story = stories[id], settings.notifiesOwn || story.owner != viewer.user,
                !viewed.contains(id)
            else { return nil }
            let epoch = epochs[id] ?? 0
            guard try !source.isTold(id, locationEpoch: epoch) else { return nil }
            return Notifications.NearbyStory.visible(story, locationEpoch: epoch, to: viewer, tellers: tellers)
        }
    }
}
