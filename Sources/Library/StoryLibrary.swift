public import Gazetteer
import Geometry
import Logging
public import Storage
public import Stories
public import StoryMap
import Synchronization

/// The stories of one database with their map: what the commands and the HTTP service both work on.
///
/// The map index is derived: built from the database when the library is opened, and changed after each commit in the
/// order of the commits.
public final class StoryLibrary: Sendable {
    /// The database, the time and the source of ids: what all services share.
    package let context: StoreContext
    /// Records who received exact points.
    package let accesses: AccessLog
    /// Answers what is found on the map and in lists.
    public let maps: MapService
    /// Favourites, hidden and viewed stories.
    package let marks: MarkService
    /// Names that people give to areas.
    package let places: PlaceService
    /// Collections of stories.
    package let collections: CollectionService
    /// Families and their members.
    package let families: FamilyService
    /// Invitations into families.
    package let invitations: InvitationService
    /// Keeps the time.
    package let time: TimeKeeper
    /// Fixes, entries and recorded traces.
    package let fences: FenceService
    /// Stories: made, changed, deleted and read.
    package let stories: StoryService
    /// What is read from files.
    package let imports: ImportService
    /// Changes that other programs make in the file.
    package let outsideEdits: OutsideEditService
    /// Copies of the stories that clients keep.
    package let sync: SyncServices
    /// What operators and other services decide about who sees stories.
    package let moderation: ModerationServices
    /// The rights of people over their data.
    package let rights: RightsServices
    /// Channels of users.
    package let channels: ChannelService
    /// What is sent through channels, from the outbox.
    package let delivery: DeliveryService
    /// Who may have how many traces replayed at a time.
    package let traces = WorkShares(perUser: 1, perAddress: 4, inAll: 8)
    /// Who looks on live.
    package let live = LiveHub()
    /// The feeds of notifications.
    package let feed: FeedService

    /// Seven years, the retention by default.
    public static let defaultRetentionDays = 2_557

    /// Opens a library on a store and reads all its stories into the map index.
    ///
    /// `now` is the clock on the wall; `running` one in milliseconds that only runs, also while the machine sleeps,
    /// within the run of the machine that `boot` names. Without it jumps of the wall clock cannot be told from time
    /// that goes by.
    public init(
        store: StoryStore,
        gazetteer: GazetteerIndex?,
        additions: GazetteerAdditions? = nil,
        now: @escaping @Sendable () -> Timestamp,
        running: (@Sendable () -> Int64)? = nil,
        boot: String? = nil,
        random: RandomSource = .system,
        retentionDays: Int = StoryLibrary.defaultRetentionDays,
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
        imports = ImportService(context: context, maps: maps, feed: feed, proposals: proposals)
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
        store.onChange { [maps, delivery, feed, live] change in
            maps.follow(change)
            delivery.state.follow(change)
            // Before live streams wake: they count what is known by then.
            feed.unread.note(change)
            live.note(change)
        }
        try await time.resumeClock()
        store.useClock(context.now)
        if store.isWritable {
            try await rights.restoring.applyErasures()
            try await channels.checkSeals()
            try await rights.retention.noteLostStories()
        }
        progress.begin("Reading stories")
        try await store.read { [maps] transaction in
            let total = try transaction.storyCount()
            var count = 0
            try maps.index.load { add in
                try transaction.forEachStory { story in
                    add(story)
                    count += 1
                    if count.isMultiple(of: 4_096) { progress.advance(to: count, of: total) }
                }
                progress.advance(to: count, of: total)
                progress.begin("Building the map")
            }
        }
        do {
            try await outsideEdits.adopt()
        } catch let error as StoreError where error.code == .diskFull {
            // What others changed is withheld meanwhile, and tried again each second.
            store.logger.warning("the disk is full; changes by other programs are taken over once it has room")
        }
    }

    /// The database.
    public var store: StoryStore { context.store }

    /// The index of the map in memory.
    public var map: MapIndex { maps.index }

    /// The time, for everything that is stamped with it: a clock that does not jump with the one on the wall.
    public var now: @Sendable () -> Timestamp { context.now }

    /// The clock that the time is read from.
    package var clock: ServiceClock { context.clock }

    /// The source of ids and secrets.
    public var random: RandomSource { context.random }

    /// The viewer of a user, or `nil` when there is no such user.
    public func viewer(of user: UserID) async throws -> Viewer? {
        try await store.read { try $0.viewer(user) }
    }
}
