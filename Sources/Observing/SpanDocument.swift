import Formats
import Tracing

/// Spans as OTLP/HTTP carries them in JSON: an `ExportTraceServiceRequest` with hexadecimal ids and numbers for enums.
public enum SpanDocument: Sendable {
    /// The path below a collector's address.
    public static let path = "/v1/traces"
    /// The media type.
    public static let mediaType = "application/json"

    /// Returns the document of some spans of a service.
    public static func write(_ spans: [SpanRecord], service name: String, version: String) -> [UInt8] {
        var json = JSONWriter(capacity: 200 + spans.count * 500)
        json.beginObject()
        json.key("resourceSpans")
        json.beginArray()
        json.beginObject()
        json.key("resource")
        json.beginObject()
        write(["service.name": .string(name), "service.version": .string(version)], to: &json)
        json.endObject()
        json.key("scopeSpans")
        json.beginArray()
        json.beginObject()
        json.key("scope")
        json.beginObject()
        json.member("name", name)
        json.endObject()
        json.key("spans")
        json.beginArray()
        for span in spans { write(span, to: &json) }
        json.endArray()
        json.endObject()
        json.endArray()
        json.endObject()
        json.endArray()
        json.endObject()
        return json.bytes
    }

    private static func write(_ span: SpanRecord, to json: inout JSONWriter) {
        json.beginObject()
        json.member("traceId", span.position.trace.description)
        json.member("spanId", span.position.spanText)
        if let parent = span.parent { json.member("parentSpanId", TraceParent.hex(parent)) }
        json.member("name", span.name)
        json.member("kind", number(of: span.kind))
        // 64 bits are texts in the JSON of protocol buffers.
        json.member("startTimeUnixNano", String(span.start))
        json.member("endTimeUnixNano", String(span.end))
        var attributes: [String: SpanAttribute] = [:]
        span.attributes.forEach { attributes[$0] = $1 }
        write(attributes, to: &json)
        json.key("status")
        json.beginObject()
        if span.hasFailed { json.member("code", 2) }
        json.endObject()
        json.endObject()
    }

    /// The numbers of the protocol's enum `SpanKind`.
    private static func number(of kind: SpanKind) -> Int {
        switch kind {
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        case .internal: 1
        }
    }

    /// Writes texts, numbers and flags; nothing else is an attribute of our spans.
    private static func write(_ attributes: [String: SpanAttribute], to json: inout JSONWriter) {
        json.key("attributes")
        json.beginArray()
        for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
            json.beginObject()
            json.member("key", name)
            json.key("value")
            json.beginObject()
            switch value {
            case .string(let text): json.member("stringValue", text)
            case .int32(let number): json.member("intValue", String(number))
            case .int64(let number): json.member("intValue", String(number))
            case .double(let number): json.member("doubleValue", number)
            case .bool(let flag): json.member("boolValue", flag)
            default: break
            }
            json.endObject()
            json.endObject()
        }
        json.endArray()
    }
}
