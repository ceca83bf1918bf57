import App
import Formats
import HTTPTypes
import Library
import Logging
import Notifications
import Observing
import ServiceLifecycle
import Testing
import Tracing

/// OBS-03: spans of requests and deliveries reach the operator's collector, and cost nobody anything if they do not.
@Suite("Export of spans")
struct SpanExportTests {
    /// A service that sends spans to a collector.
    private struct Watched: Sendable {
        let registry = MetricRegistry()
        let collector: SpanCollector
        let receiver: TestCollector

        init(_ receiver: TestCollector, capacity: Int = 4_096) throws {
            self.receiver = receiver
            collector = try SpanCollector(receiver.endpoint, capacity: capacity, metrics: registry)
        }

        var options: WaymarkService.Options {
            var options = WaymarkService.Options()
            options.metrics = registry
            options.traces.collector = collector
            return options
        }

        var dropped: Double? {
            registry.families.first { $0.name == "waymark_spans_dropped_total" }?.samples.first?.value
        }

        /// Finishes spans that say nothing.
        func finish(_ count: Int) {
            let tracer = ServiceTracer(buffer: collector.buffer)
            for number in 0..<count { tracer.startSpan("\(number)", context: .topLevel).end() }
        }
    }

    private func run(capacity: Int = 4_096, _ body: @escaping @Sendable (Watched) async throws -> Void) async throws {
        let receiver = TestCollector()
        try await receiver.run { try await body(try Watched(receiver, capacity: capacity)) }
    }

