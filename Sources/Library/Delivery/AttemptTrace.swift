import Instrumentation
import Notifications
import Observing
import Storage
import Tracing

/// The place of one attempt in a trace: in that of the request that caused its entry, or in one of its own.
///
/// Its span has the kind of channel, the number of the attempt and the outcome. It names no person, place or endpoint.
struct AttemptTrace: Sendable {
    private let claim: DeliveryClaim
    private let egress: Egress
    private let span: ServiceSpan

    /// Begins the span.
    init(of claim: DeliveryClaim, through egress: Egress) {
        (self.claim, self.egress) = (claim, egress)
        var context = InstrumentationContext.topLevel
        context.cause = claim.entry.cause
        let kind = claim.channel.kind.rawValue
        span = egress.tracer.startSpan("deliver \(kind)", context: context, ofKind: .client)
        span.attributes["waymark.channel"] = kind
        span.attributes["waymark.attempt"] = claim.entry.attempts + 1
    }

    /// Ends the span with an outcome in one word, and the status of the answer if there was one.
    func end(as word: String, status: Int?, hasFailed: Bool) {
        span.attributes["waymark.outcome"] = word
        span.attributes["http.response.status_code"] = status
        if hasFailed { span.setStatus(SpanStatus(code: .error)) }
        span.end()
    }

    /// Returns a message with the position of the attempt, if its kind of channel carries one.
    ///
    /// A receiver that may not know the trace gets a new one, so that all messages look alike.
    func carried(by message: OutgoingMessage) -> OutgoingMessage {
        guard case .http(var http) = message, claim.channel.kind.carriesTrace else { return message }
        let cause: TraceSharing.Cause =
            switch claim.entry.cause?.origin {
            case .person: .own
            case .service: .service
            case .unknown, nil: .none
            }
        let isProven = claim.channel.state == .active
        var context = span.context
        if cause != .none, !egress.sharing.shares(cause, with: claim.target, isProven: isProven) {
            context.cause = TraceCause(egress.tracer.root())
        }
        egress.tracer.inject(context, into: &http, using: HeaderInjector())
        return .http(http)
    }
}

/// Writes header fields of an outgoing request.
private struct HeaderInjector: Injector {
    func inject(_ value: String, forKey key: String, into carrier: inout OutgoingHTTP) {
        carrier.add(OutgoingHTTP.Field(key, value))
    }
}
