import App
import Library
import HTTPTypes
import Logging
import Notifications
import Storage
import Synchronization
import TestSupport
import Testing

/// DLV-06: how fast a good endpoint is served, and that nothing else changes with it.
@Suite("The pace of deliveries", .timeLimit(.minutes(30)))
struct DeliveryPaceTests {
    /// Runs a worker that never looks at the clock while `body` runs.
    private static func work(_ scene: DeliveryTests.Scene, _ body: () async throws -> Void) async throws {
        let worker = DeliveryWorker(
            delivery: scene.fixture.library.delivery,
            logger: scene.fixture.logger,
            rest: .seconds(86_400)
        )
        let task = Task { try await worker.run() }
        defer { task.cancel() }
        try await body()
    }

    /// Waits for something that happens soon or never.
    private static func wait(until condition: () async throws -> Bool) async throws -> Bool {
        let end = ContinuousClock.now.advanced(by: .seconds(1_200))
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

    @Test("DLV-06 A healthy endpoint gets its whole queue without a clock tick, each message once")
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
            let messages = try await scene.entries(.done).map(\.message)
            #expect(scene.sender.webhooks("comment.new").map(\.id).sorted() == messages.sorted())
        }
    }

    /// Counts the attempts under way; each waits until it is its turn to be answered.
    private final class Line: Sendable {
        private let state = Mutex<(open: Int, most: Int, begun: Int, allowed: Int)>((0, 0, 0, 0))

        var begun: Int { state.withLock { $0.begun } }
        var most: Int { state.withLock { $0.most } }
        var open: Int { state.withLock { $0.open } }

        /// Lets so many attempts through, counted from the first that ever began.
        func allow(_ count: Int) { state.withLock { $0.allowed = count } }

        /// Waits for its turn and returns the attempt's number, from 1.
        func pass() async throws -> Int {
            let number = state.withLock { state in
                state.begun += 1
                state.open += 1
                state.most = max(state.most, state.open)
                return state.begun
            }
            defer { state.withLock { $0.open -= 1 } }
            while state.withLock({ $0.allowed < number }) {
                try Task.checkCancellation()
                await Task.yield()
            }
            return number
        }
    }

    @Test("DLV-06 A healthy endpoint gets several messages at a time, started in order, each once")
    func window() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.webhook()
            try await DeliveryPaceTests.tell(99, scene)
            let line = Line()
            scene.sender.behave { _ in
                _ = try await line.pass()
                return ChannelAnswer(status: 200)
            }
            try await DeliveryPaceTests.work(scene) {
                try await DeliveryPaceTests.tell(1, scene)
                var begun = 0
                // What is begun together is answered together, so the window doubles until it is as wide as it gets; its
                // end has shown by its answer to the question that it is there.
                for size in [2, 4, 8, 16, 16] {
                    let isBegun = try await DeliveryPaceTests.wait { line.open == size }
                    try #require(isBegun, "\(line.open) under way, not \(size)")
                    begun += size
                    let expected = begun
                    line.allow(expected)
                    let isNoted = try await DeliveryPaceTests.wait { try await scene.doneCount() >= expected }
                    try #require(isNoted)
                }
                line.allow(.max)
                let isDone = try await DeliveryPaceTests.wait { try await scene.doneCount() == 100 }
                #expect(isDone)
            }
            #expect(line.most == 16)
            let sent = scene.sender.webhooks("comment.new").map(\.id)
            #expect(sent.count == 100 && Set(sent).count == 100)
            let written = try await scene.messages()
            // What is begun together is the next that wait.
            for part in [0..<2, 2..<6, 6..<14, 14..<30, 30..<46] { #expect(Set(sent[part]) == Set(written[part])) }
            // The last ones, where no more wait than are kept in order, came in order.
            #expect(sent.suffix(8) == written.suffix(8))
        }
    }

    @Test("DLV-06 A 429 closes the window: nothing starts until Retry-After ends, and then one at a time")
    func closing() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.webhook()
            try await DeliveryPaceTests.tell(60, scene)
            try await scene.fixture.library.delivery.deliverDue()
            #expect(try await scene.doneCount() == 60)
            scene.fixture.clock.advance(seconds: 1)
            try await DeliveryPaceTests.tell(40, scene)
            let line = Line()
            scene.sender.behave { _ in
                // One of those under way together asks for patience; the others are accepted.
                let isFirst = try await line.pass() == 1
                return isFirst ? ChannelAnswer(status: 429, retryAfter: "60") : ChannelAnswer(status: 200)
            }
            try await DeliveryPaceTests.work(scene) {
                try await DeliveryPaceTests.tell(1, scene)
                let isBegun = try await DeliveryPaceTests.wait { line.open == 16 }
                try #require(isBegun, "\(line.open)")
                // The others answer once the 429 is stored: an answer before that rightly makes room for the next attempt.
                line.allow(1)
                let isThrottled = try await DeliveryPaceTests.wait {
                    try await scene.entries(.pending).contains { $0.status == 429 }
                }
                try #require(isThrottled)
                line.allow(16)
                let isNoted = try await DeliveryPaceTests.wait { try await scene.doneCount() == 75 }
                try #require(isNoted)
                for _ in 0..<3 {
                    scene.fixture.clock.advance(seconds: 19)
                    try await DeliveryPaceTests.tell(1, scene)
                    #expect(line.open == 0 && line.begun == 16)
                }
                scene.fixture.clock.advance(seconds: 4)
                try await DeliveryPaceTests.tell(1, scene)
                let goesOn = try await DeliveryPaceTests.wait { line.open == 1 }
                try #require(goesOn)
                for _ in 0..<2_000 { await Task.yield() }
                #expect(line.open == 1)
                scene.fixture.clock.advance(seconds: 1)
                line.allow(.max)
                let isDone = try await DeliveryPaceTests.wait { try await scene.doneCount() == 105 }
                #expect(isDone)
            }
            let sent = Dictionary(grouping: scene.sender.webhooks("comment.new").map(\.id)) { $0 }.mapValues(\.count)
            #expect(sent.values.filter { $0 > 1 } == [2], "only what was not taken goes again")
        }
    }

    @Test("DLV-05 A user with a limit gets one message at a time, and no more than the limit")
    func limited() async throws {
        try await DeliveryTests.run { scene async throws in
            _ = try await scene.webhook()
            try await DeliveryPaceTests.tell(40, scene)
            try await scene.fixture.library.delivery.deliverDue()
            #expect(try await scene.doneCount() == 40)
            scene.fixture.clock.advance(seconds: 7_200)
            try await scene.settings(#"{"enabled":true,"caps":{"per_hour":3}}"#)
            try await DeliveryPaceTests.tell(20, scene)
            let line = Line()
            line.allow(.max)
            scene.sender.behave { _ in
                _ = try await line.pass()
                return ChannelAnswer(status: 200)
            }
            try await scene.fixture.library.delivery.deliverDue()
            #expect(line.begun == 3 && line.most == 1)
        }
    }

    @Test("DLV-06 An outage affecting several attempts counts as one failure")
    func outage() async throws {
        try await DeliveryTests.run { scene async throws in
            let channel = try await scene.webhook()
            try await DeliveryPaceTests.tell(40, scene)
            try await scene.fixture.library.delivery.deliverDue()
            scene.fixture.clock.advance(seconds: 1)
            try await DeliveryPaceTests.tell(40, scene)
            let line = Line()
            scene.sender.behave { _ in
                _ = try await line.pass()
                return ChannelAnswer(status: 500)
            }
            try await DeliveryPaceTests.work(scene) {
                try await DeliveryPaceTests.tell(1, scene)
                let isBegun = try await DeliveryPaceTests.wait { line.open == 16 }
                try #require(isBegun, "\(line.open)")
                scene.fixture.clock.advance(seconds: 0.1)
                line.allow(16)
                // What follows is tried alone.
                let isNoted = try await DeliveryPaceTests.wait { line.begun == 17 }
                #expect(isNoted)
                let pending = try await DeliveryPaceTests.wait { try await scene.failed() == 16 }
                #expect(pending && line.open == 1)
                let row = try await scene.fixture.library.store.read { try $0.channel(channel) }
                #expect(row?.failures == 1)
            }
        }
    }

    @Test("DLV-06 A Retry-After holds everything back until it ends, however often the worker wakes")
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

extension DeliveryTests.Scene {
    /// How many messages were taken, questions apart.
    func doneCount() async throws -> Int { try await messages(.done).count }

    /// How many messages wait for another attempt.
    func failed() async throws -> Int {
        try await fixture.library.store.read { try $0.outbox(state: .pending, limit: 1_000) }
            .count { $0.reason == "server_error" }
    }

    /// The messages of a backend in the order in which they were written.
    func messages(_ state: OutboxEntry.State? = nil) async throws -> [String] {
        try await fixture.library.store.read { try $0.outbox(state: state, limit: 1_000) }
            .filter { $0.type != .verification }.sorted { $0.number < $1.number }.map(\.message)
    }
}
