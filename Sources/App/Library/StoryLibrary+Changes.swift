import Formats
import Storage
import Stories

extension StoryLibrary {
    /// The bytes after which a page of changes ends: texts can be long.
    private static let changesLength = 4 << 20
    /// How many stories are read at a time.
    private static let changesChunk = 50

    /// The JSON of `GET /v1/changes`: what a viewer may learn that is new since `cursor`, everything without one.
    ///
    /// It goes up to the instant of the answer, whoever is writing: nothing in it, the cursor least of all, may tell that
    /// somebody is. What is being written just then is found by the next sync all the same.
    ///
    /// - Throws: ``Refusal`` (410) for a cursor from before the store remembers.
    func changesJSON(
        since cursor: SyncCursor?,
        viewer: Viewer,
        limit: Int,
        encode: @escaping @Sendable (SyncCursor) -> String
    ) async throws -> [UInt8] {
        let oldest = now().milliseconds - Int64(StoreTransaction.audienceMemory) * 86_400_000
        if let earliest = cursor?.earliest, earliest.milliseconds < oldest { throw Refusal.cursorTooOld }
        // Before the read begins, so that nothing falls in between.
        let target = cursor?.target ?? store.answerInstant(after: cursor?.since)
        let (json, shown, reader) = try await store.read { transaction in
            // Families may have changed since the token was checked: what counts is this one view of the data.
            var current = try viewer.user.map { try transaction.viewer($0) ?? Viewer(user: $0) } ?? .anonymous
            current.service = viewer.service
            let viewer = current
            let found = try transaction.changes(
                for: viewer,
                since: cursor?.since,
                after: cursor?.position,
                limit: limit + 1
            )
            var page = ChangesPage(viewer: viewer)
            try page.write(found.prefix(limit), in: transaction)
            let isMore = page.written < found.count
            let next =
                isMore
                ? SyncCursor(since: cursor?.since, target: target, position: page.last) : SyncCursor(since: target)
            let json = page.json(next: encode(next), isMore: isMore, at: target, lastAt: cursor?.since)
            return (json, page.trusted, viewer)
        }
        try await accesses.note(shown, for: reader)
        return json
    }

    /// A page of changes while it is written.
    private struct ChangesPage {
        let viewer: Viewer
        private var changed = JSONWriter(capacity: 65_536)
        private var gone: [String] = []
        /// The stories in it that the viewer gets more exactly than others do, without their texts.
        private(set) var trusted: [Story] = []
        /// How many of the stories found are in it.
        private(set) var written = 0
        /// The last of them.
        private(set) var last: StoryID?

        init(viewer: Viewer) { self.viewer = viewer }

        /// Writes stories until the page is long enough.
        mutating func write(_ found: some RandomAccessCollection<ChangedStory>, in transaction: StoreReader) throws {
            changed.beginArray()
            var rest = found[...]
            while !rest.isEmpty, changed.bytes.count < StoryLibrary.changesLength {
                let chunk = rest.prefix(StoryLibrary.changesChunk)
                rest = rest.dropFirst(chunk.count)
                let stories = try transaction.stories(chunk.map(\.id))
                let writer = StoryJSON(
                    viewer: viewer,
                    ownerNames: try transaction.names(of: Set(stories.values.map(\.owner)))
                )
                for entry in chunk {
                    guard changed.bytes.count < StoryLibrary.changesLength else { break }
                    if let story = stories[entry.id], story.isVisible(to: viewer), !entry.isHidden {
                        writer.write(story, to: &changed)
                        if story.givesMore(to: viewer) { trusted.append(story.withoutText) }
                    } else if entry.wasSeen {
                        gone.append(entry.id.description)
                    }
                    written += 1
                    last = entry.id
                }
            }
            changed.endArray()
        }

        func json(next: String, isMore: Bool, at target: Timestamp, lastAt: Timestamp?) -> [UInt8] {
            var json = JSONWriter(capacity: changed.bytes.count + 40 * gone.count + 400)
            json.beginObject()
            json.key("changed")
            json.raw(changed.bytes)
            json.member("gone", gone)
            json.member("next", next)
            json.member("more", isMore)
            json.member("synced_at", RFC3339.format(target))
            json.member("last_synced_at", lastAt.map { RFC3339.format($0) })
            json.key("links")
            json.beginArray()
            json.beginObject()
            json.member("rel", "next")
            json.member("type", MediaType.json)
            json.member("href", "/v1/changes?since=" + next)
            json.endObject()
            json.endArray()
            json.endObject()
            return json.bytes
        }
    }
}

extension Refusal {
    /// A sync that would begin before what is remembered.
    static let cursorTooOld = Refusal(
        .gone,
        "cursor-too-old",
        "This cursor is older than what is remembered of changes. Begin again without since, and forget what you have."
    )
}
