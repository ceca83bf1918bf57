import Formats
import Instrumentation
import Observing
import Testing
import Tracing

/// Finished spans: kept, dropped, and written for a collector.
struct SpanTests {
    private let registry = MetricRegistry()

    private var dropped: Double? {
        registry.families.first { $0.name == "waymark_spans_dropped_total" }?.samples.first?.value
    }

    /// A span that began at `start` and ended at `end`, in nanoseconds since 1970.
    private struct Instant: TracerInstant {
        let nanosecondsSinceEpoch: UInt64
        static func < (one: Instant, other: Instant) -> Bool { one.nanosecondsSinceEpoch < other.nanosecondsSinceEpoch }
    }

    private func begin(_ name: String, _ tracer: ServiceTracer, below: String? = nil, at start: UInt64) -> ServiceSpan {
        var context = InstrumentationContext.topLevel
        context.cause = below.flatMap { TraceParent($0) }.map { TraceCause($0) }
        return tracer.startSpan(name, context: context, ofKind: .server, at: Instant(nanosecondsSinceEpoch: start))
    }

    @Test("OBS-03 Finished spans are written as OTLP wants them in JSON, each once")
    func document() throws {
        let buffer = SpanBuffer(metrics: registry)
        let tracer = ServiceTracer(buffer: buffer)
        let span = begin("HTTP", tracer, below: TraceParentTests.text, at: 1_700_000_000_000_000_001)
        span.operationName = "GET /v1/clusters"
        span.attributes["http.response.status_code"] = 503
        span.attributes["http.route"] = "/v1/clusters"
        span.setStatus(SpanStatus(code: .error, message: "never written"))
        // The clock was set back: a span does not end before it began.
        span.end(at: Instant(nanosecondsSinceEpoch: 5))
        span.end(at: Instant(nanosecondsSinceEpoch: 6))
        #expect(!span.isRecording && buffer.count == 1)
        let bytes = SpanDocument.write(buffer.take(10), service: "waymark", version: "1.2")
        let text = try #require(try JSONValue(parsing: bytes)["resourceSpans"]?[0])
        #expect(text["resource"]?["attributes"]?[0]?["key"]?.string == "service.name")
        #expect(text["resource"]?["attributes"]?[0]?["value"]?["stringValue"]?.string == "waymark")
        let written = try #require(text["scopeSpans"]?[0]?["spans"]?[0])
        #expect(written["traceId"]?.string == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(written["spanId"]?.string == span.position.spanText)
        #expect(written["parentSpanId"]?.string == "00f067aa0ba902b7")
        #expect(written["name"]?.string == "GET /v1/clusters" && written["kind"]?.integer == 2)
        #expect(written["startTimeUnixNano"]?.string == "1700000000000000001")
        #expect(written["endTimeUnixNano"]?.string == "1700000000000000001")
        #expect(written["attributes"]?[0]?["value"]?["intValue"]?.string == "503")
        #expect(written["attributes"]?[1]?["value"]?["stringValue"]?.string == "/v1/clusters")
        #expect(written["status"]?["code"]?.integer == 2)
        #expect(!String(decoding: bytes, as: UTF8.self).contains("never written"))
        #expect(buffer.count == 0 && dropped == 0)
    }

    @Test("OBS-03 What its sender does not want recorded is not, and neither is anything without a buffer")
    func unsampled() {
        let buffer = SpanBuffer(metrics: registry)
        let hidden = String(TraceParentTests.text.dropLast()) + "0"
        begin("HTTP", ServiceTracer(buffer: buffer), below: hidden, at: 1).end()
        begin("HTTP", ServiceTracer(), below: TraceParentTests.text, at: 1).end()
        #expect(buffer.count == 0)
        begin("HTTP", ServiceTracer(buffer: buffer), at: 1).end()
        #expect(buffer.count == 1)
    }

    @Test("OBS-03 The buffer is bounded: what does not fit is dropped and counted")
    func bounded() {
        let buffer = SpanBuffer(capacity: 3, metrics: registry)
        let tracer = ServiceTracer(buffer: buffer)
        for number in 0..<5 { begin("\(number)", tracer, at: 1).end() }
        #expect(buffer.count == 3 && dropped == 2)
        #expect(buffer.take(2).map(\.name) == ["0", "1"])
        begin("5", tracer, at: 1).end()
        #expect(buffer.take(10).map(\.name) == ["2", "5"] && dropped == 2)
    }
}
