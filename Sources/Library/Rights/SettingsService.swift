package import Notifications
package import Storage
package import Stories

/// What people agree to, and how they want to be notified.
package struct SettingsService: StoreService {
    package let context: StoreContext
    package let feed: FeedService
    package let fences: FenceService
    /// Names places that no story has a name for.
    package let names: GazetteerNames

    /// Withdraws every consent of a user at once.
    package func withdrawConsents(of user: UserID, source: ConsentRecord.Source) async throws {
        _ = try await change(of: user, source: source) { settings, _ in
            if settings.enabled { settings.optOut() }
        }
    }

    /// Changes the notification settings of a user and remembers what they agree to.
    package func change(
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
}

extension StoreService {
    /// Returns a new number for the list of erasures.
    func newID() -> StoryID {
        var generator = random
        return StoryID(using: &generator)
    }
}
