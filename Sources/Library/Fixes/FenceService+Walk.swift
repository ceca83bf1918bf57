package import Geofencing
import Geometry
import Notifications
import Storage
package import Stories

extension FenceService {
    /// The number of fixes evaluated between two checks for cancellation and size.
    private static let fixesPerPiece = 8
    /// The maximum number of effects, most of which explain a fence near a fix.
    private static let mostEffects = 100_000
    /// The maximum number of fences near a walk.
    private static let mostFences = 2_000
    /// The maximum number of stories listed at a fence.
    package static let storiesPerFence = 20

    /// Walks a trace for a user and returns what every fix led to, and why; stores nothing and notifies nobody.
    ///
    /// Works without consent, because nothing is kept of the trace, and reports ``WalkResult/isMonitoring``.
    ///
    /// - Throws: ``Refusal`` (422) if the walk passes too many fences, `CancellationError`, or ``StoreError``.
    package func walk(_ trace: [[Fix]], for user: UserID, options: WalkOptions) async throws -> WalkResult {
        let rules = try await store.read { [self] reader in try walkRules(of: user, options: options, in: reader) }
        let run = try await FenceService.walked(trace, rules: rules)
        let radii = FenceService.radii(in: run)
        guard radii.count <= FenceService.mostFences else { throw Refusal.walkTooDense }
        return try await store.read { [self] reader in
            // What the user may see has perhaps changed while the trace was evaluated.
            let rules = try walkRules(of: user, options: options, in: reader)
            let stored = StoredSource(transaction: reader, user: user, secret: store.keys[.ledger])
            let source = WalkSource(base: stored, forgets: options.forgets)
            var window = VisitWindow()
            let windows = (window.take(run.moments, rules: rules) + [window.close()]).filter { !$0.isEmpty }
            let notices = try rules.notices(for: windows, from: source)
            let fences = try FenceService.fences(radii, rules: rules, source: source)
            return WalkResult(
                isMonitoring: rules.settings.enabled,
                settings: rules.settings,
                run: run,
                fences: fences,
                notices: notices,
                silences: try FenceService.silences(
                    at: windows.joined().map(\.placeID),
                    fences: fences,
                    notices: notices,
                    rules: rules,
                    source: source
                )
            )
        }
    }

    private func walkRules(
        of user: UserID,
        options: WalkOptions,
        in reader: StoreReader
    ) throws -> FenceNotifications {
        var settings = try reader.notificationSettings(of: user)
        if let radius = options.radius { settings.radius = radius }
        let viewer = try reader.viewer(user) ?? .anonymous
        return rules(viewer: viewer, settings: settings, hidden: try reader.hiddenStories(of: user))
    }

    /// Evaluates a trace in pieces; between two pieces it yields to other tasks and checks for cancellation and size.
    @concurrent
    private static func walked(_ trace: [[Fix]], rules: FenceNotifications) async throws -> FenceRun {
        let (evaluator, fences) = (rules.evaluator(explains: true), rules.fences)
        var playback = TracePlayback(trace, recordsSteps: true)
        while !playback.isFinished {
            try Task.checkCancellation()
            playback.advance(by: fixesPerPiece, with: evaluator, fences: fences)
            guard playback.run.effects.count <= mostEffects else { throw Refusal.walkTooDense }
            await Task.yield()
        }
        return playback.run
    }

    /// Returns the radius in metres of every fence that a run decided about.
    private static func radii(in run: FenceRun) -> [PlaceID: Double] {
        var radii: [PlaceID: Double] = [:]
        for case .explained(let explanation) in run.effects { radii[explanation.place] = explanation.radius }
        return radii
    }

    /// Returns the fences with their stories; a place where the user can no longer see anything is omitted.
    private static func fences(
        _ radii: [PlaceID: Double],
        rules: FenceNotifications,
        source: WalkSource
    ) throws -> [WalkResult.Fence] {
        try radii.sorted { $0.key < $1.key }
            .compactMap { place, radius in
                let box = BoundingBox(place.coordinate).expanded(byMetres: 3)
                guard let found = rules.fences.places(in: box)[place] else { return nil }
                let listed = Array(found.stories.sorted().prefix(storiesPerFence))
                let (stories, epochs) = (try source.stories(listed), try source.locationEpochs(listed))
                let shown = listed.compactMap { id in
                    stories[id]
                        .flatMap { story in
                            Notifications.NearbyStory.visible(
                                story,
                                locationEpoch: epochs[id] ?? 0,
                                to: rules.viewer,
                                tellers: [:]
                            )
                        }
                }
                guard !shown.isEmpty else { return nil }
                return WalkResult.Fence(
                    place: place,
                    coordinate: found.coordinate,
                    radius: radius,
                    exitRadius: FenceOptions().exitRadius(radius),
                    stories: shown,
                    count: found.stories.count
                )
            }
    }

    /// Returns why listed stories at visited places are in none of the notices.
    private static func silences(
        at visited: [PlaceID],
        fences: [WalkResult.Fence],
        notices: [Notice],
        rules: FenceNotifications,
        source: WalkSource
    ) throws -> [WalkResult.Silence] {
        let told = Set(notices.flatMap { $0.stories.map(\.id) })
        let byPlace = Dictionary(fences.map { ($0.place, $0.stories) }, uniquingKeysWith: { first, _ in first })
        let ids = Array(Set(visited.flatMap { byPlace[$0] ?? [] }.map(\.id)).subtracting(told)).sorted()
        guard !ids.isEmpty else { return [] }
        let stories = try source.stories(ids)
        let viewed = rules.settings.notifiesViewed ? [] : try source.viewed(among: ids)
        var silences: [WalkResult.Silence] = []
        var seen: Set<PlaceID> = []
        for place in visited where seen.insert(place).inserted {
            for near in byPlace[place] ?? [] where !told.contains(near.id) {
                guard let story = stories[near.id] else { continue }
                var why = try rules.silence(of: story, isViewed: viewed.contains(near.id)) {
                    try source.isTold(near.id, locationEpoch: near.locationEpoch)
                }
                if !rules.settings.delivery.makes(.nearby) { why = .off }
                if let why { silences.append(WalkResult.Silence(place: place, story: near.id, why: why)) }
            }
        }
        return silences
    }
}

extension Refusal {
    /// The walk passes more fences than can be explained at once.
    static let walkTooDense = Refusal(
        .invalid,
        "walk-too-dense",
        "The walk passes too many fences to explain each decision. Walk a part of it, choose a longer interval, or a "
            + "smaller radius."
    )
}

/// A source of notification data backed by the store, for a walk, of which nothing is recorded.
private struct WalkSource: FenceNotifications.Source {
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
