package import Geofencing
import Geometry
package import Notifications
import Storage
package import Stories

/// Makes feed items from the evaluator's entries, using one snapshot of the store; writes nothing.
struct NoticeDrafts {
    let user: UserID
    let rules: FenceNotifications
    /// The source of ledger entries and of the data used in notification texts.
    let source: StoredSource
    private let now: Timestamp
    /// The number of items made so far.
    private var count: Int64 = 0

    init(
        service: FenceService,
        reader: StoreReader,
        viewer: Viewer,
        settings: NotificationSettings,
        now: Timestamp
    ) throws {
        self.now = now
        user = viewer.user ?? UserID.archive
        source = StoredSource(transaction: reader, user: user, secret: service.store.keys[.ledger])
        let hidden = try reader.hiddenStories(of: user)
        rules = service.rules(viewer: viewer, settings: settings, hidden: hidden)
    }

    /// Returns the item of a notice and its ledger entries.
    ///
    /// Each item is one millisecond later than the previous one, so that the feed keeps their order.
    mutating func item(for notice: Notice) -> (item: FeedItem, ledger: [LedgerKey]) {
        let keys = notice.ledgerEntries(for: user)
            .map { entry in
                source.key(of: entry.story, locationEpoch: entry.locationEpoch)
            }
        let createdAt = Timestamp(milliseconds: now.milliseconds + count)
        count += 1
        return (FeedItem(notice, user: user, createdAt: createdAt, secret: source.secret), keys)
    }
}

/// Writes the notices for one user within one transaction.
struct NoticeRecorder {
    private let transaction: StoreTransaction
    private let settings: NotificationSettings
    private let now: Timestamp
    private var drafts: NoticeDrafts
    private(set) var written: [FeedItem] = []

    var rules: FenceNotifications { drafts.rules }
    /// The source of ledger entries and of the data used in notification texts.
    var source: StoredSource { drafts.source }
    private var user: UserID { drafts.user }

    init(
        _ service: FenceService,
        for viewer: Viewer,
        _ settings: NotificationSettings,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws {
        self.transaction = transaction
        self.settings = settings
        self.now = now
        drafts = try NoticeDrafts(
            service: service,
            reader: transaction,
            viewer: viewer,
            settings: settings,
            now: now
        )
    }

    /// Returns whether ``record(_:of:)`` would write anything after these decisions.
    static func hasWork(after moments: [FenceMoment], of user: UserID, in transaction: StoreReader) throws -> Bool {
        try moments.contains { !$0.entries.isEmpty } || !transaction.pendingVisits(of: user).isEmpty
    }

    /// Writes the evaluator's state after a batch.
    static func save(
        _ batch: EvaluatedBatch,
        heardOf: Bool,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws {
        try transaction.saveEvaluatorState(
            batch.after.bytes,
            of: batch.user,
            device: batch.device,
            consentEpoch: batch.settings.consentEpoch,
            nextTimer: batch.after.nextTimer.map(Timestamp.init),
            heardOf: heardOf,
            at: now
        )
    }

    /// Writes the notices that follow from decisions into ledger and feed.
    ///
    /// Decided visits wait a few seconds at most if other visits, still undecided, may be announced together with them.
    /// `device` is the device that decided, `nil` if only the clock advanced.
    mutating func record(_ moments: [FenceMoment], of device: String?) throws {
        guard try NoticeRecorder.hasWork(after: moments, of: user, in: transaction) else { return }
        let waiting = try transaction.pendingVisits(of: user)
        let others = try transaction.evaluatorStates(of: user, butOf: device, consentEpoch: settings.consentEpoch)
        let areOthersUndecided = others.contains { other in
            (try? DeviceState(bytes: other.state))?.undecidedUntil != nil
        }
        var window = VisitWindow(continuing: waiting.map(\.visit))
        var windows = window.take(moments, areOthersUndecided: areOthersUndecided, rules: rules)
        // Another device's decisions that are due before the window closes belong to the window; that device's clock
        // will be advanced soon.
        let closesAt = window.closesAt ?? now
        let isLate = now.milliseconds > closesAt.milliseconds + NoticeRecorder.patience
        if isLate || !others.contains(where: { $0.nextTimer.map { $0 <= closesAt } ?? false }) {
            windows.append(window.pass(now))
        }
        for notice in try rules.notices(for: windows, from: source) { try write(notice) }
        let left = window.visits.map { visit in
            waiting.first { $0.visit == visit } ?? PendingVisit(visit, device: device ?? "")
        }
        if left != waiting { try transaction.savePendingVisits(left, of: user) }
    }

    /// The maximum time in milliseconds to wait for the clocks of other devices.
    private static let patience: Int64 = 3_000

    /// Writes a notice into ledger and feed.
    mutating func write(_ notice: Notice) throws {
        let (item, keys) = drafts.item(for: notice)
        try transaction.insert(item, ledger: keys)
        written.append(item)
    }
}

extension VisitWindow {
    /// Adds decided visits and returns the visits of every window that this closes.
    package mutating func take(
        _ moments: [FenceMoment],
        areOthersUndecided: Bool = false,
        rules: FenceNotifications
    ) -> [[PlaceVisit]] {
        var closed: [[PlaceVisit]] = []
        for moment in moments {
            closed.append(pass(Timestamp(milliseconds: moment.at)))
            closed += moment.entries.map { add(rules.visit($0)) }
            if !moment.isUndecided && !areOthersUndecided { closed.append(close()) }
        }
        return closed.filter { !$0.isEmpty }
    }
}

/// A source of notification data backed by the store.
struct StoredSource: FenceNotifications.Source {
    let transaction: StoreReader
    let user: UserID
    let secret: [UInt8]

    func stories(_ ids: [StoryID]) throws -> [StoryID: Story] { try transaction.stories(ids, withText: false) }

    func locationEpochs(_ ids: [StoryID]) throws -> [StoryID: Int] { try transaction.locationEpochs(ids) }

    func isTold(_ story: StoryID, locationEpoch: Int) throws -> Bool {
        try transaction.isTold(key(of: story, locationEpoch: locationEpoch), user: user)
    }

    func viewed(among ids: [StoryID]) throws -> Set<StoryID> { try transaction.viewedStories(of: user, among: ids) }

    func callNames(of people: Set<UserID>) throws -> [UserID: String] {
        try transaction.callNames(of: people, for: user)
    }

    func namedPlaces(within metres: Double, of points: [Coordinate], visibleTo viewer: Viewer) throws -> [NamedPlace] {
        try transaction.namedPlaces(within: metres, of: points, visibleTo: viewer)
    }

    func key(of story: StoryID, locationEpoch: Int) -> LedgerKey {
        LedgerKey(secret: secret, user: user, story: story, locationEpoch: locationEpoch)
    }
}

extension Notice {
    /// The places and stories in the form of the feed.
    package var visit: FeedItem.Visit {
        FeedItem.Visit(
            kind: kind,
            placeName: placeName,
            place: place,
            content: content,
            confidence: confidence,
            isArea: groups.count > 1,
            namedPlace: namedPlace
        )
    }
}

extension FeedItem {
    /// Creates the item for a notice; a repeated notice gets the same id.
    package init(_ notice: Notice, user: UserID, createdAt: Timestamp, secret: [UInt8]) {
        self.init(
            id: KeyedID.make(secret: secret, message: notice.identityBytes(user: user)).description,
            user: user,
            at: notice.at,
            createdAt: createdAt,
            subject: .nearby(notice.visit),
            title: notice.title,
            body: notice.body,
            isSimulated: notice.isSimulated
        )
    }
}
