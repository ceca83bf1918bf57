package import Storage
package import Stories
import Synchronization

/// Manages data kept for a limited time after use: sealed deleted stories, and the keys that identify repeated
/// requests.
package final class RetentionService: StoreService {
    package let context: StoreContext
    /// The number of days for which deleted stories are kept sealed; 0 keeps none.
    package let days: Int
    private let feed: FeedService
    private let lostAtStart = Mutex(false)

    /// Creates the service.
    package init(context: StoreContext, feed: FeedService, days: Int) {
        self.context = context
        self.feed = feed
        self.days = days
    }

    var seal: StorySeal { StorySeal(keys: store.keys) }

    /// Whether deleted stories could not be opened when the library was opened.
    package var hadLostStories: Bool { lostAtStart.withLock(\.self) }

    /// Deletes outdated records: the keys and answers of requests and batches after a day, and ended sign-ins, sessions
    /// and codes.
    ///
    /// Deletes the records of all users, depending on the clock alone; a request, in contrast, deletes only those of
    /// its own user.
    package func forgetStaleRequests() async throws {
        let now = context.certainTime
        let yesterday = Timestamp(milliseconds: now.milliseconds - 86_400_000)
        try await store.write { transaction in
            try transaction.dropRequestKeys(of: nil, usedBefore: yesterday)
            try transaction.dropBatchAnswers(of: nil, before: yesterday)
            try transaction.dropRequestAnswers(of: nil, before: yesterday)
            try transaction.dropSignIns(of: nil, endedBy: now)
            try transaction.dropPageSessions(of: nil, endedBy: now)
            try transaction.dropShareLinks(of: nil, endedBy: now)
        }
    }

    /// Checks whether the key that deleted stories were sealed with is lost; runs before anything is served.
    func noteLostStories() async throws {
        let isLost = try await isKeyLost()
        lostAtStart.withLock { $0 = isLost }
    }

    /// Returns whether some of the retained deleted stories cannot be restored because the key they were sealed with
    /// is lost.
    ///
    /// Reads nothing if no such stories were found when the library was opened.
    package func hasLostStories() async throws -> Bool {
        guard hadLostStories else { return false }
        return try await isKeyLost()
    }

    /// Checks only the first-deleted and the last-deleted of the sealed stories: if the key was replaced after any of
    /// them was sealed, at least one of these two cannot be opened.
    private func isKeyLost() async throws -> Bool {
        try await store.read { try $0.outermostSealedStories() }
            .contains { (try? seal.open($0.blob, of: $0.id)) == nil }
    }

    /// Restores a deleted story; returns `false` if it is no longer kept.
    ///
    /// Its privacy level is the last one chosen by its owner, unless its family no longer exists or the owner has left
    /// that family: see ``Story/withdraw(from:)``. It is withheld only if an actioned report requires that now.
    ///
    /// - Throws: ``StoreError`` if it cannot be opened, or if its client id or source id has been reused since.
    package func restore(_ id: StoryID) async throws -> Bool {
        try await store.write { [self] transaction in try restore(id, in: transaction) }
    }

    /// Restores a deleted story within a transaction; see ``restore(_:)``.
    package func restore(_ id: StoryID, in transaction: StoreTransaction) throws -> Bool {
        guard let sealed = try transaction.sealedStory(id) else { return false }
        var frozen = try FrozenStory(bytes: seal.open(sealed.blob, of: id))
        if let family = frozen.story.family,
            try transaction.viewer(frozen.story.owner)?.families[family] == nil
        {
            frozen.story.withdraw(from: family)
        }
        frozen.story.isWithheld = try transaction.isWithheldByReport(id)
        try feed.insert(frozen.story, in: transaction)
        try transaction.restoreDetails(of: frozen)
        try transaction.removeSealed(id)
        transaction.noteReturn(of: id, at: now())
        return true
    }

    /// Destroys stories deleted more than `days` days ago, in small transactions; returns the number of stories.
    ///
    /// Uses the certain time, so that a clock that is ahead, for instance after a start, does not destroy stories too
    /// early.
    package func purge(olderThanDays days: Int) async throws -> Int {
        let age = Int64(max(0, days)).multipliedReportingOverflow(by: 86_400_000)
        guard !age.overflow else { return 0 }
        // With 0 days everything is destroyed, so no age needs to be certain.
        let limit = days == 0 ? now() : Timestamp(milliseconds: context.certainTime.milliseconds - age.partialValue)
        var total = 0
        while true {
            let isFirst = total == 0
            let purged = try await store.write { transaction in
                let purged = try transaction.purgeSealed(deletedUpTo: limit, limit: 500)
                if isFirst, purged > 0 { try transaction.noteRetentionEnd(of: limit) }
                return purged
            }
            total += purged
            guard purged == 500 else { return total }
        }
    }
}
