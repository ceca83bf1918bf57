public import Formats
import Gazetteer
public import Geofencing
import Geometry
public import Notifications
import Storage
public import Stories
import StoryMap

/// How a recorded trace is replayed.
public struct ReplayOptions: Sendable {
    /// The radius in metres instead of the user's own; 75...5,000.
    public var radius: Double?
    /// The kinds instead of the user's own; empty means all.
    public var kinds: Set<StoryKind>?
    /// Whether ledger and feed stay as they are.
    public var isDryRun = false
    /// Whether what is told goes out through the user's channels too, as if it were real.
    public var delivers = false
    /// The stories an earlier trace of the same anonymous run told of.
    public var alreadyTold: Set<StoryID> = []
    /// Whether the result says why each fence near a fix was entered or not.
    public var explains = false

    /// Creates options that change nothing.
    public init() {}
}

/// What a replay comes to.
public struct ReplayResult: Sendable {
    /// Whether the user has opted in; if not, nothing was looked at.
    public var isMonitoring = true
    /// What was, or in a dry run would be, written into the feed, in order.
    public var notices: [FeedItem] = []
    /// Why each fence near a fix was entered or not, when asked for.
    public var explanations: [FenceExplanation] = []
}

extension StoryLibrary {
    /// Replays a trace for an anonymous user who opted in and exists for this run only: writes nothing, and a second
    /// run gives the same bytes.
    public func replayAnonymously(_ trace: [[Fix]], options: ReplayOptions) async throws -> ReplayResult {
        var settings = NotificationSettings()
        settings.apply(options)
        let rules = rules(viewer: .anonymous, settings: settings, hidden: [])
        let run = await StoryLibrary.evaluate(trace, rules: rules, options: options)
        return try await store.read { [self] transaction in
            let source = RunSource(transaction: transaction, told: options.alreadyTold)
            return try conclude(run, rules: rules, source: source) { notice in
                FeedItem(
                    notice,
                    user: StoryLibrary.archive,
                    createdAt: notice.at,
                    secret: [UInt8](repeating: 0, count: 32)
                )
            }
        }
    }

    /// Replays a trace for a user: what it announces goes into their feed and ledger, marked as simulated.
    ///
    /// The evaluation happens before anything is written, so that a long trace keeps nobody else waiting.
    public func replay(_ trace: [[Fix]], for user: UserID, options: ReplayOptions) async throws -> ReplayResult {
        let now = now()
        let found = try await store.read { [self] transaction -> (FenceNotifications, NotificationSettings)? in
            var settings = try transaction.notificationSettings(of: user)
            guard settings.enabled, let viewer = try transaction.viewer(user) else { return nil }
            settings.apply(options)
            let hidden = try transaction.hiddenStories(of: user)
            return (rules(viewer: viewer, settings: settings, hidden: hidden), settings)
        }
        guard let (rules, settings) = found else { return ReplayResult(isMonitoring: false) }
        let run = await StoryLibrary.evaluate(trace, rules: rules, options: options)
        let work: @Sendable (StoreTransaction) throws -> ReplayResult = { [self] transaction in
            // Opting out meanwhile ends it.
            let epoch = try transaction.notificationSettings(of: user).consentEpoch
            guard epoch == settings.consentEpoch, let viewer = try transaction.viewer(user) else {
                return ReplayResult(isMonitoring: false)
            }
            var recorder = try NoticeRecorder(
                library: self,
                transaction: transaction,
                viewer: viewer,
                settings: settings,
                now: now
            )
            return try conclude(run, rules: recorder.rules, source: recorder.source) { notice in
                try recorder.write(notice, dry: options.isDryRun, delivers: options.delivers)
            }
        }
        return options.isDryRun ? try await store.read(work) : try await store.write(work)
    }

    /// Away from the threads that answer other requests.
    @concurrent
    private static func evaluate(
        _ trace: [[Fix]],
        rules: FenceNotifications,
        options: ReplayOptions
    ) async -> FenceRun {
        var state = DeviceState()
        return rules.evaluator(explains: options.explains).run(trace, into: &state, fences: rules.fences)
    }

    /// What a replay comes to.
    private func conclude(
        _ run: FenceRun,
        rules: FenceNotifications,
        source: some FenceNotifications.Source,
        write: (Notice) throws -> FeedItem
    ) throws -> ReplayResult {
        var result = ReplayResult()
        for case .explained(let explanation) in run.effects { result.explanations.append(explanation) }
        var window = VisitWindow()
        let windows = window.take(run.moments, rules: rules) + [window.close()]
        for notice in try rules.notices(for: windows, from: source) {
            result.notices.append(try write(notice))
        }
        return result
    }

    /// Names points where stories are told.
    var placeNames: GazetteerNames { GazetteerNames(gazetteer: placeSearch) }

    func rules(viewer: Viewer, settings: NotificationSettings, hidden: Set<StoryID>) -> FenceNotifications {
        FenceNotifications(
            snapshot: map.snapshot(),
            viewer: viewer,
            settings: settings,
            hidden: hidden,
            now: now(),
            placeNames: placeNames
        )
    }
}

extension NotificationSettings {
    fileprivate mutating func apply(_ options: ReplayOptions) {
        if let radius = options.radius { self.radius = radius }
        if let kinds = options.kinds { self.kinds = kinds }
    }
}

extension Trace {
    /// Why there is nothing to play, in words; `nil` where there is.
    public var emptiness: String? {
        if pointCount == 0 {
            return "no positions, so there is nothing to replay; record again, or choose another file"
        }
        guard untimedCount == pointCount else { return nil }
        return "no timed points, so there is nothing to replay; export the recording with its times"
    }

    /// The timed points as fixes of a simulated device, segment by segment; segments without any are left out.
    ///
    /// Receipt is the time of the fix unless the trace says otherwise: a trace is judged on its own clock.
    public var fixes: [[Fix]] {
        segments.map { segment in
            segment.compactMap { point in
                guard let time = point.time else { return nil }
                return Fix(
                    time: time.milliseconds,
                    received: point.received?.milliseconds,
                    coordinate: point.coordinate,
                    accuracy: point.accuracy,
                    speed: point.speed,
                    course: point.course,
                    isSimulated: true
                )
            }
        }
        .filter { !$0.isEmpty }
    }
}

/// The store as source for somebody who exists for one run only.
private struct RunSource: FenceNotifications.Source {
    let transaction: StoreTransaction
    let told: Set<StoryID>

    func stories(_ ids: [StoryID]) throws -> [StoryID: Story] { try transaction.stories(ids, withText: false) }

    func locationEpochs(_ ids: [StoryID]) throws -> [StoryID: Int] { try transaction.locationEpochs(ids) }

    func isTold(_ story: StoryID, locationEpoch: Int) throws -> Bool { told.contains(story) }

    func viewed(among ids: [StoryID]) throws -> Set<StoryID> { [] }

    func callNames(of people: Set<UserID>) throws -> [UserID: String] {
        try transaction.callNames(of: people, for: nil)
    }

    func namedPlaces(within metres: Double, of points: [Coordinate], visibleTo viewer: Viewer) throws -> [NamedPlace] {
        try transaction.namedPlaces(within: metres, of: points, visibleTo: viewer)
    }
}
