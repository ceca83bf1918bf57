package import Storage
package import Stories

/// Stores stories within one transaction, each with everything that follows from it.
///
/// The service stores a story in no other way: a row that is written alone leaves the old place and words of the story
/// in the notifications of others. See ``FeedService/writeStories(in:_:)``.
package struct StoryWrites {
    private let feed: FeedService
    private let transaction: StoreTransaction

    fileprivate init(feed: FeedService, transaction: StoreTransaction) {
        self.feed = feed
        self.transaction = transaction
    }

    /// Stores a new story and returns it as it is stored.
    ///
    /// - Throws: ``StoreError`` with code `conflict` when its id, client id or source id exists already.
    @discardableResult
    package func insert(_ story: Story) throws -> Story {
        try transaction.insertHeld(story)
    }

    /// Replaces a stored story and returns it as it is stored.
    @discardableResult
    package func update(_ story: Story) throws -> Story {
        let stored = try transaction.updateHeld(story)
        try settle(stored)
        return stored
    }

    /// Takes over a story that another program changed.
    package func adopt(_ story: Story) throws {
        try settle(try transaction.settleOutsideEdit(of: story))
    }

    /// Stores whether a story is private for the time being, and nothing else of it.
    package func updateAutoPrivate(of story: Story, replacing old: Story) throws {
        try transaction.updateAutoPrivate(of: story, replacing: old)
        try settle(story)
    }

    /// Stores how exactly the sensitive areas let a story be shown, and nothing else of it.
    package func updateFloor(of story: Story) throws {
        try transaction.updateFloor(of: story)
        try settle(story)
    }

    /// Rewords what others were notified of.
    private func settle(_ story: Story) throws { try feed.reword(story.id, in: transaction) }
}

@available(*, unavailable)
extension StoryWrites: Sendable {}

extension FeedService {
    /// Stores stories with everything that follows from it.
    ///
    /// For example:
    ///
    /// ```swift
    /// try feed.writeStories(in: transaction) { writes in
    ///     for story in stories { try writes.update(story) }
    /// }
    /// ```
    package func writeStories(in transaction: StoreTransaction, _ body: (StoryWrites) throws -> Void) throws {
        try body(StoryWrites(feed: self, transaction: transaction))
    }

    /// Stores a new story.
    ///
    /// - Throws: ``StoreError`` with code `conflict` when its id, client id or source id exists already.
    package func insert(_ story: Story, in transaction: StoreTransaction) throws {
        try writeStories(in: transaction) { try $0.insert(story) }
    }

    /// Replaces a stored story.
    package func update(_ story: Story, in transaction: StoreTransaction) throws {
        try writeStories(in: transaction) { try $0.update(story) }
    }
}
