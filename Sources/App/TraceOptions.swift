import Hummingbird
public import Notifications
import Observing
import Web

/// Where the spans of a service go, and who learns its traces.
public struct TraceOptions: Sendable {
    /// The operator's collector; `nil` for none.
    public var collector: SpanCollector?
    /// Which receivers of messages learn the trace of a request.
    public var sharing = TraceSharing()

    /// Creates options without a collector.
    public init() {}

    /// What makes the spans.
    var tracer: ServiceTracer { ServiceTracer(buffer: collector?.buffer) }

    /// Gives every request its place in a trace; nothing may be added to the router before.
    func trace(_ router: Router<ServiceContext>) { router.add(middleware: TraceMiddleware(tracer: tracer)) }
}
