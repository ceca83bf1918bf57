public import Formats
import Gazetteer
public import Geofencing
import Geometry
public import Notifications
import Storage
public import Stories
import StoryMap

/// The options for replaying a recorded trace.
public struct ReplayOptions: Sendable {
    /// The radius in metres, 75...5,000; `nil` uses the radius in the user's settings.
    public var radius: Double?
    /// The kinds of stories to announce, empty for all; `nil` uses the kinds in the user's settings.
    public var kinds: Set<StoryKind>?
    /// Whether to leave ledger and feed unchanged.
    public var isDryRun = false
    /// Whether to deliver the notices through the user's channels too, as if they were real.
    public var delivers = false
    /// The stories announced by an earlier trace of the same anonymous run.
    public var alreadyTold: Set<StoryID> = []
    /// Whether the result explains why each fence near a fix was entered or not.
    public var explains = false

    /// Creates the default options.
    public init() {}
}

/// The result of a replay.
public struct ReplayResult: Sendable {
    /// Whether the user has opted in; if not, nothing was replayed.
    public var isMonitoring = true
    /// The notifications written to the feed, in order; in a dry run, those that would have been.
    public var notices: [FeedItem] = []
    /// Why each fence near a fix was entered or not, if requested.
    public var explanations: [FenceExplanation] = []
}

extension FenceService {
    /// Replays a trace for an anonymous user who has opted in and exists only for this run.
    ///
    /// Writes nothing; a second run returns identical items.
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

    /// Replays a trace for a user and writes its announcements, marked as simulated, to the user's feed and ledger.
    ///
    /// The trace is evaluated before anything is written, and the result is written in short transactions, so that a
    /// long trace does not block others. Repeating an interrupted replay writes the rest.
    ///
    /// - Throws: `CancellationError` if the task is cancelled, or ``StoreError``.
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

    /// Makes the items for a part of a run and passes each, with its ledger entries, to `keep`.
    ///
    /// Returns `nil` if the user has opted out meanwhile.
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

    /// The number of fixes evaluated between two checks for cancellation.
    private static let fixesAtOnce = 32
    /// The number of visit windows announced in one transaction.
    private static let windowsAtOnce = 8

    /// Evaluates a trace in pieces; between two pieces it yields to other tasks and checks for cancellation.
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

    /// Returns the visits of a run in their windows, divided into parts of one transaction each.
    private static func parts(of run: FenceRun, rules: FenceNotifications) -> [[[PlaceVisit]]] {
        var window = VisitWindow()
        let windows = (window.take(run.moments, rules: rules) + [window.close()]).filter { !$0.isEmpty }
        return stride(from: 0, to: windows.count, by: windowsAtOnce)
            .map { Array(windows[$0..<min($0 + windowsAtOnce, windows.count)]) }
    }

    /// Returns the result of a run; `write` makes the item for each notice.
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
    /// The reason, as text, why replaying the trace cannot announce anything; `nil` if it can.
    public var emptiness: String? {
        if pointCount == 0 {
            return "the trace has no positions to replay; record again, or choose another file"
        }
        guard untimedCount == pointCount else { return stillness }
        return "the trace has no timed points to replay; export the recording with its times"
    }

    /// The reason, as text, why a trace whose points all have the same time cannot announce anything; `nil` for others.
    ///
    /// Nobody can be at several places at once, so all points but the first count as late.
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
    /// A fix without a recorded time of receipt counts as received at its own time, so that a trace is judged by its
    /// own clock.
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

/// The part of a run that is written in one transaction.
private struct ReplayPart {
    /// The visits, grouped by the window in which they are announced together.
    let windows: [[PlaceVisit]]
    /// The stories announced by earlier parts.
    let told: Set<StoryID>
    let settings: NotificationSettings
    let user: UserID
    /// The creation time of the first item.
    let time: Timestamp
}

/// A source of notification data backed by the store, for a run written in several transactions.
///
/// Stories announced in an earlier transaction count as announced, even in a dry run.
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

/// A source of notification data backed by the store, for a user who exists only for one run.
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
