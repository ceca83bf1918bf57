import App
import HTTPTypes
import Logging
import Notifications
import Storage
import Synchronization
import TestSupport
import Testing

/// DLV-06: how fast a good endpoint is served, and that nothing else changes with it.
@Suite("The pace of deliveries", .timeLimit(.minutes(5)))
struct DeliveryPaceTests {
    /// Runs a worker that never looks at the clock while `body` runs.
    private static func work(_ scene: DeliveryTests.Scene, _ body: () async throws -> Void) async throws {
        let worker = DeliveryWorker(
            library: scene.fixture.library,
            logger: scene.fixture.logger,
            rest: .seconds(86_400)
        )
        let task = Task { try await worker.run() }
        defer { task.cancel() }
        try await body()
    }

    /// Waits for something that happens soon or never.
    private static func wait(until condition: () async throws -> Bool) async throws -> Bool {
        let end = ContinuousClock.now.advanced(by: .seconds(60))
        while ContinuousClock.now < end {
            if try await condition() { return true }
            await Task.yield()
        }
        return false
    }

    private static func tell(_ count: Int, _ scene: DeliveryTests.Scene) async throws {
        let service = KeyTests.bearer(try await scene.service())
        for number in 0..<count {
            let body = "{\"users\":[\"ben\"],\"type\":\"comment.new\",\"title\":\"Comment \(number)\"}"
            _ = try await scene.client.send(.post, "/v1/notifications", as: nil, body, headers: service)
        }
    }

    @Test("DLV-06 A good endpoint gets one message after the other, in order, without a beat of the clock")
    func chain() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.webhook()
            try await DeliveryPaceTests.tell(60, scene)
            try await DeliveryPaceTests.work(scene) {
                // One that comes while the worker runs wakes it; the others follow from the answers.
                try await DeliveryPaceTests.tell(1, scene)
                let isDone = try await DeliveryPaceTests.wait { scene.sender.webhooks("comment.new").count >= 61 }
                #expect(isDone, "\(scene.sender.webhooks("comment.new").count)")
                let isNoted = try await DeliveryPaceTests.wait { try await scene.entries(.done).count == 61 }
                #expect(isNoted)
            }
            let messages = try await scene.entries(.done).sorted { $0.number < $1.number }.map(\.message)
            #expect(scene.sender.webhooks("comment.new").map(\.id) == messages)
        }
    }

    @Test("DLV-06 A Retry-After holds everything back until it has run out, however often something wakes the worker")
    func retryAfter() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.webhook()
            scene.sender.answer(429, retryAfter: "60")
            try await DeliveryPaceTests.work(scene) {
                try await DeliveryPaceTests.tell(5, scene)
                let isAsked = try await DeliveryPaceTests.wait {
                    try await scene.entries(.pending).contains { $0.attempts > 0 && $0.status == 429 }
                }
                #expect(isAsked)
                try await DeliveryPaceTests.tell(5, scene)
                #expect(scene.sender.webhooks("comment.new").count == 1)
                scene.sender.answer(200)
                scene.fixture.clock.advance(seconds: 61)
                try await DeliveryPaceTests.tell(1, scene)
                let isDone = try await DeliveryPaceTests.wait { scene.sender.webhooks("comment.new").count == 12 }
                #expect(isDone, "\(scene.sender.webhooks("comment.new").count)")
            }
        }
    }
}
