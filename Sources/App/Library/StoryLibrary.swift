import Foundation
public import Gazetteer
import Geometry
public import Storage
public import Stories
public import StoryMap

/// The stories of one database with their map: what the commands and the HTTP service both work on.
///
/// The map index is derived: built from the database when the library is opened, and changed after each commit in the
/// order of the commits.
public final class StoryLibrary: Sendable {
    /// The database.
    public let store: StoryStore
    /// The index in memory.
    public let map: MapIndex
    /// The texts, for searches of words.
    let textSearch: TextSearch
    /// What was found for words lately.
    let wordSearches = WordSearches()
    /// The places and their names, or `nil` where no gazetteer could be loaded.
    public let gazetteer: GazetteerIndex?
    /// The same with the places and addresses that the operator added, for questions that people type.
    public let placeSearch: PlaceSearch?
    /// The time, for everything that is stamped with it.
    public let now: @Sendable () -> Timestamp
    /// Where ids and secrets come from.
    public let random: RandomSource
    /// The places around where people were last.
    let fenceMemory = FenceMemory()
    /// What became of fixes.
    let fixCounts = FixCounts()
    /// Which accesses to exact points are noted already.
    let notedAccesses = NotedAccesses()
    /// What leaves the service.
    public let desk = DeliveryDesk()
    /// The exports under way.
    package let exports = ExportGate()
    /// Whose turn it is with long work.
    package let traces = WorkShares(perUser: 1, perAddress: 4, inAll: 8)
    let packages = WorkShares(perUser: 2, perAddress: 4, inAll: 16)
    let batches = BatchLines()
    /// Who looks on live.
    package let live = LiveHub()
    /// How many days deleted stories are kept, sealed; 0 keeps none.
    public let retentionDays: Int

    /// Seven years, the retention unless told otherwise.
    public static let defaultRetentionDays = 2_557

    /// The built-in user who owns imports without an owner.
    public static let archive: UserID = {
        guard let user = UserID("archive") else { preconditionFailure("archive is a user id") }
        return user
    }()

    /// Opens a library on a store and reads all its stories into the map index.
    public init(
        store: StoryStore,
        gazetteer: GazetteerIndex?,
        additions: GazetteerAdditions? = nil,
        now: @escaping @Sendable () -> Timestamp,
        random: RandomSource = .system,
        retentionDays: Int = StoryLibrary.defaultRetentionDays
    ) async throws {
        self.store = store
        self.gazetteer = gazetteer
        placeSearch = gazetteer.map { PlaceSearch(places: $0, additions: additions) }
        self.now = now
        self.random = random
        self.retentionDays = max(0, retentionDays)
        store.useClock(now)
        store.onChange { [live] in live.note($0) }
        let (high, low) = store.keys.integers(.versions)
        // Merging large parts takes a second: no thread that answers requests does it.
        let merging = DispatchQueue(label: "waymark.map", qos: .utility)
        let key = DigestKey(high: high, low: low)
        textSearch = TextSearch(store: store, key: key)
        let map = MapIndex(digestKey: key) { work in merging.async(execute: work) }
        self.map = map
        if store.isWritable { try await applyErasures() }
        try await store.read { transaction in
            try map.load { add in try transaction.forEachStory(add) }
        }
    }

    /// The viewer of a user, or `nil` when there is no such user.
    public func viewer(of user: UserID) async throws -> Viewer? {
        try await store.read { try $0.viewer(user) }
    }

    /// Stores a new story, and shows it on the map once that is durable.
    ///
    /// - Throws: ``StoreError`` with code `conflict` when its id, client id or source id exists already.
    package func insert(_ story: Story, in transaction: StoreTransaction) throws {
        let story = try transaction.insertHeld(story)
        try publish([.put(story)], after: transaction)
    }

    /// Replaces a stored story, on the map too once that is durable.
    func update(_ story: Story, in transaction: StoreTransaction) throws {
        let story = try transaction.updateHeld(story)
        try rewordFeeds(story.id, in: transaction)
        try publish([.put(story)], after: transaction)
    }

    /// Stores which of these stories are private for the time being, on the map too once that is durable.
    func updateAutoPrivate(of changes: [(old: Story, new: Story)], in transaction: StoreTransaction) throws {
        for (old, new) in changes { try transaction.updateAutoPrivate(of: new, replacing: old) }
        try publish(changes.map { .put($0.new) }, after: transaction)
    }

    /// Removes a story, from the map too once that is durable; kept sealed for the retention unless `forGood` (PRV-07).
    ///
    /// An older copy of the database put back does not bring it back: the list of erasures has it.
    func remove(_ id: StoryID, forGood: Bool = false, in transaction: StoreTransaction) throws {
        let (now, isForGood) = (now(), forGood || retentionDays == 0)
        try take(id, forGood: isForGood, at: now, in: transaction)
        try store.noteDeletion(of: id, isForGood: isForGood, at: now, in: transaction)
    }

    /// Removes a story from this copy of the database, as deleted at `time`.
    func take(_ id: StoryID, forGood: Bool, at time: Timestamp, in transaction: StoreTransaction) throws {
        if !forGood { try seal(id, at: time, in: transaction) }
        try transaction.deleteStory(id)
        try forgetInFeeds(id, in: transaction)
        transaction.afterCommit { [store] in store.noteRemoval() }
        try publish([.remove(id)], after: transaction)
    }

    /// Shows changes of stories on the map once they are durable; what is searched follows before the next search.
    func publish(_ changes: [MapChange], after transaction: StoreTransaction) throws {
        try transaction.noteStories(changes.map(\.id))
        transaction.afterCommit { [map, textSearch, desk] in
            textSearch.note(changes.map(\.id))
            map.apply(changes)
            desk.callOff(tellingOf: changes.map(\.id))
        }
    }

    /// Fills the missing city, state and country of a location from the gazetteer and marks them as derived (LOC-03).
    public func derivingNames(_ location: StoryLocation) -> StoryLocation {
        var location = location
        for name in location.derived { location.names[name] = nil }
        location.derived = []
        guard location.names[.city] == nil || location.names[.country] == nil || location.names[.state] == nil,
            let match = placeSearch?.reverse(location.coordinate)
        else { return location }
        let found: [(LocationName, String?)] = [
            (.city, match.isNear ? nil : match.settlementName), (.state, match.place.admin1),
            (.country, match.place.country),
        ]
        for (name, value) in found where location.names[name] == nil {
            guard let value, !value.isEmpty else { continue }
            location.names[name] = value
            location.derived.insert(name)
        }
        return location
    }
}
