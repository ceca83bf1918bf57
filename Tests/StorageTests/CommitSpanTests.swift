import Foundation
import GRDB
import Storage
import Stories
import Testing
import TestSupport

@Suite("Commit spans")
struct CommitSpanTests {
    /// Opens a store with a clock of the test's.
    private func open(_ folder: TemporaryFolder, _ clock: ManualClock) throws -> StoryStore {
        let store = try StoreFixture.open(folder, .readWrite)
        store.useClock { clock.now }
        return store
    }

    private func told(_ store: StoryStore, since: Timestamp) async throws -> [StoryID] {
        try await store.read { try $0.changes(for: .anonymous, since: since, after: nil, limit: 100).map(\.id) }
    }

    /// Stores a story in a write that takes a minute, and returns the instant of an answer in the middle of it.
    private func insertSlowly(_ number: UInt64, in store: StoryStore, _ clock: ManualClock) async throws -> Timestamp {
        let story = try makeStory(number)
        return try await store.write { transaction in
            try transaction.insert(story)
            clock.advance(seconds: 30)
            let answer = store.answerInstant()
            clock.advance(seconds: 30)
            return answer
        }
    }

    private func spans(_ store: StoryStore) throws -> Int? {
        try store.inspect { try Int.fetchOne($0, sql: "SELECT count(*) FROM commit_spans") }
    }

    @Test("SYN-03 An answer during a write is immediate, and the next sync includes that write")
    func during() async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let store = try open(folder, clock)
        let before = store.answerInstant()
        #expect(before == clock.now)
        clock.advance(seconds: 1)
        let during = try await insertSlowly(1, in: store, clock)
        #expect(during.milliseconds == before.milliseconds + 31_000)
        clock.advance(seconds: 1)
        let after = store.answerInstant()
        let first = try makeStory(1).id
        #expect(try await told(store, since: before) == [first])
        #expect(try await told(store, since: during) == [first])
        #expect(try await told(store, since: after) == [])
        // The next write stores what is known of this one; nothing changes by that.
        let second = try await insertSlowly(2, in: store, clock)
        clock.advance(seconds: 1)
        _ = try await insertSlowly(3, in: store, clock)
        #expect(try await told(store, since: during).count == 3)
        #expect(try await told(store, since: after).count == 2)
        #expect(try await told(store, since: second).count == 2)
        // A clock that is put back gives nobody an instant before the one they had.
        let last = store.answerInstant()
        clock.advance(seconds: -600)
        #expect(store.answerInstant(after: last) == last)
        #expect(store.answerInstant() == clock.now)
    }

    @Test("SYN-03 Commit spans survive a restart and a crash", arguments: [false, true])
    func restart(isCrash: Bool) async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let store = try open(folder, clock)
        let first = try await insertSlowly(1, in: store, clock)
        clock.advance(seconds: 1)
        let second = try await insertSlowly(2, in: store, clock)
        clock.advance(seconds: 1)
        let after = store.answerInstant()
        let copy = try TemporaryFolder()
        if !isCrash { try store.close() }
        // The files as they are: a process that ended just now leaves nothing else.
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        where !name.hasSuffix(".lock") && !name.hasSuffix("-shm") {
            try FileManager.default.copyItem(atPath: folder.path(name), toPath: copy.path(name))
        }
        clock.advance(seconds: 10)
        let again = try open(copy, clock)
        clock.advance(seconds: 1)
        let ids = try [1, 2].map { try makeStory($0).id }
        let later = again.answerInstant()
        clock.advance(seconds: 10)
        #expect(try await told(again, since: first) == ids)
        #expect(try await told(again, since: second) == [ids[1]])
        // After a crash nobody knows how long the last write took.
        #expect(try await told(again, since: after) == (isCrash ? [ids[1]] : []))
        let third = try makeStory(3)
        try await again.write { try $0.insert(third) }
        clock.advance(seconds: 1)
        #expect(try await told(again, since: later) == [third.id])
        #expect(try await told(again, since: again.answerInstant()) == [])
    }

    @Test("SYN-03 Only writes that overlapped an answer are remembered, for 90 days")
    func bounded() async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let store = try open(folder, clock)
        for number in UInt64(0)..<20 {
            let story = try makeStory(number)
            try await store.write { transaction in
                try transaction.insert(story)
                clock.advance(seconds: 0.02)
            }
            clock.advance(seconds: 1)
            _ = store.answerInstant()
            clock.advance(seconds: 1)
        }
        // The last one's end is not stored yet.
        #expect(try spans(store) == 1)
        // One that changes no story is nothing to remember.
        for _ in 0..<5 {
            try await store.write { _ in
                clock.advance(seconds: 1)
                _ = store.answerInstant()
            }
        }
        #expect(try spans(store) == 0)
        for number in UInt64(20)..<25 {
            _ = try await insertSlowly(number, in: store, clock)
            clock.advance(seconds: 1)
        }
        #expect(try spans(store) == 5)
        clock.advance(seconds: 91 * 86_400)
        let (old, story) = (try makeStory(0), try makeStory(30))
        try await store.write { transaction in
            try transaction.insert(story)
            try transaction.deleteStory(old.id)
        }
        #expect(try spans(store) == 1)
    }

    @Test("SYN-03 A failed write leaves no trace in later syncs")
    func failure() async throws {
        struct Refusal: Error {}
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let store = try open(folder, clock)
        let (first, second) = (try makeStory(1), try makeStory(2))
        try await store.write { try $0.insert(first) }
        clock.advance(seconds: 1)
        await #expect(throws: Refusal.self) {
            try await store.write { transaction in
                try transaction.insert(second)
                clock.advance(seconds: 1)
                _ = store.answerInstant()
                throw Refusal()
            }
        }
        clock.advance(seconds: 1)
        let answer = store.answerInstant()
        #expect(try await told(store, since: answer) == [])
        clock.advance(seconds: 1)
        try await store.write { try $0.insert(second) }
        #expect(try await told(store, since: answer) == [second.id])
    }
}
