package import Storage
package import Stories

/// Stores stories within one transaction, including all consequences of each write.
///
/// The service stores stories in no other way: writing only the row would leave the story's old place and text in the
/// notifications of others. See ``FeedService/writeStories(in:_:)``.
package struct StoryWrites {
    private let feed: FeedService
    private let transaction: StoreTransaction

    fileprivate init(feed: FeedService, transaction: StoreTransaction) {
        self.feed = feed
        self.transaction = transaction
    }

    /// Stores a new story and returns it as stored.
    ///
    /// - Throws: ``StoreError`` with code `conflict` if its id, client id or source id already exists.
    @discardableResult
    package func insert(_ story: Story) throws -> Story {
        try transaction.insertHeld(story)
    }

    /// Stores many new stories faster than one after the other; see ``StoreTransaction/loadStories(expecting:by:_:)``.
    package func load(expecting count: Int, by number: Int64? = nil, _ body: (StoryLoad) throws -> Void) throws {
        try transaction.loadStories(expecting: count, by: number, body)
    }

    /// Replaces a stored story and returns it as stored; `isEdit` is `false` for the changes of imports.
    @discardableResult
    package func update(_ story: Story, isEdit: Bool = true) throws -> Story {
        let stored = try transaction.updateHeld(story, isEdit: isEdit)
        try settle(stored)
        return stored
    }

    /// Adopts a story that another program changed.
    package func adopt(_ story: Story) throws {
        try settle(try transaction.settleOutsideEdit(of: story))
    }

    /// Stores only whether a story is temporarily private.
    package func updateAutoPrivate(of story: Story, replacing old: Story) throws {
        try transaction.updateAutoPrivate(of: story, replacing: old)
        try settle(story)
    }

    /// Stores only the maximum precision that the sensitive areas allow for a story.
    package func updateFloor(of story: Story) throws {
        try transaction.updateFloor(of: story)
        try settle(story)
    }

    /// Rewords the notifications about a story.
    private func settle(_ story: Story) throws { try feed.reword(story.id, in: transaction) }
}

@available(*, unavailable)
extension StoryWrites: Sendable {}

extension FeedService {
    /// Stores stories, including all consequences of each write.
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
    /// - Throws: ``StoreError`` with code `conflict` if its id, client id or source id already exists.
    package func insert(_ story: Story, in transaction: StoreTransaction) throws {
        try writeStories(in: transaction) { try $0.insert(story) }
    }

    /// Replaces a stored story.
    package func update(_ story: Story, in transaction: StoreTransaction) throws {
        try writeStories(in: transaction) { try $0.update(story) }
    }
}
