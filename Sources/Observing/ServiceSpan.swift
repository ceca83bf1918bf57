public import Instrumentation
import Synchronization
public import Tracing

/// An operation under way.
///
/// It keeps a name, a status and attributes. Events, links and errors are left out: a text of an error can contain what
/// nobody but the person concerned may read.
public final class ServiceSpan: Tracing.Span {
    private struct State: Sendable {
        var name: String
        /// What is recorded; `nil` if nothing is, or once the operation has ended.
        var record: SpanRecord?
    }

    /// The context of what happens within the operation.
    public let context: InstrumentationContext
    /// The position of the operation in its trace.
    public let position: TraceParent
    private let state: Mutex<State>
    private let buffer: SpanBuffer?

    /// Creates a span that is not recorded.
    init(_ position: TraceParent, in context: InstrumentationContext, named name: String) {
        (self.position, self.context, buffer) = (position, context, nil)
        state = Mutex(State(name: name))
    }

    /// Creates a span that is recorded.
    init(
        _ position: TraceParent,
        in context: InstrumentationContext,
        recording record: SpanRecord,
        to buffer: SpanBuffer
    ) {
        (self.position, self.context, self.buffer) = (position, context, buffer)
        state = Mutex(State(name: record.name, record: record))
    }

    /// What the operation is called.
    public var operationName: String {
        get { state.withLock { $0.name } }
        set {
            state.withLock { state in
                state.name = newValue
                state.record?.name = newValue
            }
        }
    }

    /// Whether anything is recorded.
    public var isRecording: Bool { state.withLock { $0.record != nil } }

    /// What is known of the operation; empty if it is not recorded.
    public var attributes: SpanAttributes {
        get { state.withLock { $0.record?.attributes ?? [:] } }
        set { state.withLock { state -> Void in state.record?.attributes = newValue } }
    }

    /// Sets whether the operation failed.
    public func setStatus(_ status: SpanStatus) {
        state.withLock { state -> Void in state.record?.hasFailed = status.code == .error }
    }

    /// Does nothing.
    public func addEvent(_ event: SpanEvent) {}

    /// Does nothing.
    public func addLink(_ link: SpanLink) {}

    /// Does nothing.
    public func recordError<Instant: TracerInstant>(
        _ error: any Error,
        attributes: SpanAttributes,
        at instant: @autoclosure () -> Instant
    ) {}

    /// Ends the operation; only the first call counts.
    public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        guard let buffer else { return }
        let record = state.withLock { state in
            defer { state.record = nil }
            return state.record
        }
        guard var record else { return }
        record.end = max(record.start, instant().nanosecondsSinceEpoch)
        buffer.add(record)
    }
}
