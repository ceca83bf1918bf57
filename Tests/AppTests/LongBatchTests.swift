import Library
import App
import Formats
import Foundation
import HTTPTypes
import Storage
import Stories
import Synchronization
import TestSupport
import Testing

// One after the other: each keeps the threads for long work busy.
@Suite("Long batches of fixes", .serialized, .timeLimit(.minutes(30)))
struct LongBatchTests {
    /// Lets so many reads begin before any of them ends.
    private final class Meeting: Sendable {
        private let missing: Mutex<Int>
        private let isComplete = DispatchSemaphore(value: 0)

        init(of count: Int) { missing = Mutex(count) }

        func wait() {
            let left = missing.withLock { missing in
                missing -= 1
                return missing
            }
            if left > 0 { isComplete.wait() }
            isComplete.signal()
        }
    }

    /// A walk of ten a second past the fixture's place, the latest so many seconds ago.
    private static func batch(_ fixture: ServiceFixture, count: Int, secondsAgo: Int64 = 0) -> String {
        let end = fixture.clock.now.milliseconds - secondsAgo * 1_000
        let fixes = (0..<count)
            .map { number in
                let time = RFC3339.format(Timestamp(milliseconds: end - Int64(count - 1 - number) * 100))
                let latitude = 33.7554 + Double(number - count / 2) * 1e-6
                return "{\"t\":\"\(time)\",\"lat\":\(latitude),\"lon\":-84.3736,\"acc\":8}"
            }
        return "{\"device\":\"phone\",\"fixes\":[\(fixes.joined(separator: ","))]}"
    }

    /// A service with a report that has come as far as its evaluation, which cannot begin before `held` is let go.
    private struct Stage: Sendable {
        let fixture: ServiceFixture
        let client: Client
        let held: HeldLongWork
        let isDone = Flag()

        /// Sends the report, and returns when its evaluation is all that is missing.
        func report(of count: Int = 1_000) async -> Task<Client.Reply, any Error> {
            let before = LongWorkExecutor.shared.waitingJobs
            let body = LongBatchTests.batch(fixture, count: count, secondsAgo: 10)
            let task = Task {
                defer { isDone.set() }
                return try await client.send(.post, "/v1/fixes", as: "ben", body)
            }
            while !isDone.isSet, LongWorkExecutor.shared.waitingJobs <= before { await Task.yield() }
            return task
        }

        static func run(_ body: @escaping @Sendable (Stage) async throws -> Void) async throws {
            let fixture = try await ServiceFixture()
            try await fixture.run { client async throws in
                _ = try await client.create(as: "ana", title: "Here")
                let settings = try await client.send(.put, FenceStreet.settings, as: "ben", "{\"enabled\":true}")
                #expect(settings.status == 200)
                let held = await HeldLongWork.begin()
                do {
                    try await body(Stage(fixture: fixture, client: client, held: held))
                } catch {
                    // Others need the threads.
                    try await held.end()
                    throw error
                }
            }
        }
    }

    @Test("REL-10 While a long batch is evaluated, all read connections are free and others are served")
    func readers() async throws {
        try await Stage.run { stage async throws in
            let (store, isDone) = (stage.fixture.library.store, stage.isDone)
            let task = await stage.report(of: 5_000)
            let meeting = Meeting(of: 4)
            try await withThrowingTaskGroup(of: Void.self) { group async throws in
                for _ in 0..<4 { group.addTask { try await store.read { _ in meeting.wait() } } }
                try await group.waitForAll()
            }
            #expect(try await stage.client.get("/v1/stories?limit=1", as: "ana").status == 200)
            #expect(!isDone.isSet, "it was evaluated elsewhere")
            try await stage.held.end()
            let reply = try await task.value
            #expect(reply.status == 200 && reply.json["accepted"]?.integer == 5_000)
            #expect(reply.json["notifications"]?.array?.count == 1)
        }
    }

    @Test("NTF-12 Reports from a device during the evaluation of its long batch count as well")
    func meanwhile() async throws {
        try await Stage.run { stage async throws in
            let task = await stage.report()
            let short = LongBatchTests.batch(stage.fixture, count: 20)
            let reply = try await stage.client.send(.post, "/v1/fixes", as: "ben", short)
            #expect(reply.status == 200 && reply.json["accepted"]?.integer == 20)
            #expect(!stage.isDone.isSet)
            try await stage.held.end()
            #expect(try await task.value.status == 200)
            stage.fixture.clock.advance(seconds: 30)
            _ = try await stage.fixture.library.fences.fireTimers()
            let data = try await stage.client.get("/v1/me/location-data", as: "ben").json["devices"]?[0]
            #expect(data?["fix_digests"]?.integer ?? 0 > 20)
            let feed = try await stage.client.get("/v1/notifications", as: "ben").json["notifications"]?.array
            #expect(feed?.count == 1)
        }
    }

    @Test("NTF-01 A batch being evaluated when its user opts out leaves nothing")
    func optedOut() async throws {
        try await Stage.run { stage async throws in
            let task = await stage.report()
            let answer = try await stage.client.send(.put, FenceStreet.settings, as: "ben", "{\"enabled\":false}")
            #expect(answer.status == 200)
            try await stage.held.end()
            let reply = try await task.value
            #expect(reply.json["monitoring"]?.string == "off" && reply.json["accepted"]?.integer == 0)
            #expect(try stage.fixture.library.store.inspectDevices().isEmpty)
            #expect(
                try await stage.client.get("/v1/notifications", as: "ben").json["notifications"]?.array?.isEmpty == true
            )
        }
    }

    @Test("REL-10 A long batch cancelled during its evaluation ends and changes nothing")
    func givenUp() async throws {
        try await Stage.run { stage async throws in
            let task = await stage.report()
            task.cancel()
            try await stage.held.end()
            #expect(try await task.value.status == 503)
            #expect(try stage.fixture.library.store.inspectDevices().isEmpty)
        }
    }
}
