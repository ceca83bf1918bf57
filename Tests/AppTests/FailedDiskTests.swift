import App
import Library
import Formats
import Foundation
import GRDB
import HTTPTypes
import Notifications
import Storage
import Stories
import TestSupport
import Testing

@Suite("Disk failures during an erasure")
struct FailedDiskTests {
    /// What is lost of a write when the disk fails.
    enum Loss: CaseIterable {
        /// The machine goes down, and the log has nothing of it.
        case everything
        /// The process goes down; the log has all of it.
        case nothing
    }

    /// What somebody asks for.
    enum Wish: CaseIterable {
        case deleteStory
        case optOut
        case eraseAccount

        func send(_ story: String, _ client: Client) async throws -> Client.Reply {
            switch self {
            case .deleteStory: try await client.send(.delete, "/v1/stories/\(story)", as: "ana")
            case .optOut:
                try await client.send(.put, "/v1/me/notification-settings", as: "ana", "{\"enabled\":false}")
            case .eraseAccount: try await client.send(.delete, "/v1/me", as: "ana")
            }
        }
    }

    /// Ends a process as a crash does: its files as they are now are what the next one finds.
    private func crash(_ fixture: ServiceFixture, losing loss: Loss) throws {
        let copy = try TemporaryFolder()
        let (from, to) = (fixture.folder.path("waymark.db"), copy.path("waymark.db"))
        let names = ["", ".keys"] + (loss == .nothing ? ["-wal"] : [])
        for name in names { try FileManager.default.copyItem(atPath: from + name, toPath: to + name) }
        try fixture.library.store.close()
        for name in ["", ".keys", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: from + name) }
        for name in names { try FileManager.default.copyItem(atPath: to + name, toPath: from + name) }
    }

    private func emptyLog(_ fixture: ServiceFixture) throws {
        try fixture.library.store.inspect { _ = try $0.checkpoint(.truncate) }
    }

    @Test(
        "NTF-09 REL-02 After a failed fsync nothing is acknowledged until a restart, which undoes nothing",
        arguments: Wish.allCases,
        Loss.allCases
    )
    func failedSync(wish: Wish, loss: Loss) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        var story = ""
        try await fixture.run { client async throws in
            _ = try await client.create(as: "ana", title: "Kept")
            let on = "{\"enabled\":true}"
            #expect(try await client.send(.put, "/v1/me/notification-settings", as: "ana", on).status == 200)
        }
        let ana = try #require(UserID("ana"))
        story = try #require(
            try await fixture.library.store.read { try $0.storyIDs(of: ana, after: nil, limit: 1).first }
        )
        .description
        try emptyLog(fixture)
        // The first write into an empty log waits for the disk twice.
        let now = fixture.clock.now
        try await fixture.library.store.write { try $0.save(User(id: ana, name: "Ana Maria"), at: now) }
        try await fixture.run { [story] client async throws in
            try FaultyLog.failNextSync(of: fixture.library.store)
            let reply = try await wish.send(story, client)
            #expect(reply.status == 503 && reply.json["type"]?.string == "/problems/writing-stopped")
            // The disk is well again, but nobody knows what it has.
            for _ in 0..<2 {
                let patch = try await client.send(.patch, "/v1/stories/\(story)", as: "ana", "{\"title\":\"Patched\"}")
                #expect(patch.status == 503)
            }
            #expect(try await client.get("/readyz").status == 503)
            #expect(try await client.get("/healthz").status == 200)
            #expect(try await client.get("/v1/stories/\(story)", as: "ben").json["title"]?.string == "Kept")
            #expect(fixture.library.store.erasures.entries.isEmpty)
        }
        try crash(fixture, losing: loss)
        let isDone = loss == .nothing
        let next = try await ServiceFixture(of: fixture)
        #expect(next.library.store.erasures.entries.count == (isDone ? 1 : 0))
        try await next.run { [story] client async throws in
            #expect(try await client.get("/readyz").status == 200)
            let isGone = isDone && wish != .optOut
            #expect(try await client.get("/v1/stories/\(story)", as: "ben").status == (isGone ? 404 : 200))
            guard !isDone else { return }
            // What is acknowledged from here on is there after another restart.
            let patch = try await client.send(.patch, "/v1/stories/\(story)", as: "ana", "{\"title\":\"Patched\"}")
            #expect(patch.status == 200)
        }
        try next.library.store.close()
        let last = try await ServiceFixture(of: fixture)
        let settings = try await last.library.store.read { try $0.notificationSettings(of: ana) }
        #expect(settings.enabled == !(isDone && wish != .deleteStory))
        #expect(try await last.library.store.read { try $0.user(ana) } != nil || (isDone && wish == .eraseAccount))
        if !isDone {
            let id = try #require(StoryID(story))
            #expect(try await last.library.store.read { try $0.story(id)?.title } == "Patched")
        }
    }

    /// Looks at the files when a transaction is about to commit, and when it just has.
    private final class CommitWatcher: TransactionObserver {
        var before: () throws -> Void = {}
        var after: () -> Void = {}
        var undone: () -> Void = {}

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidCommit(_ db: Database) { after() }
        func databaseDidRollback(_ db: Database) { undone() }
        func databaseWillCommit() throws { try before() }
    }

    @Test("NTF-09 REL-02 A failed fsync of only the list also stops writing, and is logged once")
    func failedListSync() async throws {
        let lines = LogLines()
        let fixture = try await ServiceFixture(logger: lines.logger)
        try await fixture.makeFamilies()
        let (ana, ben) = (try #require(UserID("ana")), try #require(UserID("ben")))
        let store = fixture.library.store
        let list = fixture.folder.path("waymark.db.keys/erasures.log")
        // What is written to it arrives, and cannot be synchronised.
        let before = try Data(contentsOf: URL(filePath: list))
        try FileManager.default.removeItem(atPath: list)
        try FileManager.default.createSymbolicLink(atPath: list, withDestinationPath: "/dev/null")
        let failures = FailureCount()
        try store.inspect { db in
            let watcher = CommitWatcher()
            // By the time that the lines are taken back the disk is well again.
            watcher.undone = {
                failures.count {
                    try FileManager.default.removeItem(atPath: list)
                    try before.write(to: URL(filePath: list))
                }
                watcher.undone = {}
            }
            db.add(transactionObserver: watcher, extent: .databaseLifetime)
        }
        let failure = await #expect(throws: StoreError.self) {
            try await fixture.library.rights.erasures.eraseAccount(of: ana)
        }
        #expect(failure?.code == .stopped && failures.total == 0)
        for _ in 0..<2 {
            let next = await #expect(throws: StoreError.self) {
                try await store.write { try $0.save(User(id: ben, name: "Benedict"), at: fixture.clock.now) }
            }
            #expect(next?.code == .stopped)
        }
        #expect(lines.beginning(with: "critical writing has stopped").count == 1)
        try store.close()
        let again = try await ServiceFixture(of: fixture)
        #expect(again.library.store.erasures.entries.isEmpty)
        #expect(try await again.library.store.read { try $0.user(ana)?.name } == "Ana")
    }

    @Test(
        "NTF-09 A list entry is carried out if its transaction committed, wherever the power failed",
        arguments: [false, true]
    )
    func powerCut(isCommitted: Bool) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let ana = try #require(UserID("ana"))
        let store = fixture.library.store
        let copy = try TemporaryFolder()
        let (from, to) = (fixture.folder.path("waymark.db"), copy.path("waymark.db"))
        let names = ["", "-wal", ".keys", ".sums"]
        let older = try TemporaryFolder()
        try emptyLog(fixture)
        try FileManager.default.copyItem(atPath: from, toPath: older.path("old.db"))
        let failures = FailureCount()
        try store.inspect { db in
            let watcher = CommitWatcher()
            let take: () throws -> Void = {
                guard !FileManager.default.fileExists(atPath: to) else { return }
                for name in names { try FileManager.default.copyItem(atPath: from + name, toPath: to + name) }
            }
            if isCommitted { watcher.after = { failures.count { try take() } } } else { watcher.before = take }
            db.add(transactionObserver: watcher, extent: .databaseLifetime)
        }
        #expect(try await fixture.library.rights.erasures.eraseAccount(of: ana) != nil)
        #expect(failures.total == 0)
        // The line stands in the copy, open.
        let list = try String(contentsOfFile: to + ".keys/erasures.log", encoding: .utf8)
        #expect(list.split(separator: "\n").filter { !$0.hasPrefix("3 ") }.count == 1 && list.last == " ")
        try store.close()
        for name in ["-wal", "-shm", ".keys", ".sums", ""] { try? FileManager.default.removeItem(atPath: from + name) }
        for name in names { try FileManager.default.copyItem(atPath: to + name, toPath: from + name) }
        let next = try await ServiceFixture(of: fixture)
        #expect((try await next.library.store.read { try $0.user(ana) } == nil) == isCommitted)
        #expect(next.library.store.erasures.entries.count == (isCommitted ? 1 : 0))
        // Closed now, it is carried out on an older copy too.
        try next.closeAndPutBack(older)
        let restored = try await ServiceFixture(of: fixture)
        #expect((try await restored.library.store.read { try $0.user(ana) } == nil) == isCommitted)
    }

    @Test("NTF-09 Lines of one commit hold or fail together, and each can be read again")
    func together() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let users = try ["ana", "ben", "cora"].map { try #require(UserID($0)) }
        let (library, store) = (fixture.library, fixture.library.store)
        let (isHeld, gate) = (Flag(), DispatchSemaphore(value: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await store.write { _ in
                    isHeld.set()
                    gate.wait()
                }
            }
            while !isHeld.isSet { await Task.yield() }
            for user in users { group.addTask { _ = try await library.rights.erasures.eraseLocationData(of: user) } }
            while store.waitingWrites < users.count { await Task.yield() }
            gate.signal()
            try await group.waitForAll()
        }
        let lines = try fixture.erasureLines()
        #expect(lines.map { $0.last == "+" } == [true, true, false])
        try store.close()
        let next = try await ServiceFixture(of: fixture)
        #expect(next.library.store.erasures.entries.count == 3)
        for user in users { #expect(next.library.store.erasures.locationErasure(of: user) != nil) }
    }
}

/// Counts what must not fail where nothing can be thrown.
private final class FailureCount {
    private(set) var total = 0

    func count(_ work: () throws -> Void) {
        do { try work() } catch { total += 1 }
    }
}
