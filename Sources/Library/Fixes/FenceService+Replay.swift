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

extension FenceService {
    /// Replays a trace for an anonymous user who opted in and exists for this run only: writes nothing, and a second
    /// run gives the same bytes.
    package func replayAnonymously(_ trace: [[Fix]], options: ReplayOptions) async throws -> ReplayResult {
        var settings = NotificationSettings()
        settings.apply(options)
        let rules = rules(viewer: .anonymous, settings: settings, hidden: [])
        let run = try await FenceService.evaluate(trace, rules: rules, options: options)
        return try await store.read { [self] transaction in
            let source = RunSource(transaction: transaction, told: options.alreadyTold)
            return try conclude(run, rules: rules, source: source) { notice in
                FeedItem(
                    notice,
                    user: UserID.archive,
                    createdAt: notice.at,
                    secret: [UInt8](repeating: 0, count: 32)
                )
            }
        }
    }

    /// Replays a trace for a user: what it announces goes into their feed and ledger, marked as simulated.
    ///
    /// The evaluation happens before anything is written, and what it comes to is written in short transactions, so that
    /// a long trace keeps nobody else waiting. A repetition of one that was given up midway writes the rest.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, ``StoreError``.
    package func replay(_ trace: [[Fix]], for user: UserID, options: ReplayOptions) async throws -> ReplayResult {
        let now = now()
        let found = try await store.read { [self] transaction -> (FenceNotifications, NotificationSettings)? in
            var settings = try transaction.notificationSettings(of: user)
            guard settings.enabled, let viewer = try transaction.viewer(user) else { return nil }
            settings.apply(options)
            let hidden = try transaction.hiddenStories(of: user)
            return (rules(viewer: viewer, settings: settings, hidden: hidden), settings)
        }
        guard let (rules, settings) = found else { return ReplayResult(isMonitoring: false) }
        let run = try await FenceService.evaluate(trace, rules: rules, options: options)
        var result = ReplayResult()
        for case .explained(let explanation) in run.effects { result.explanations.append(explanation) }
        for windows in FenceService.parts(of: run, rules: rules) {
            try Task.checkCancellation()
            let told = Set(result.notices.flatMap { $0.content.map(\.id) })
            let time = now.advanced(byMilliseconds: Int64(result.notices.count))
            let part = ReplayPart(windows: windows, told: told, settings: settings, user: user, time: time)
            let written =
                options.isDryRun
                ? try await store.read { [self] reader in try items(of: part, in: reader) { _, _ in } }
                : try await store.write { [self] transaction in
                    try items(of: part, in: transaction) { item, keys in
                        try transaction.insert(item, ledger: keys, deliversSimulated: options.delivers)
                    }
                }
            guard let written else { return ReplayResult(isMonitoring: false) }
            result.notices += written
        }
        return result
    }

    /// Makes the items of a part of a run and passes each, with its entries for the ledger, to `keep`; `nil` when the user
    /// has opted out meanwhile.
    private func items(
        of part: ReplayPart,
        in reader: StoreReader,
        keep: (FeedItem, [LedgerKey]) throws -> Void
    ) throws -> [FeedItem]? {
        let epoch = try reader.notificationSettings(of: part.user).consentEpoch
        guard epoch == part.settings.consentEpoch, let viewer = try reader.viewer(part.user) else { return nil }
        var drafts = try NoticeDrafts(
            service: self,
            reader: reader,
            viewer: viewer,
            settings: part.settings,
            now: part.time
        )
        let source = RetoldSource(base: drafts.source, told: part.told)
        return try drafts.rules.notices(for: part.windows, from: source)
            .map { notice in
                let (item, keys) = drafts.item(for: notice)
                try keep(item, keys)
                return item
            }
    }

    /// How many fixes are played between two looks at whether somebody still waits for the outcome.
    private static let fixesAtOnce = 32
    /// How many windows of visits are told of in one transaction.
    private static let windowsAtOnce = 8

    /// Evaluates piece by piece: between two pieces others take their turn, and a cancelled task ends.
    @concurrent
    private static func evaluate(
        _ trace: [[Fix]],
        rules: FenceNotifications,
        options: ReplayOptions
    ) async throws -> FenceRun {
        let (evaluator, fences) = (rules.evaluator(explains: options.explains), rules.fences)
        var playback = TracePlayback(trace)
        while !playback.isFinished {
            try Task.checkCancellation()
            playback.advance(by: fixesAtOnce, with: evaluator, fences: fences)
            await Task.yield()
        }
        return playback.run
    }

    /// The visits of a run in the windows in which they are told together, divided into parts for one transaction each.
    private static func parts(of run: FenceRun, rules: FenceNotifications) -> [[[PlaceVisit]]] {
        var window = VisitWindow()
        let windows = (window.take(run.moments, rules: rules) + [window.close()]).filter { !$0.isEmpty }
        return stride(from: 0, to: windows.count, by: windowsAtOnce)
            .map { Array(windows[$0..<min($0 + windowsAtOnce, windows.count)]) }
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
        guard untimedCount == pointCount else { return stillness }
        return "no timed points, so there is nothing to replay; export the recording with its times"
    }

    /// Why nothing can be told of a trace whose points all have the same time, in words; `nil` for others.
    ///
    /// Whoever was at many places at once was nowhere: all but the first point count as late.
    private var stillness: String? {
        let points = timedPoints
        guard points.count > 1, let first = points.first, points.allSatisfy({ $0.time == first.time }) else {
            return nil
        }
        return
            "all \(points.count) points have the same time, so only the first counts; export the recording with its times"
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

/// What of a run is written in one transaction.
private struct ReplayPart {
    /// The visits, in the windows in which they are announced together.
    let windows: [[PlaceVisit]]
    /// What earlier parts announced.
    let told: Set<StoryID>
    let settings: NotificationSettings
    let user: UserID
    /// When the first item is made.
    let time: Timestamp
}

/// The store as source for a run in several transactions: what was told in an earlier one is told, in a dry run too.
private struct RetoldSource: FenceNotifications.Source {
    let base: StoredSource
    let told: Set<StoryID>

    func stories(_ ids: [StoryID]) throws -> [StoryID: Story] { try base.stories(ids) }

    func locationEpochs(_ ids: [StoryID]) throws -> [StoryID: Int] { try base.locationEpochs(ids) }

    func isTold(_ story: StoryID, locationEpoch: Int) throws -> Bool {
        try told.contains(story) || base.isTold(story, locationEpoch: locationEpoch)
    }

    func viewed(among ids: [StoryID]) throws -> Set<StoryID> { try base.viewed(among: ids) }

    func callNames(of people: Set<UserID>) throws -> [UserID: String] { try base.callNames(of: people) }

    func namedPlaces(within metres: Double, of points: [Coordinate], visibleTo viewer: Viewer) throws -> [NamedPlace] {
        try base.namedPlaces(within: metres, of: points, visibleTo: viewer)
    }
}

/// The store as source for somebody who exists for one run only.
private struct RunSource: FenceNotifications.Source {
    let transaction: StoreReader
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
