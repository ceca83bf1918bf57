import Storage
package import Stories

/// Finds the changes for a client that keeps a copy of the stories.
package struct ChangesService: StoreService {
    /// The number of bytes after which a page of changes ends, because texts can be long.
    private static let pageLength = 4 << 20
    /// The number of stories read at a time.
    private static let chunk = 50

    package let context: StoreContext
    package let accesses: AccessLog

    /// Adds to `page` the stories that are new or changed for a viewer since `cursor`; without a cursor, all stories.
    ///
    /// The page covers everything up to the instant of the answer, regardless of writes in progress: nothing on it,
    /// especially not the cursor, may reveal that someone is writing. The next sync finds the data being written at
    /// that instant.
    ///
    /// - Throws: ``Refusal`` (gone) for a cursor older than the store's record of changes.
    package func read<Page: StoryPageWriter>(
        since cursor: SyncCursor?,
        viewer: Viewer,
        limit: Int,
        to page: Page
    ) async throws -> (changes: Changes, page: Page) {
        let oldest = now().milliseconds - Int64(StoreTransaction.audienceMemory) * 86_400_000
        if let earliest = cursor?.earliest, earliest.milliseconds < oldest { throw Refusal.cursorTooOld }
        // Determined before the read begins, so that no change falls in between.
        let target = cursor?.target ?? store.answerInstant(after: cursor?.since)
        let (changes, written) = try await store.read { transaction in
            // Families may have changed since the token was checked; the rights in this view of the data apply.
            var current = try viewer.user.map { try transaction.viewer($0) ?? Viewer(user: $0) } ?? .anonymous
            current.service = viewer.service
            let found = try transaction.changes(
                for: current,
                since: cursor?.since,
                after: cursor?.position,
                limit: limit + 1
            )
            var written = ChangesPage(viewer: current, page: page)
            try written.write(found.prefix(limit), in: transaction)
            let isMore = written.count < found.count
            var next =
                isMore
                ? SyncCursor(since: cursor?.since, target: target, position: written.last) : SyncCursor(since: target)
            next.marks = cursor?.marks
            next.collections = cursor?.collections
            var marks: MarkChanges?
            var collections: [SyncedCollection]?
            if !isMore, let user = current.user {
                let all = try transaction.marks(of: user, as: current)
                marks = MarkChanges(all, since: cursor?.marks)
                next.marks = MarkDigests(all)
                let known = try SyncedCollection.all(for: current, in: transaction)
                next.collections = CollectionDigest(known)
                if next.collections != cursor?.collections { collections = known }
            }
            let changes = Changes(
                gone: written.gone,
                marks: marks,
                collections: collections,
                next: next,
                isMore: isMore,
                target: target,
                since: cursor?.since
            )
            return (changes, written)
        }
        try await accesses.note(written.trusted, for: written.viewer)
        return (changes, written.page)
    }

    /// A page of changes while it is being written.
    private struct ChangesPage<Page: StoryPageWriter>: Sendable {
        let viewer: Viewer
        private(set) var page: Page
        private(set) var gone: [StoryID] = []
        /// The stories on the page that the viewer sees in more detail than others, without their texts.
        private(set) var trusted: [Story] = []
        /// The number of changed stories processed, including those without an entry on the page.
        private(set) var count = 0
        /// The last changed story processed.
        private(set) var last: StoryID?

        init(viewer: Viewer, page: Page) { (self.viewer, self.page) = (viewer, page) }

        /// Writes stories until the page is long enough.
        mutating func write(_ found: some RandomAccessCollection<ChangedStory>, in transaction: StoreReader) throws {
            var rest = found[...]
            while !rest.isEmpty, page.length < ChangesService.pageLength {
                let chunk = rest.prefix(ChangesService.chunk)
                rest = rest.dropFirst(chunk.count)
                let stories = try transaction.stories(chunk.map(\.id))
                let names = try transaction.names(of: Set(stories.values.map(\.owner)))
                for entry in chunk {
                    guard page.length < ChangesService.pageLength else { break }
                    if let story = stories[entry.id], story.isVisible(to: viewer), !entry.isHidden {
                        page.add(StoryView(story: story, viewer: viewer, ownerName: names[story.owner]))
                        if story.givesMore(to: viewer) { trusted.append(story.withoutText) }
                    } else if entry.wasSeen {
                        gone.append(entry.id)
                    }
                    count += 1
                    last = entry.id
                }
            }
        }
    }
}

/// Receives the stories of a page as they are read, so that their texts are not held twice.
package protocol StoryPageWriter: Sendable {
    /// The size of the page so far in bytes.
    var length: Int { get }

    /// Appends a story.
    mutating func add(_ story: StoryView)
}

/// The result of a sync besides the new and changed stories.
package struct Changes: Sendable {
    /// The stories that the viewer had and may no longer see.
    package let gone: [StoryID]
    /// The viewer's own marks that changed, with the last page; `nil` if none did, and before.
    package let marks: MarkChanges?
    /// All collections that the viewer may see, with the last page; `nil` if none changed, and before.
    package let collections: [SyncedCollection]?
    /// The start of the next page or sync.
    package let next: SyncCursor
    /// Whether there is another page.
    package let isMore: Bool
    /// The instant up to which the viewer knows everything at the end of the sync.
    package let target: Timestamp
    /// The instant up to which the viewer knew everything when the sync began; `nil` if they knew nothing.
    package let since: Timestamp?
}

extension Refusal {
    /// The sync would begin before the record of changes does.
    static let cursorTooOld = Refusal(
        .gone,
        "cursor-too-old",
        "This cursor is older than the recorded changes. Discard your local copy and start again without since."
    )
}
