public import Notifications
public import Storage
public import Stories
import StoryMap

/// What was erased: counts, no names.
public struct ErasureReceipt: Sendable {
    /// The number of the receipt, on the list of erasures too.
    public let id: StoryID
    /// What.
    public let kind: ErasureList.Kind
    /// When it was asked for.
    public let at: Timestamp
    /// How many of what, in the order of the catalogue.
    public let counts: [(name: String, count: Int)]
    /// Whether the file and its log have been overwritten already; if not, the service does so within minutes.
    public let isOverwritten: Bool
}

extension StoryLibrary {
    /// Withdraws every consent of a user at once.
    public func withdrawConsents(of user: UserID, source: ConsentRecord.Source) async throws {
        _ = try await changeSettings(of: user, source: source) { settings, _ in
            if settings.enabled { settings.optOut() }
        }
    }

    /// Changes the notification settings of a user and remembers what they agree to.
    public func changeSettings(
        of user: UserID,
        source: ConsentRecord.Source,
        _ change: @escaping @Sendable (inout NotificationSettings, Timestamp) throws -> Void
    ) async throws -> NotificationSettings {
        let (now, id) = (now(), newID())
        let settings = try await store.write { transaction in
            var settings = try transaction.notificationSettings(of: user)
            try change(&settings, now)
            try transaction.save(settings, of: user, at: now, source: source, erasure: id)
            try transaction.dropKeptFixes(of: user, receivedBefore: settings.keptSince(now))
            // What waits for quiet hours may not have to any more.
            try transaction.wakeDeferred(of: user, at: now)
            return settings
        }
        if !settings.enabled { fences.memory.forget(user) }
        return settings
    }

    func newID() -> StoryID {
        var generator = random
        return StoryID(using: &generator)
    }
}
