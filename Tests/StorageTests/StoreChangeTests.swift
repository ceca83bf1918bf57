import Storage
import Stories
import Synchronization
import TestSupport
import Testing

@Suite("The changes of a commit")
struct StoreChangeTests {
    private final class Record: Sendable {
        private let changes = Mutex<[StoreChange]>([])

        private let listening = Mutex<ChangeListening?>(nil)

        init(_ store: StoryStore) {
            let hears = store.onChange { [weak self] change in self?.changes.withLock { $0.append(change) } }
            listening.withLock { $0 = hears }
        }

        /// Returns the changes since it was last asked.
        func take() -> [StoreChange] {
            changes.withLock { changes in
                defer { changes = [] }
                return changes
            }
        }
    }

    private let fixture: StoreFixture
    private let record: Record
    private let ana: UserID

    init() throws {
        fixture = try StoreFixture()
        record = Record(fixture.store)
        ana = try #require(UserID("ana"))
    }

    @Test("Every way of storing a story records it as stored, without its text")
    func stored() async throws {
        var story = try makeStory(1)
        story.text = "a long text"
        var shown = story
        shown.text = nil
        try await fixture.store.write { [story] in try $0.insert(story) }
        #expect(record.take().map(\.stories) == [[.put(shown)]])

        (story.title, shown.title) = ("Another", "Another")
        try await fixture.store.write { [story] in try $0.update(story) }
        #expect(record.take().map(\.stories) == [[.put(shown)]])

        let old = story
        (story.autoPrivate, shown.autoPrivate) = (true, true)
        try await fixture.store.write { [story] in try $0.updateAutoPrivate(of: story, replacing: old) }
        #expect(record.take().flatMap(\.stories).map(\.id) == [story.id])

        try await fixture.store.write { [story] in try $0.updateFloor(of: story) }
        #expect(record.take().flatMap(\.stories).map(\.id) == [story.id])

        try await fixture.store.write { [id = story.id] in try $0.deleteStory(id) }
        #expect(record.take().map(\.stories) == [[.remove(story.id)]])
    }

    @Test("Several changes in one commit keep their order")
    func order() async throws {
        let (first, second) = (try makeStory(1), try makeStory(2))
        try await fixture.store.write { transaction in
            try transaction.insert(first)
            try transaction.insert(second)
            try transaction.deleteStory(first.id)
        }
        let stories = record.take().flatMap(\.stories)
        #expect(stories.map(\.id) == [first.id, second.id, first.id])
        #expect(stories.last == .remove(first.id))
    }

    @Test("Nothing undone is recorded: neither a failed write nor a failed attempt within a successful one")
    func undone() async throws {
        struct Failure: Error {}
        let (first, second) = (try makeStory(1), try makeStory(2))
        await #expect(throws: Failure.self) {
            try await fixture.store.write { transaction in
                try transaction.insert(first)
                throw Failure()
            }
        }
        #expect(record.take().flatMap(\.stories).isEmpty)
        try await fixture.store.write { transaction in
            try transaction.insert(second)
            _ = try? transaction.attempt {
                try transaction.insert(first)
                throw Failure()
            }
        }
        #expect(record.take().flatMap(\.stories).map(\.id) == [second.id])
    }

    @Test("Hiding a story or changing settings outdates a user's delivery attempts; reading does not")
    func attempts() async throws {
        let (ana, story) = (ana, try makeStory(1))
        try await fixture.store.write { transaction in
            try transaction.ensureUser(ana, at: Timestamp(milliseconds: 1))
            try transaction.insert(story)
        }
        #expect(record.take().allSatisfy { $0.outdatedAttempts.users.isEmpty })
        try await fixture.store.write { try $0.hide(story.id, from: ana, at: Timestamp(milliseconds: 2)) }
        #expect(record.take().map(\.outdatedAttempts.users) == [[ana]])
        try await fixture.store.write { try $0.unhide(story.id, from: ana, at: Timestamp(milliseconds: 3)) }
        #expect(record.take().allSatisfy { $0.outdatedAttempts.users.isEmpty })
        try await fixture.store.write { try $0.beginErasure(of: ana, kind: .account, at: Timestamp(milliseconds: 4)) }
        let change = try #require(record.take().first)
        #expect(change.outdatedAttempts.users == [ana] && change.hidesAccount)
    }

    @Test("Removed rows require log cleanup; added rows do not")
    func removals() async throws {
        let story = try makeStory(1)
        try await fixture.store.write { try $0.insert(story) }
        #expect(fixture.store.mustFoldLog == false)
        try await fixture.store.write { try $0.deleteStory(story.id) }
        #expect(fixture.store.mustFoldLog)
        #expect(try await fixture.store.foldLogAfterRemovals())
        #expect(fixture.store.mustFoldLog == false)
    }
}
