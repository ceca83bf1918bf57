import Storage
package import Stories

/// Finds what is new for a client that keeps a copy of the stories.
package struct ChangesService: StoreService {
    /// The bytes after which a page of changes ends: texts can be long.
    private static let pageLength = 4 << 20
    /// How many stories are read at a time.
    private static let chunk = 50

    package let context: StoreContext
    package let accesses: AccessLog

    /// Adds to `page` what a viewer may learn that is new since `cursor`, everything without one.
    ///
    /// It goes up to the instant of the answer, whoever is writing: nothing in it, the cursor least of all, may tell
    /// that somebody is. What is being written just then is found by the next sync all the same.
    ///
    /// - Throws: ``Refusal`` (gone) for a cursor from before the store remembers.
    package func read<Page: StoryPageWriter>(
        since cursor: SyncCursor?,
        viewer: Viewer,
        limit: Int,
        to page: Page
    ) async throws -> (changes: Changes, page: Page) {
        let oldest = now().milliseconds - Int64(StoreTransaction.audienceMemory) * 86_400_000
        if let earliest = cursor?.earliest, earliest.milliseconds < oldest { throw Refusal.cursorTooOld }
        // Before the read begins, so that nothing falls in between.
        let target = cursor?.target ?? store.answerInstant(after: cursor?.since)
        let (changes, written) = try await store.read { transaction in
            // Families may have changed since the token was checked: what counts is this one view of the data.
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
            let next =
                isMore
                ? SyncCursor(since: cursor?.since, target: target, position: written.last) : SyncCursor(since: target)
            let changes = Changes(
                gone: written.gone,
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

    /// A page of changes while it is written.
    private struct ChangesPage<Page: StoryPageWriter>: Sendable {
        let viewer: Viewer
        private(set) var page: Page
        private(set) var gone: [StoryID] = []
        /// The stories in it that the viewer gets more exactly than others do, without their texts.
        private(set) var trusted: [Story] = []
        /// How many of the stories found are in it.
        private(set) var count = 0
        /// The last of them.
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

/// Takes the stories of a page as they are read, so that their texts need not be held besides.
package protocol StoryPageWriter: Sendable {
    /// How many bytes the page has by now.
    var length: Int { get }

    /// Adds a story at the end.
    mutating func add(_ story: StoryView)
}

/// What a viewer learns by a sync besides the stories that are new or different.
package struct Changes: Sendable {
    /// The stories that the viewer had and may not see any more.
    package let gone: [StoryID]
    /// Where the next page or sync begins.
    package let next: SyncCursor
    /// Whether there is another page.
    package let isMore: Bool
    /// The instant up to which the viewer knows everything when the sync ends.
    package let target: Timestamp
    /// The instant up to which they did when it began; `nil` when they knew nothing.
    package let since: Timestamp?
}

extension Refusal {
    /// A sync that would begin before what is remembered.
    static let cursorTooOld = Refusal(
        .gone,
        "cursor-too-old",
        "This cursor is older than what is remembered of changes. Begin again without since, and forget what you have."
    )
}
