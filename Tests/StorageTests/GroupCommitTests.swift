import Foundation
import Storage
import Stories
import Synchronization
import TestSupport
import Testing

@Suite("Group commits")
struct GroupCommitTests {
    /// What happened, in order.
    private final class Events: Sendable {
        private let list = Mutex<[String]>([])
        var all: [String] { list.withLock { $0 } }
        func add(_ event: String) { list.withLock { $0.append(event) } }
    }

    private struct Refusal: Error {}

    private func user(_ name: String) throws -> User {
        User(id: try #require(UserID(name)), name: name)
    }

    @Test("REL-02 Writes waiting for the disk share one commit; each is answered after it, in order")
    func share() async throws {
        let fixture = try StoreFixture()
        let events = Events()
        let (store, users) = (fixture.store, try (0..<20).map { try user("user\($0)") })
        let gate = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await store.write { _ in
                    events.add("first")
                    gate.wait()
                }
            }
            while events.all.isEmpty { await Task.yield() }
            for user in users {
                group.addTask {
                    try await store.write { transaction in
                        events.add("wrote")
                        try transaction.save(user, at: Timestamp(milliseconds: 1))
                        transaction.afterCommit { events.add("durable") }
                    }
                    events.add("answered")
                }
            }
            // Until every one of them waits behind the first.
            while store.waitingWrites < users.count { await Task.yield() }
            gate.signal()
            try await group.waitForAll()
        }
        let written = events.all.filter { $0 != "answered" }
        #expect(written == ["first"] + users.map { _ in "wrote" } + users.map { _ in "durable" })
        #expect(try await store.read { try $0.users().count } == users.count + 1)
    }

    @Test("REL-02 However many writes wait, other users get the writer between two groups")
    func turns() async throws {
        let fixture = try StoreFixture()
        let events = Events()
        let (store, ana) = (fixture.store, try user("ana"))
        let gate = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await store.write { _ in
                    events.add("first")
                    gate.wait()
                }
            }
            while events.all.isEmpty { await Task.yield() }
            for _ in 0..<100 {
                group.addTask {
                    try await store.write { transaction in
                        events.add("wrote")
                        try transaction.save(ana, at: Timestamp(milliseconds: 1))
                    }
                }
            }
            while store.waitingWrites < 100 { await Task.yield() }
            store.inspectLater { _ in events.add("other") }
            gate.signal()
            try await group.waitForAll()
        }
        #expect(events.all.prefix(2) == ["first", "other"] && events.all.count == 102)
    }

    @Test("A failed write undoes only its own changes, and its actions do not run")
    func failure() async throws {
        let fixture = try StoreFixture()
        let events = Events()
        let store = fixture.store
        let (good, bad) = (try user("good"), try user("bad"))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    do {
                        try await store.write { transaction in
                            try transaction.save(number.isMultiple(of: 2) ? good : bad, at: Timestamp(milliseconds: 1))
                            transaction.afterCommit { events.add(number.isMultiple(of: 2) ? "good" : "bad") }
                            if !number.isMultiple(of: 2) { throw Refusal() }
                        }
                        events.add("done")
                    } catch {
                        events.add("refused")
                    }
                }
            }
        }
        #expect(events.all.filter { $0 == "good" }.count == 20 && !events.all.contains("bad"))
        #expect(events.all.filter { $0 == "refused" }.count == 20)
        #expect(try await store.read { (try $0.user(good.id), try $0.user(bad.id)) }.1 == nil)
    }

    @Test("Closing a store empties its log, so the file is complete when moved alone")
    func movedAlone() async throws {
        let folder = try TemporaryFolder()
        let store = try StoreFixture.open(folder, .readWrite)
        let ana = try user("ana")
        // A reader's connection stays open beside the writer's.
        _ = try await store.read { try $0.users() }
        try await store.write { try $0.save(ana, at: Timestamp(milliseconds: 1)) }
        try store.close()
        let target = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: folder.path("waymark.db"), toPath: target.path("waymark.db"))
        let moved = try StoreFixture.open(target, .readOnly)
        #expect(try await moved.read { try $0.user(ana.id) } == ana)
    }

    @Test(
        "REL-02 A write that commits alone opens no savepoint; each write in a shared commit opens one"
    )
    func savepoints() async throws {
        let fixture = try StoreFixture()
        let (store, users) = (fixture.store, try (0..<3).map { try user("user\($0)") })
        let alone = try await store.writerStatements {
            try await store.write { try $0.save(users[0], at: Timestamp(milliseconds: 1)) }
        }
        #expect(alone.count { $0.hasPrefix("BEGIN") } == 1)
        #expect(!alone.contains { $0.hasPrefix("SAVEPOINT") })

        let gate = DispatchSemaphore(value: 0)
        let began = Events()
        let shared = try await store.writerStatements {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await store.write { _ in
                        began.add("first")
                        gate.wait()
                    }
                }
                while began.all.isEmpty { await Task.yield() }
                // Two short ones, a long one, and one behind it, in this order.
                for number in 0..<4 {
                    group.addTask {
                        try await store.write(isLong: number == 2) { transaction in
                            try transaction.save(users[number % 3], at: Timestamp(milliseconds: 1))
                        }
                    }
                    while store.waitingWrites <= number { await Task.yield() }
                }
                gate.signal()
                try await group.waitForAll()
            }
        }
        let kinds = shared.compactMap { $0.split(separator: " ").first }
            .filter { ["BEGIN", "SAVEPOINT", "COMMIT"].contains($0) }
        #expect(
            kinds == [
                "BEGIN", "COMMIT", "BEGIN", "SAVEPOINT", "SAVEPOINT", "COMMIT", "BEGIN", "COMMIT", "BEGIN", "COMMIT",
            ]
        )
    }

    @Test("REL-02 A failed write on its own leaves no trace, and the next one is stored")
    func failingAlone() async throws {
        let fixture = try StoreFixture()
        let (lost, kept) = (try user("lost"), try user("kept"))
        await #expect(throws: Refusal.self) {
            try await fixture.store.write { transaction in
                try transaction.save(lost, at: Timestamp(milliseconds: 1))
                throw Refusal()
            }
        }
        try await fixture.store.write { try $0.save(kept, at: Timestamp(milliseconds: 1)) }
        let stored = try await fixture.store.read { try $0.users().map(\.id) }
        #expect(stored.contains(kept.id) && !stored.contains(lost.id))
    }
}
