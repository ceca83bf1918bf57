import Storage
package import Stories
import Synchronization

/// What deletion leaves for a while: stories that are kept sealed, and what repeated requests are known by.
package final class RetentionService: StoreService {
    package let context: StoreContext
    /// For how many days deleted stories are kept, sealed; 0 keeps none.
    package let days: Int
    private let feed: FeedService
    private let lostAtStart = Mutex(false)

    /// Creates the service.
    package init(context: StoreContext, feed: FeedService, days: Int) {
        self.context = context
        self.feed = feed
        self.days = days
    }

    private var seal: StorySeal { StorySeal(secret: store.keys[.sealing]) }

    /// Whether deleted stories could not be opened when this was looked at first.
    package var hadLostStories: Bool { lostAtStart.withLock(\.self) }

    /// Forgets what has served its time: a day for repeated requests and batches, and sign-ins that have ended.
    ///
    /// This is a matter of the clock alone: a request clears only what is its own user's.
    package func forgetStaleRequests() async throws {
        let now = context.certainTime
        let yesterday = Timestamp(milliseconds: now.milliseconds - 86_400_000)
        try await store.write { transaction in
            try transaction.dropRequestKeys(of: nil, usedBefore: yesterday)
            try transaction.dropBatchAnswers(of: nil, before: yesterday)
            try transaction.dropSignIns(of: nil, endedBy: now)
        }
    }

    /// Looks whether the key that deleted stories were sealed under is lost, before anything is served.
    func noteLostStories() async throws {
        let isLost = try await isKeyLost()
        lostAtStart.withLock { $0 = isLost }
    }

    /// Whether deleted stories are kept that cannot be restored, because the key they were sealed under is lost.
    ///
    /// Costs nothing when there were none at the start.
    package func hasLostStories() async throws -> Bool {
        guard hadLostStories else { return false }
        return try await isKeyLost()
    }

    /// Looks at the first and the last story that are kept: the key went between two of them, if at all.
    private func isKeyLost() async throws -> Bool {
        try await store.read { try $0.outermostSealedStories() }
            .contains { (try? seal.open($0.blob, of: $0.id)) == nil }
    }

    /// Brings a deleted story back as it was; returns whether it was still retained.
    ///
    /// Its level holds as its owner left it, but for a family that is gone or that the owner left it is private and
    /// trusts nobody with its exact point; it is withheld only if a report says so now.
    ///
    /// - Throws: ``StoreError`` when it cannot be opened, or the owner stored another story under its client id since.
    package func restore(_ id: StoryID) async throws -> Bool {
        try await store.write { [self] transaction in
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
    }

    /// Destroys what was deleted more than so many days ago, in small transactions; returns how much that was.
    ///
    /// By the time that is certain: a clock that runs ahead, after a start for instance, destroys nothing.
    package func purge(olderThanDays days: Int) async throws -> Int {
        let age = Int64(max(0, days)).multipliedReportingOverflow(by: 86_400_000)
        guard !age.overflow else { return 0 }
        // Whoever wants all of it gone does not ask for its age.
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
