package import Notifications
package import Storage
package import Stories

/// Manages users' consent and notification settings.
package struct SettingsService: StoreService {
    package let context: StoreContext
    package let feed: FeedService
    package let fences: FenceService
    /// Provides names for places that no story names.
    package let names: GazetteerNames

    /// Withdraws every consent of a user at once.
    package func withdrawConsents(of user: UserID, source: ConsentRecord.Source) async throws {
        _ = try await change(of: user, source: source) { settings, _ in
            if settings.enabled { settings.optOut() }
        }
    }

    /// Changes the notification settings of a user and records their consent.
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
            // Entries deferred for quiet hours may be due now.
            try transaction.wakeDeferred(of: user, at: now)
            return settings
        }
        if !settings.enabled {
            fences.memory.forget(user)
            fences.journal.forget(user)
        }
        return settings
    }
}

extension StoreService {
    /// Returns a new id for a line on the list of erasures.
    func newID() -> StoryID {
        var generator = random
        return StoryID(using: &generator)
    }
}
