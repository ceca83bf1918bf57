public import Gazetteer
import Geometry
import Logging
public import Storage
public import Stories
public import StoryMap
import Synchronization

/// The stories of one database with their map, used by the commands and by the HTTP service.
///
/// The map index is derived data: built from the database when the library is opened, and updated after each commit in
/// commit order.
public final class StoryLibrary: Sendable {
    /// The database, the clock and the source of ids, shared by all services.
    package let context: StoreContext
    /// Records who received exact points.
    package let accesses: AccessLog
    /// Answers queries of the map and of lists.
    public let maps: MapService
    /// Favourites, hidden and viewed stories.
    package let marks: MarkService
    /// Names that users give to areas.
    package let places: PlaceService
    /// Collections of stories.
    package let collections: CollectionService
    /// Families and their members.
    package let families: FamilyService
    /// Invitations to join families.
    package let invitations: InvitationService
    /// Sessions of the page, and the ways to begin one.
    package let signIns: SignInService
    /// The passkeys of users.
    package let passkeys: PasskeyService
    /// Stores the service's time, and adopts jumps of the wall clock once they are credible.
    package let time: TimeKeeper
    /// Fixes, entries and recorded traces.
    package let fences: FenceService
    /// Links by which users show their stories to people without an account.
    package let sharing: SharingService
    /// Creates, changes, deletes and reads stories.
    package let stories: StoryService
    /// The small pictures of stories.
    package let pictures: PictureService
    /// Imports of stories from files.
    package let imports: ImportService
    /// Past imports: lists and undoes them.
    package let importHistory: ImportHistory
    /// Imports of files that clients send.
    package let uploads: UploadService
    /// Changes made to the file by other programs.
    package let outsideEdits: OutsideEditService
    /// The services that keep clients' copies of stories in sync.
    package let sync: SyncServices
    /// The services by which operators and other services control who sees stories.
    package let moderation: ModerationServices
    /// The rights of users over their data.
    package let rights: RightsServices
    /// Users' notification channels.
    package let channels: ChannelService
    /// Deliveries through channels, from the outbox.
    package let delivery: DeliveryService
    /// Limits concurrent replays of traces per user, per address and in total.
    package let traces = WorkShares(perUser: 1, perAddress: 4, inAll: 8)
    /// The live streams.
    package let live = LiveHub()
    /// The feeds of notifications.
    package let feed: FeedService
    /// Follows the commits of the store, as long as the library lives.
    private let listening: ChangeListening

    /// The default retention: seven years.
    public static let defaultRetentionDays = 2_557

