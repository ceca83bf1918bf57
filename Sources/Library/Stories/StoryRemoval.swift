package import Storage
package import Stories

/// Removes stories and their notifications, adds them to the list of erasures, and keeps a sealed copy.
package struct StoryRemoval: StoreService {
    package let context: StoreContext
    package let feed: FeedService
    /// The number of days for which deleted stories are kept sealed; 0 keeps none.
    package let retentionDays: Int

    /// Creates a value from its parts.
    package init(context: StoreContext, feed: FeedService, retentionDays: Int) {
        self.context = context
        self.feed = feed
        self.retentionDays = retentionDays
    }

    /// Removes a story, which disappears from the map once the transaction is durable; a sealed copy is kept during the
    /// retention (PRV-07).
    ///
    /// Restoring an older copy of the database does not bring it back: the list of erasures contains it.
    package func remove(_ id: StoryID, in transaction: StoreTransaction) throws {
        let (now, isForGood) = (now(), retentionDays == 0)
        try take(id, forGood: isForGood, at: now, in: transaction)
        try transaction.noteDeletion(of: id, isForGood: isForGood, at: now)
    }

    /// Removes a story from this copy of the database, with `time` as the time of deletion.
    package func take(_ id: StoryID, forGood: Bool, at time: Timestamp, in transaction: StoreTransaction) throws {
        if !forGood { try seal(id, at: time, in: transaction) }
        let digest = try transaction.clientDigest(of: id)
        try transaction.deleteStory(id)
        if let digest {
            let keys = CreationKeys(secret: store.keys[.storyIDs])
            try transaction.noteDeletedCreation(keys.creation(digest), of: id)
        }
        try feed.forget(id, in: transaction)
    }

    /// Seals a story that is about to be removed, with all its stored data.
    private func seal(_ id: StoryID, at time: Timestamp, in transaction: StoreTransaction) throws {
        guard let story = try transaction.story(id), let bytes = try transaction.frozenStory(id) else { return }
        let blob = try StorySeal(keys: store.keys).seal(bytes, of: id, random: random)
        try transaction.save(SealedStory(id: id, owner: story.owner, deletedAt: time, blob: blob))
    }
}
