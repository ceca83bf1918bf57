import Formats
import Importing
package import Logging
import ServiceLifecycle
import Storage
import Stories
import StoryMap
import Synchronization

/// Checks every second whether another program has changed the file, and takes over its changes.
package struct OutsideEdits: Service {
    package let edits: OutsideEditService
    package let logger: Logger

    /// Creates a value from its parts.
    package init(edits: OutsideEditService, logger: Logger) {
        self.edits = edits
        self.logger = logger
    }

    package func run() async throws {
        for await _ in AsyncTimerSequence(every: .seconds(1)).cancelOnGracefulShutdown() {
            do {
                let count = try await edits.adopt()
                if count > 0 { logger.info("adopted changes by another program", metadata: ["stories": "\(count)"]) }
            } catch {
                logger.error("could not adopt all changes made by another program", metadata: ["error": "\(error)"])
            }
        }
    }
}

/// The version of the file up to which the changes of other programs have been taken over.
final class OutsideVersion: Sendable {
    private let known = Mutex<Int?>(nil)

    func isKnown(_ version: Int) -> Bool { known.withLock { $0 == version } }
    func note(_ version: Int) { known.withLock { $0 = version } }
}

/// Takes over changes that other programs make to the file.
package struct OutsideEditService: StoreService {
    /// The number of stories taken over in one transaction.
    private static let adoptedAtOnce = 50

    package let context: StoreContext
    package let maps: MapService
    package let feed: FeedService
    /// The version up to which changes have been taken over.
    private let known = OutsideVersion()

    /// Creates a value from its parts.
    package init(context: StoreContext, maps: MapService, feed: FeedService) {
        self.context = context
        self.maps = maps
        self.feed = feed
    }

    /// Adopts the changes that another program made to the file since the last call, and returns the number of stories
    /// concerned.
    ///
    /// Each story must meet the rules of this service. It is withheld until the sensitive areas have been applied to
    /// its location. Its derived data is updated, and it appears on the map and in searches, feeds and syncs. An
    /// unreadable story is removed from the map. Anything in the other tables may have changed too, so all data cached
    /// from them is discarded. Returns 0 if the store is not writable.
    ///
    /// - Throws: ``StoreError`` if the disk fails; the remaining stories are adopted next time. Also if stories cannot
    ///   be read, after all others have been adopted.
    @discardableResult
    package func adopt() async throws -> Int {
        guard store.isWritable, store.writingProblem == nil else { return 0 }
        let version = try await store.outsideVersion()
        guard !known.isKnown(version) else { return 0 }
        var (last, count, unread) = ("", 0, 0)
        while true {
            let start = last
            let done = try await store.write { [self] transaction in
                if start.isEmpty { transaction.noteEverything() }
                let ids = try transaction.outsideEdits(after: start, limit: OutsideEditService.adoptedAtOnce)
                let unread = try ids.count { try !adopt($0, in: transaction) }
                return (last: ids.last, count: ids.count, unread: unread)
            }
            guard let id = done.last else { break }
            (last, count, unread) = (id, count + done.count, unread + done.unread)
        }
        known.note(version)
        guard unread == 0 else {
            throw StoreError(
                .damagedRow,
                "\(unread) stories cannot be read since another program changed them, and are not shown on the map. "
                    + "See the table outside_edits for their ids, and correct their rows."
            )
        }
        return count
    }

    /// Takes over one story; returns whether it could be read.
    private func adopt(_ text: String, in transaction: StoreTransaction) throws -> Bool {
        guard let id = StoryID(text) else { return false }
        let stored: Story?
        do {
            stored = try transaction.story(id).map { try withDate(of: $0, in: transaction) }
        } catch is StoreError, is JSONError {
            try transaction.noteRemoved(id)
            return false
        }
        guard let old = stored else {
            try transaction.settleOutsideRemoval(of: id)
            try transaction.noteDeletion(of: id, isForGood: true, at: now())
            try feed.forget(id, in: transaction)
            try transaction.noteRemoved(id)
            return true
        }
        var story = old
        story.updatedAt = max(
            now(),
            old.updatedAt.advanced(byMilliseconds: 1),
            old.shownUpdatedAt.advanced(byMilliseconds: 1)
        )
        story.shownUpdatedAt = story.updatedAt
        story.holdExtents()
        if maps.placeSearch != nil, let location = story.location { story.location = maps.derivingNames(location) }
        try feed.writeStories(in: transaction) { try $0.adopt(story) }
        return true
    }

    /// Returns the story with its first and last day read again from the stored text of its date; without days if the
    /// text is not understood.
    private func withDate(of story: Story, in transaction: StoreTransaction) throws -> Story {
        guard let text = try transaction.dateText(of: story.id), !text.isEmpty else { return story }
        var story = story
        let date = DateReading(text).date(of: text)
        if story.date?.days != date?.days { story.date = date }
        return story
    }
}
