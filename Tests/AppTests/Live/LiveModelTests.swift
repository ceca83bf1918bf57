import App
import Library
import Formats
import Geometry
import Notifications
import Storage
import Stories
import Synchronization
import TestSupport
import Testing

/// Clients that lose their connection at any byte and come back, beside writers that never stop, against what was written.
@Suite("Live streams against a model", .timeLimit(.minutes(30)))
struct LiveModelTests {
    /// How many writers still write.
    private final class Countdown: Sendable {
        private let left: Mutex<Int>

        init(_ count: Int) { left = Mutex(count) }

        var isOver: Bool { left.withLock { $0 == 0 } }

        func step() { left.withLock { $0 -= 1 } }
    }

    /// One client: it reads, loses its connection after some bytes, and goes on where it was.
    private static func follow(
        _ user: UserID,
        in library: StoryLibrary,
        seed: UInt64,
        until isOver: @escaping @Sendable () -> Bool
    ) async throws -> EventLog {
        var generator = SplitMix64(seed: seed)
        let log = EventLog()
        // The first connection is whole: it says where to begin.
        var run = try LiveRun.feed(of: user, in: library, to: log)
        await run.settle(log)
        await run.finish()
        while !isOver() {
            log.reconnect(losingAfter: Int(generator.next() % 3_000))
            run = try LiveRun.feed(of: user, in: library, to: log)
            switch generator.next() % 3 {
            case 0: run.seat.client.signal(.end)
            case 1: log.shut()
            default: break
            }
            for _ in 0..<generator.next() % 40 { await Task.yield() }
            if generator.next() % 2 == 0 { log.lose() } else { log.open() }
            _ = await run.finish()
        }
        log.reconnect()
        run = try LiveRun.feed(of: user, in: library, to: log)
        await run.settle(log)
        await run.finish()
        return log
    }

    @Test("DLV-02 Each client gets every event exactly once and in order", arguments: UInt64(1)...6)
    func exactlyOnce(seed: UInt64) async throws {
        let fixture = try await ServiceFixture()
        let users = try ["ana", "ben"].map { try #require(UserID($0)) }
        let library = fixture.library
        for user in users { _ = try await FeedWorld.tell(user, in: library, title: "Before all") }
        let writers = Countdown(2 * users.count)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, user) in users.enumerated() {
                for client in 0..<3 {
                    group.addTask {
                        let start = try await library.store.read { try $0.feedPosition(of: user).latest }
                        let log = try await LiveModelTests.follow(
                            user,
                            in: library,
                            seed: seed &* 1_000 &+ UInt64(10 * index + client),
                            until: { writers.isOver }
                        )
                        try await LiveModelTests.check(log, user: user, after: start, in: library)
                    }
                }
                for writer in 0..<2 {
                    group.addTask {
                        var generator = SplitMix64(seed: seed &* 77 &+ UInt64(10 * index + writer))
                        try await LiveModelTests.write(to: user, in: library, using: &generator)
                        writers.step()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(library.live.count == 0)
    }

    private static func write(
        to user: UserID,
        in library: StoryLibrary,
        using generator: inout SplitMix64
    ) async throws {
        var mine: [String] = []
        for _ in 0..<60 {
            let choice = generator.next() % 10
            if choice < 6 || mine.isEmpty {
                mine.append(try await FeedWorld.tell(user, in: library))
                continue
            }
            let id = mine[Int(generator.next() % UInt64(mine.count))]
            let now = library.now()
            if choice == 9 {
                _ = try await library.store.write { try $0.markAllRead(upTo: id, of: user, at: now) }
            } else {
                let marks = StoreTransaction.FeedMarks(read: choice < 8, archived: choice == 7)
                _ = try await library.store.write { try $0.mark(id, of: user, marks, at: now) }
            }
        }
    }

    /// Holds what a client understood against the log of the feed, and the log against the feed itself.
    private static func check(
        _ log: EventLog,
        user: UserID,
        after start: Int64,
        in library: StoryLibrary
    ) async throws {
        let (events, latest) = try await library.store.read { transaction in
            (
                try transaction.feedEvents(of: user, after: start, limit: 10_000),
                try transaction.feedPosition(of: user).latest
            )
        }
        // The first connection may have begun after some of them: from its badge on, all.
        let first = log.events.first.flatMap { Int64($0.id) } ?? .max
        let wanted = events.filter { $0.position > first && $0.position <= latest }
        let got = log.events.filter { $0.name != "badge" }
        #expect(got.map(\.id) == wanted.map { "\($0.position)" })
        #expect(got.map(\.name) == wanted.map(\.kind.rawValue))
        #expect(log.told == wanted.filter { $0.kind == .notification }.compactMap(\.notice))
        #expect(Set(log.told).count == log.told.count)
        let badge = try await library.store.read {
            try $0.notices(of: user, unreadOnly: true, after: nil, limit: 1_000)
        }
        #expect(log.events.last { $0.name == "badge" }?.json["unread"]?.integer == badge.count)
    }
}
