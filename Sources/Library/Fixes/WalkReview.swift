import Geofencing
import Geometry
import Notifications
import Storage
import Stories
import StoryMap

/// Finds what a walk would have announced, and why it would not have announced the rest.
struct WalkReview {
    /// The maximum number of fences near a walk.
    private static let mostFences = 2_000

    let run: FenceRun
    let rules: FenceNotifications
    let source: WalkSource

    /// Returns the result of the walk.
    ///
    /// - Throws: ``Refusal`` (422) if the walk passes too many fences, or ``StoreError``.
    func result() throws -> WalkResult {
        var window = VisitWindow()
        let windows = (window.take(run.moments, rules: rules) + [window.close()]).filter { !$0.isEmpty }
        let notices = try rules.notices(for: windows, from: source)
        let fences = try fences()
        let silences = try silences(at: windows.joined().map(\.placeID), fences: fences, notices: notices)
        return WalkResult(
            isMonitoring: rules.settings.enabled,
            settings: rules.settings,
            run: run,
            fences: fences,
            notices: notices,
            silences: silences
        )
    }

    /// Returns the fences that the run decided about, with their stories; a place where the user can no longer see
    /// anything is omitted.
    private func fences() throws -> [WalkResult.Fence] {
        var radii: [PlaceID: Double] = [:]
        for case .explained(let explanation) in run.effects { radii[explanation.place] = explanation.radius }
        guard radii.count <= WalkReview.mostFences else { throw Refusal.walkTooDense }
        let all = rules.fences
        var fences: [WalkResult.Fence] = []
        for (place, radius) in radii.sorted(by: { $0.key < $1.key }) {
            let box = BoundingBox(place.coordinate).expanded(byMetres: 3)
            guard let found = all.places(in: box)[place] else { continue }
            let stories = try shown(at: found)
            guard let first = stories.first else { continue }
            let outlined = try found.outline.flatMap { _ in try linesOrArea(of: first) }
            fences.append(
                WalkResult.Fence(
                    place: place,
                    coordinate: found.coordinate,
                    outlined: outlined,
                    radius: radius,
                    exitRadius: FenceOptions().exitRadius(radius),
                    stories: stories,
                    count: found.stories.count
                )
            )
        }
        return fences
    }

    /// Returns the further place at which a story is, which everybody who may see the story sees exactly.
    private func linesOrArea(of near: Notifications.NearbyStory) throws -> StoryPlace? {
        try source.stories([near.id])[near.id]?.places.first { $0.id == near.further?.place && $0.shape != nil }
    }

    /// Returns the first stories of a place as the user may see them there.
    private func shown(at place: MapPlace) throws -> [Notifications.NearbyStory] {
        let listed = Array(place.stories.prefix(FenceService.storiesPerFence))
        let stories = try source.stories(listed)
        let epochs = try source.locationEpochs(listed)
        return listed.compactMap { id in
            guard let story = stories[id] else { return nil }
            return Notifications.NearbyStory
                .everywhere(story, locationEpoch: epochs[id] ?? 0, to: rules.viewer)
                .first { $0.placeID == place.id }
        }
    }

    /// Returns why listed stories at visited places are in none of the notices, in the order of the visits.
    private func silences(
        at visited: [PlaceID],
        fences: [WalkResult.Fence],
        notices: [Notice]
    ) throws -> [WalkResult.Silence] {
        let told = Set(notices.flatMap { $0.stories.map(\.id) })
        let byPlace = Dictionary(fences.map { ($0.place, $0.stories) }, uniquingKeysWith: { first, _ in first })
        let ids = Set(visited.flatMap { byPlace[$0] ?? [] }.map(\.id)).subtracting(told).sorted()
        guard !ids.isEmpty else { return [] }
        let stories = try source.stories(ids)
        let viewed = rules.settings.notifiesViewed ? [] : try source.viewed(among: ids)
        var silences: [WalkResult.Silence] = []
        var seen: Set<PlaceID> = []
        for place in visited where seen.insert(place).inserted {
            for near in byPlace[place] ?? [] where !told.contains(near.id) {
                guard let story = stories[near.id] else { continue }
                let why = try reason(for: story, near, isViewed: viewed.contains(near.id))
                if let why { silences.append(WalkResult.Silence(place: place, story: near.id, why: why)) }
            }
        }
        return silences
    }

    private func reason(
        for story: Story,
        _ near: Notifications.NearbyStory,
        isViewed: Bool
    ) throws -> NoticeSilence? {
        guard rules.settings.delivery.makes(.nearby) else { return .off }
        return try rules.silence(of: story, isViewed: isViewed) {
            try source.isTold(near)
        }
    }
}

/// A source of notification data backed by the store, for a walk, of which nothing is recorded.
struct WalkSource: FenceNotifications.Source {
    let base: StoredSource
    /// Whether nothing counts as announced before.
    let forgets: Bool

    func stories(_ ids: [StoryID]) throws -> [StoryID: Story] { try base.stories(ids) }

    func locationEpochs(_ ids: [StoryID]) throws -> [StoryID: Int] { try base.locationEpochs(ids) }

    func isTold(_ story: StoryID, locationEpoch: Int) throws -> Bool {
        try !forgets && base.isTold(story, locationEpoch: locationEpoch)
    }

    func viewed(among ids: [StoryID]) throws -> Set<StoryID> { try base.viewed(among: ids) }

    func callNames(of people: Set<UserID>) throws -> [UserID: String] { try base.callNames(of: people) }

    func namedPlaces(within metres: Double, of points: [Coordinate], visibleTo viewer: Viewer) throws -> [NamedPlace] {
        try base.namedPlaces(within: metres, of: points, visibleTo: viewer)
    }
}
