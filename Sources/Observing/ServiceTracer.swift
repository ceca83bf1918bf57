public import Instrumentation
public import Tracing

/// Begins the spans of a service, and carries their positions from and to others as W3C Trace Context; a tracer of
/// swift-distributed-tracing.
///
/// It is passed to those who use it, not installed for the process: several services can live in one.
public final class ServiceTracer: Tracer {
    /// The spans that it makes.
    public typealias Span = ServiceSpan

    private let random: @Sendable () -> UInt64
    private let buffer: SpanBuffer?

    /// Creates a tracer that keeps finished spans in `buffer`; without one, positions are passed on and nothing is
    /// kept.
    public init(
        random: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) },
        buffer: SpanBuffer? = nil
    ) {
        self.random = random
        self.buffer = buffer
    }

    /// Begins a span below the cause in `context`, or a new trace if there is none.
    ///
    /// It is recorded if spans are kept and the caller that began the trace asked for it.
    public func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        context: @autoclosure () -> InstrumentationContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant,
        function: String,
        file fileID: String,
        line: UInt
    ) -> ServiceSpan {
        var context = context()
        let cause = context.cause
        let position = cause.map { child(of: $0.parent) } ?? root()
        context.cause = TraceCause(position, origin: cause?.origin ?? .unknown)
        guard let buffer, position.isSampled else {
            return ServiceSpan(position, in: context, named: operationName)
        }
        let record = SpanRecord(
            position: position,
            parent: cause?.parent.span,
            name: operationName,
            kind: kind,
            start: instant().nanosecondsSinceEpoch
        )
        return ServiceSpan(position, in: context, recording: record, to: buffer)
    }

    /// Returns the beginning of a new trace.
    public func root() -> TraceParent {
        // All zeros is no id; the odds are those of a guessed key.
        while true {
            let trace = TraceParent.TraceID(high: random(), low: random())
            if let trace, let root = TraceParent(trace: trace, span: random(), isSampled: buffer != nil) { return root }
        }
    }

    private func child(of parent: TraceParent) -> TraceParent {
        while true {
            if let child = TraceParent(trace: parent.trace, span: random(), isSampled: parent.isSampled) {
                return child
            }
        }
    }

    /// Does nothing: the collector takes finished spans from the buffer and sends them.
    public func forceFlush() {}

    /// Reads the sender's position; one that is not valid is ignored, so that a new trace begins.
    public func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout InstrumentationContext,
        using extractor: Extract
    ) where Extract.Carrier == Carrier {
        guard let text = extractor.extract(key: TraceParent.header, from: carrier), let parent = TraceParent(text)
        else {
            return
        }
        context.cause = TraceCause(parent)
    }

    /// Writes the position of a context.
    public func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext,
        into carrier: inout Carrier,
        using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let cause = context.cause else { return }
        injector.inject(cause.parent.description, forKey: TraceParent.header, into: &carrier)
    }
}
