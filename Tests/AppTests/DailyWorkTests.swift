import Library
import App
import GRDB
import HTTPTypes
import Storage
import Stories
import Synchronization
import TestSupport
import Testing

@Suite("Daily work")
struct DailyWorkTests {
    private static let minute: Int64 = 60_000
    private static let day: Int64 = 86_400_000
    /// An instant of these days.
    private static let start: Int64 = 20_000 * day

    /// What becomes of work that is asked for: done, failed, or not due.
    enum Round: Sendable { case done, failed, rests }

    /// Days and milliseconds from ``start`` on, and what becomes of the work then.
    static let tables: [[(days: Int64, milliseconds: Int64, round: Round)]] = [
        [(0, 0, .done), (0, 1, .rests), (1, -1, .rests), (1, 0, .done), (2, -1, .rests), (2, 0, .done)],
        // A day begins when the work that succeeded began.
        [(0, 0, .failed), (0, 599_999, .rests), (0, 600_000, .done), (1, 0, .rests), (1, 600_000, .done)],
        [(0, 0, .failed), (0, 30_000, .rests), (0, 600_000, .failed), (0, 1_199_999, .rests), (0, 1_200_000, .done)],
        [(0, 0, .done), (1, 0, .failed), (1, 540_000, .rests), (1, 720_000, .done)],
        // A clock put back by years puts nothing off for years, whether the work succeeded or not.
        [(0, 0, .done), (-3_000, 0, .done), (-3_000, 1, .rests), (-2_999, 0, .done)],
        [(0, 0, .failed), (-3_000, 0, .failed), (-3_000, 60_000, .rests), (-3_000, 600_000, .done)],
        [(0, 0, .done), (3_000, 0, .done), (3_000, 60_000, .rests)],
    ]

    @Test(
        "Daily work runs at first and then once a day; after a failure, ten minutes later and no sooner",
        arguments: DailyWorkTests.tables
    )
    func turn(rounds: [(days: Int64, milliseconds: Int64, round: Round)]) {
        var turn = DailyTurn()
        for (days, milliseconds, expected) in rounds {
            let time = DailyWorkTests.start + days * DailyWorkTests.day + milliseconds
            let comes = turn.comes(at: Timestamp(milliseconds: time))
            #expect(comes == (expected != .rests), "\(days) days, \(milliseconds) ms")
            if expected == .done { turn.succeed() }
        }
    }

    private struct Failed: Error {}

    @Test("A failing part does not prevent the others, and only that part is retried")
    func parts() async {
        let done = Mutex<[String]>([])
        let fails = Mutex(true)
        var work = DailyWork(
            ["first", "second", "third"]
                .map { name in
                    DailyWork.Part(name) {
                        done.withLock { $0.append(name) }
                        if name == "second", fails.withLock({ $0 }) { throw Failed() }
                    }
                }
        )
        func round(_ minutes: Int64) async -> [[String]] {
            done.withLock { $0 = [] }
            let now = Timestamp(milliseconds: DailyWorkTests.start + minutes * DailyWorkTests.minute)
            let failures = await work.run(at: now).map(\.part)
            return [done.withLock { $0 }, failures]
        }
        #expect(await round(0) == [["first", "second", "third"], ["second"]])
        #expect(await round(1) == [[], []])
        #expect(await round(10) == [["second"], ["second"]])
        fails.withLock { $0 = false }
        #expect(await round(20) == [["second"], []])
        #expect(await round(30) == [[], []])
        #expect(await round(1_440) == [["first", "third"], []])
        #expect(await round(1_460) == [["second"], []])
    }

    @Test("PRV-07 A purge that fails once is repeated ten minutes later, not a day later")
    func purge() async throws {
        let fixture = try await ServiceFixture(retentionDays: 1)
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "x")
            #expect(try await client.send(.delete, "/v1/stories/\(id)", as: "ana").status == 204)
        }
        let library = fixture.library
        fixture.clock.advance(seconds: 2 * 86_400)
        var work = Retention(library: library, logger: fixture.logger).daily
        func failed() async -> [String] { await work.run(at: library.now()).map(\.part) }
        func kept() throws -> Int? {
            try library.store.inspect { try Int.fetchOne($0, sql: "SELECT count(*) FROM sealed_stories") }
        }
        try library.store.inspect { db in
            try db.execute(
                sql: """
                    CREATE TEMP TRIGGER failing BEFORE DELETE ON main.sealed_stories
                    BEGIN SELECT raise(ABORT, 'the disk is away'); END
                    """
            )
        }
        #expect(await failed() == ["deleted stories"])
        try library.store.inspect { try $0.execute(sql: "DROP TRIGGER temp.failing") }
        fixture.clock.advance(seconds: 30)
        #expect(await failed().isEmpty)
        #expect(try kept() == 1)
        fixture.clock.advance(seconds: 570)
        #expect(await failed().isEmpty)
        #expect(try kept() == 0)
    }
}
