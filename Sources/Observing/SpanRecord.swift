public import Tracing

/// What is exported of an operation.
public struct SpanRecord: Sendable {
    /// Its position in the trace.
    public let position: TraceParent
    /// The span that caused it; `nil` for the first of a trace.
    public let parent: UInt64?
    /// What it is called.
    public internal(set) var name: String
    /// Its part in an exchange.
    public let kind: SpanKind
    /// When it began, in nanoseconds since 1970.
    public let start: UInt64
    /// When it ended, in nanoseconds since 1970.
    public internal(set) var end: UInt64
    /// What is known of it.
    public internal(set) var attributes: SpanAttributes = [:]
    /// Whether it failed.
    public internal(set) var hasFailed = false

    /// Creates a record of an operation that begins.
    init(position: TraceParent, parent: UInt64?, name: String, kind: SpanKind, start: UInt64) {
        (self.position, self.parent, self.name, self.kind) = (position, parent, name, kind)
        (self.start, end) = (start, start)
    }
}
