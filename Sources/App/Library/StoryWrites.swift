package import Storage
package import Stories
import StoryMap

/// Stores stories within one transaction, each with everything that follows from it.
///
/// The service stores a story in no other way: a row that is written alone leaves the old place and words of the story
/// in the notifications of others. See ``StoryLibrary/writeStories(in:_:)``.
struct StoryWrites {
    private let library: StoryLibrary
    private let transaction: StoreTransaction
    /// What the map is to show once this is durable.
    fileprivate private(set) var changes: [MapChange] = []

    fileprivate init(library: StoryLibrary, transaction: StoreTransaction) {
        self.library = library
        self.transaction = transaction
    }

    /// Stores a new story and returns it as it is stored.
    ///
    /// - Throws: ``StoreError`` with code `conflict` when its id, client id or source id exists already.
    @discardableResult
    mutating func insert(_ story: Story) throws -> Story {
        let stored = try transaction.insertHeld(story)
        show(stored)
        return stored
    }

    /// Replaces a stored story and returns it as it is stored.
    @discardableResult
    mutating func update(_ story: Story) throws -> Story {
        let stored = try transaction.updateHeld(story)
        try settle(stored)
        return stored
    }

    /// Takes over a story that another program changed.
    mutating func adopt(_ story: Story) throws {
        try settle(try transaction.settleOutsideEdit(of: story))
    }

    /// Stores whether a story is private for the time being, and nothing else of it.
    mutating func updateAutoPrivate(of story: Story, replacing old: Story) throws {
        try transaction.updateAutoPrivate(of: story, replacing: old)
        try settle(story)
    }

    /// Stores how exactly the sensitive areas let a story be shown, and nothing else of it.
    mutating func updateFloor(of story: Story) throws {
        try transaction.updateFloor(of: story)
        try settle(story)
    }

    /// Rewords what others were notified of, and shows the story as it is now.
    private mutating func settle(_ story: Story) throws {
        try library.feed.reword(story.id, in: transaction)
        show(story)
    }

    private mutating func show(_ story: Story) {
        // The map needs no text; of many stories they would be much to hold.
        var shown = story
        shown.text = nil
        changes.append(.put(shown))
    }
}

@available(*, unavailable)
extension StoryWrites: Sendable {}

extension StoryLibrary {
    /// Stores stories with everything that follows from it, and shows all of them on the map together once that is durable.
    ///
    /// For example:
    ///
    /// ```swift
    /// try library.writeStories(in: transaction) { writes in
    ///     for story in stories { try writes.update(story) }
    /// }
    /// ```
    func writeStories(in transaction: StoreTransaction, _ body: (inout StoryWrites) throws -> Void) throws {
        var writes = StoryWrites(library: self, transaction: transaction)
        try body(&writes)
        if !writes.changes.isEmpty { try publish(writes.changes, after: transaction) }
    }

    /// Stores a new story, and shows it on the map once that is durable.
    ///
    /// - Throws: ``StoreError`` with code `conflict` when its id, client id or source id exists already.
    package func insert(_ story: Story, in transaction: StoreTransaction) throws {
        try writeStories(in: transaction) { try $0.insert(story) }
    }

    /// Replaces a stored story, on the map too once that is durable.
    func update(_ story: Story, in transaction: StoreTransaction) throws {
        try writeStories(in: transaction) { try $0.update(story) }
    }
}