    @Test("OBS-03 A trace has the spans of a fix and of its delivery, with route and status and nothing of the person")
    func fromFixToWebhook() async throws {
        try await run { watched async throws in
            let fixture = try await ServiceFixture()
            try await fixture.run(options: watched.options) { client async throws in
                let scene = try await DeliveryTests.Scene(fixture, client)
                _ = try await client.create(as: "ana", title: "Secretquill")
                _ = try await scene.webhook("secretpath")
                try await TraceTests.enter(scene, TraceTests.header())
                _ = try await client.get("/v1/geocode?q=secretquery", headers: TraceTests.header())
                _ = try await client.get("/secretpath?lat=33.7554", headers: TraceTests.header())
                try await fixture.library.delivery.deliverDue()
            }
            #expect(await watched.collector.sendWaiting() == .taken)
            #expect(watched.receiver.requests.allSatisfy { $0 == "POST /v1/traces application/json" })
            let spans = watched.receiver.spans.filter { $0["traceId"]?.string == TraceTests.trace }
            #expect(Set(watched.receiver.spans.compactMap { $0["traceId"]?.string }).count > 3)
            let names = spans.compactMap { $0["name"]?.string }
            #expect(names.filter { $0 == "POST /v1/fixes" }.count == 3 && names.contains("GET"))
            let fix = try #require(spans.first { $0["name"]?.string == "POST /v1/fixes" })
            #expect(fix["kind"]?.integer == 2 && fix["parentSpanId"]?.string == "00f067aa0ba902b7")
            #expect(fix.attribute("http.route") == "/v1/fixes" && fix.attribute("http.response.status_code") == "200")
            let delivery = try #require(spans.first { $0["name"]?.string == "deliver webhook" })
            let fixes = spans.filter { $0["name"]?.string == "POST /v1/fixes" }.compactMap { $0["spanId"]?.string }
            #expect(delivery["kind"]?.integer == 3 && fixes.contains(delivery["parentSpanId"]?.string ?? ""))
            #expect(
                delivery.attribute("waymark.outcome") == "delivered" && delivery.attribute("waymark.attempt") == "1"
            )
            #expect(delivery["status"]?["code"] == nil)
            for word in ["ecret", "33.75", "84.37", "phone", "\"ana\"", "\"ben\"", "Bearer", "example.org"] {
                #expect(!watched.receiver.text.contains(word), "\(word)")
            }
            #expect(watched.dropped == 0)
        }
    }

    @Test("OBS-03 A failed delivery is an error; the outcome is one word")
    func failedDelivery() async throws {
        try await run { watched async throws in
            let fixture = try await ServiceFixture()
            try await fixture.run(options: watched.options) { client async throws in
                let scene = try await DeliveryTests.Scene(fixture, client)
                scene.sender.answer(500)
                _ = try await scene.webhook()
            }
            _ = await watched.collector.sendWaiting()
            let delivery = try #require(watched.receiver.spans.first { $0["name"]?.string == "deliver webhook" })
            #expect(delivery["status"]?["code"]?.integer == 2 && delivery.attribute("waymark.outcome") != "delivered")
            #expect(delivery.attribute("http.response.status_code") == "500")
        }
    }

    @Test("OBS-03 A collector that is busy gets the same batch later, each time after twice as many rounds")
    func busy() async throws {
        try await run { watched async throws in
            watched.receiver.answer((.serviceUnavailable, [:], ""))
            watched.finish(3)
            var rounds: [Bool] = []
            for _ in 0..<8 { rounds.append(await watched.collector.round() != nil) }
            // After 1, then 2, then 4 rounds without an attempt.
            #expect(rounds == [true, false, true, false, false, true, false, false])
            #expect(watched.dropped == 0 && watched.receiver.requests.count == 3)
            watched.receiver.answer((.ok, [:], ""))
            watched.finish(1)
            for _ in 0..<3 { _ = await watched.collector.round() }
            #expect(watched.receiver.spans.compactMap { $0["name"]?.string } == ["0", "1", "2", "0"])
            // It names the number of seconds, and a round is a second.
            watched.receiver.answer((.tooManyRequests, [.retryAfter: "3"], ""))
            watched.finish(1)
            rounds = []
            for _ in 0..<5 { rounds.append(await watched.collector.round() != nil) }
            #expect(rounds == [true, false, false, false, true])
        }
    }

    @Test("OBS-03 What a collector does not want, or has no room for, is dropped and counted")
    func refused() async throws {
        try await run(capacity: 600) { watched async throws in
            watched.receiver.answer((.badRequest, [:], ""))
            watched.finish(2)
            #expect(await watched.collector.sendWaiting() == .refused("it answered 400"))
            #expect(watched.dropped == 2)
            watched.receiver.answer((.ok, [:], #"{"partialSuccess":{"rejectedSpans":"3"}}"#))
            watched.finish(5)
            #expect(await watched.collector.sendWaiting() == .taken)
            #expect(watched.dropped == 5)
            // Two requests, because one takes 512.
            watched.finish(700)
            #expect(watched.dropped == 105)
            watched.receiver.answer((.ok, [:], "{}"))
            let before = watched.receiver.requests.count
            #expect(await watched.collector.sendWaiting() == .taken)
            #expect(watched.receiver.requests.count == before + 2 && watched.receiver.spans.count == 605)
        }
    }

    @Test("OBS-03 The end of the service sends what waits")
    func end() async throws {
        try await run { watched async throws in
            watched.finish(7)
            _ = try await SpanExportTests.end(watched)
            #expect(watched.receiver.spans.count == 7 && watched.dropped == 0)
        }
    }

    @Test("OBS-03 A collector that never answers does not hold up the end of the service")
    func hanging() async throws {
        try await run { watched async throws in
            watched.receiver.answer(nil)
            watched.finish(7)
            let ended = try await SpanExportTests.end(watched)
            #expect(watched.dropped == 7 && ended < .seconds(5))
        }
    }

    /// Says that the group runs; it cannot be ended before.
    private struct Beacon: Service {
        let started: Signal

        func run() async throws {
            started.give()
            try await gracefulShutdown()
        }
    }

    /// Runs the export until it has begun, ends it, and returns the time of the end.
    private static func end(_ watched: Watched) async throws -> Duration {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let export = SpanExport(collector: watched.collector, logger: logger, interval: .seconds(3_600))
        let started = Signal()
        let services: [any Service] = [export, Beacon(started: started)]
        let group = ServiceGroup(configuration: .init(services: services.map { .init(service: $0) }, logger: logger))
        let running = Task { try await group.run() }
        await started.wait()
        let start = ContinuousClock.now
        await group.triggerGracefulShutdown()
        try await running.value
        return ContinuousClock.now - start
    }

    @Test(
        "An address that is none is refused with the option and what to give",
        arguments: [
            "", "collector", "ftp://127.0.0.1", "http://127.0.0.1:4318/v1/traces", "http://user@host:4318",
            "http://127.0.0.1:4318?x=1", "http://127.0.0.1:99999",
        ]
    )
    func addresses(_ text: String) {
        #expect {
            _ = try SpanCollector.url(text)
        } throws: { error in
            "\(error)".hasPrefix("--otlp-endpoint must be the address of a collector")
        }
    }

    @Test("An address may have a path, and an end with or without a slash")
    func paths() throws {
        #expect(try SpanCollector.url("http://127.0.0.1:4318/") == "http://127.0.0.1:4318/v1/traces")
        #expect(try SpanCollector.url("https://c.example/otlp") == "https://c.example/otlp/v1/traces")
    }
}
