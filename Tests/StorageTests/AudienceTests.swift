import Foundation
import GRDB
import Storage
import Stories
import Testing
import TestSupport

@Suite("Change tracking in the store")
struct AudienceTests {
    private func page(_ fixture: StoreFixture, since: Timestamp?, as user: String? = nil) async throws -> [StoryID] {
        let viewer = try user.map { Viewer(user: try #require(UserID($0))) } ?? .anonymous
        return try await fixture.store.read { transaction in
            try transaction.changes(for: viewer, since: since, after: nil, limit: 1_000).map(\.id)
        }
    }

    @Test("SYN-03 A clock set back hides no change, even after a restart")
    func clockPutBack() async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let store = try StoreFixture.open(folder, .readWrite)
        store.useClock { clock.now }
        let (first, second) = (try makeStory(1), try makeStory(2))
        try await store.write { try $0.insert(first) }
        clock.advance(seconds: 10)
        let synced = store.answerInstant()
        clock.advance(seconds: -3_600)
        try await store.write { try $0.insert(second) }
        let found = try await store.read {
            try $0.changes(for: .anonymous, since: synced, after: nil, limit: 10).map(\.id)
        }
        #expect(found == [second.id])
        let later = store.answerInstant()
        try store.close()
        let again = try StoreFixture.open(folder, .readWrite)
        again.useClock { clock.now }
        try await again.write { try $0.deleteStory(first.id) }
        let gone = try await again.read { try $0.changes(for: .anonymous, since: later, after: nil, limit: 10) }
        #expect(gone.contains { $0.id == first.id && $0.wasSeen })
    }

    @Test("SYN-03 Few changes among many stories are found by index, without scanning them all")
    func plans() async throws {
        let fixture = try StoreFixture()
        let clock = ManualClock()
        fixture.store.useClock { clock.now }
        try await fixture.store.write { transaction in
            for number in 0..<300 { try transaction.insert(try makeStory(UInt64(number))) }
        }
        clock.advance(seconds: 60)
        let since = fixture.store.answerInstant()
        var story = try makeStory(7)
        story.title = "Other"
        let changed = story
        try await fixture.store.write { try $0.update(changed) }
        #expect(try await page(fixture, since: since) == [story.id])
        #expect(try await page(fixture, since: since, as: "archive") == [story.id])
        let plan = try fixture.store.inspect { db in
            try Row.fetchAll(
                db,
                sql: """
                    EXPLAIN QUERY PLAN SELECT id FROM stories INDEXED BY stories_touched
                    WHERE layer = 'public' AND touched_stamp >= 5 AND shown_stamp >= 5 AND id > '' ORDER BY id LIMIT 9
                    """
            )
            .map { $0["detail"] as String }
        }
        #expect(plan.contains { $0.contains("stories_touched (layer=? AND touched_stamp>?)") }, "\(plan)")
    }

    @Test("SYN-03 Records that ended more than 90 days ago are removed")
    func memory() async throws {
        let fixture = try StoreFixture()
        let clock = ManualClock()
        fixture.store.useClock { clock.now }
        let stories = [try makeStory(1), try makeStory(2)]
        for story in stories { try await fixture.store.write { try $0.insert(story) } }
        try await fixture.store.write { try $0.deleteStory(stories[0].id) }
        func count() throws -> Int? {
            try fixture.store.inspect { try Int.fetchOne($0, sql: "SELECT count(*) FROM past_audiences") }
        }
        #expect(try count() == 1)
        clock.advance(seconds: 90 * 86_400 + 1)
        try await fixture.store.write { try $0.deleteStory(stories[1].id) }
        #expect(try count() == 1)
    }

    @Test("A failed batch item undoes its own changes and none before it")
    func attempts() async throws {
        let fixture = try StoreFixture()
        let (first, second) = (try makeStory(1), try makeStory(2))
        try await fixture.store.write { transaction in
            try transaction.insert(first)
            #expect(throws: StoreError.self) {
                try transaction.attempt {
                    try transaction.insert(second)
                    throw StoreError(.failed, "no")
                }
            }
        }
        let stored = try await fixture.store.read { try $0.stories([first.id, second.id]).keys.map { $0 } }
        #expect(stored == [first.id])
    }
}