    /// Opens a library on a store and reads all its stories into the map index.
    ///
    /// `now` is the wall clock. `running` is a monotonic clock in milliseconds that also runs while the machine sleeps;
    /// its values are comparable only within the boot of the machine identified by `boot`. Without `running`, jumps of
    /// the wall clock cannot be distinguished from elapsed time. Without `holdsMap`, the map stays empty: a command that
    /// only stores needs neither the time nor the memory.
    public init(
        store: StoryStore,
        gazetteer: GazetteerIndex?,
        additions: GazetteerAdditions? = nil,
        now: @escaping @Sendable () -> Timestamp,
        running: (@Sendable () -> Int64)? = nil,
        boot: String? = nil,
        random: RandomSource = .system,
        retentionDays: Int = StoryLibrary.defaultRetentionDays,
        holdsMap: Bool = true,
        progress: StartupProgress = StartupProgress()
    ) async throws {
        let clock = ServiceClock(wall: now, running: running)
        context = StoreContext(store: store, clock: clock, boot: boot, random: random)
        accesses = AccessLog(context)
        maps = MapService(context, accesses: accesses, gazetteer: gazetteer, additions: additions)
        let names = GazetteerNames(gazetteer: maps.placeSearch)
        feed = FeedService(context, accesses: accesses, names: names)
        marks = MarkService(context: context)
        places = PlaceService(context: context, feed: feed)
        collections = CollectionService(context: context)
        families = FamilyService(context: context, feed: feed)
        let egress = Egress()
        invitations = InvitationService(context: context, feed: feed, families: families, egress: egress)
        signIns = SignInService(context: context, feed: feed, invitations: invitations)
        passkeys = PasskeyService(context: context, signIns: signIns)
        channels = ChannelService(context, feed: feed, egress: egress, attempts: AttemptRegister())
        delivery = DeliveryService(context, feed: feed, channels: channels, egress: egress)
        time = TimeKeeper(context: context)
        fences = FenceService(context, time: time, map: maps.index, names: names)
        let removal = StoryRemoval(context: context, feed: feed, retentionDays: max(0, retentionDays))
        let proposals = ProposalService(context: context, maps: maps, feed: feed)
        stories = StoryService(
            context: context,
            maps: maps,
            accesses: accesses,
            feed: feed,
            proposals: proposals,
            removal: removal,
            news: StoryNews(context: context, feed: feed)
        )
        sharing = SharingService(context: context, names: SearchedNames.reading(maps.placeSearch))
        pictures = PictureService(context: context, stories: stories)
        imports = ImportService(context: context, maps: maps, feed: feed, proposals: proposals, removal: removal)
        outsideEdits = OutsideEditService(context: context, maps: maps, feed: feed)
        sync = SyncServices(context, maps: maps, accesses: accesses, feed: feed, stories: stories)
        moderation = ModerationServices(context, feed: feed, places: places)
        let erasures = ErasureService(
            context: context,
            maps: maps,
            accesses: accesses,
            feed: feed,
            families: families,
            places: places,
            fences: fences
        )
        rights = RightsServices(
            settings: SettingsService(context: context, feed: feed, fences: fences, names: names),
            erasures: erasures,
            removal: removal
        )
        uploads = UploadService(context: context, imports: imports)
        importHistory = ImportHistory(context: context, feed: feed, imports: imports, retention: rights.retention)
        listening = store.onChange(followingStories: holdsMap) { [maps, delivery, feed, live] change in
            if holdsMap { maps.follow(change) }
            delivery.withdrawals.follow(change)
            delivery.state.follow(change)
            // Before live streams wake, because they send the counts known at that time.
            feed.unread.note(change)
            live.note(change)
        }
        try await time.resumeClock()
        store.useClock(context.now)
        if store.isWritable {
            try await rights.restoring.applyErasures()
            try await store.skippingDamage { try await channels.checkSeals() }
            try await store.skippingDamage { try await rights.retention.noteLostStories() }
        }
        if holdsMap {
            store.note(try await MapLoader(store: store, index: maps.index).readAll(progress: progress))
        }
        do {
            try await store.skippingDamage { try await importHistory.endInterrupted() }
            try await outsideEdits.adopt()
        } catch let error as StoreError where error.code == .diskFull {
            // Stories changed by other programs are withheld meanwhile; the service retries every second.
            store.logger.warning("the disk is full; changes made by other programs will be adopted once there is space")
        } catch let error as StoreError where error.code == .damaged {
            store.logger.error("could not adopt changes made by another program", metadata: ["error": "\(error)"])
        } catch let error as StoreError where error.code == .damagedRow {
            // All other changes were adopted; the unreadable stories are not on the map until their rows are corrected.
            store.logger.error("could not adopt all changes made by another program", metadata: ["error": "\(error)"])
        }
    }

    /// The database.
    public var store: StoryStore { context.store }

    /// The places that stories have besides their location.
    package var storyPlaces: StoryPlaceService { StoryPlaceService(context: context, stories: stories) }

    /// The in-memory index of the map.
    public var map: MapIndex { maps.index }

    /// The current time, for all timestamps: a clock that does not jump with the wall clock.
    public var now: @Sendable () -> Timestamp { context.now }

    /// The clock that ``now`` reads.
    package var clock: ServiceClock { context.clock }

    /// The source of ids and secrets.
    public var random: RandomSource { context.random }

    /// Returns the viewer of a user, or `nil` if the user does not exist.
    public func viewer(of user: UserID) async throws -> Viewer? {
        try await store.read { try $0.viewer(user) }
    }
}
