import HTTPTypes
package import Hummingbird
import Instrumentation
package import Observing
import Tracing

/// Gives every request its place in a trace: below the `traceparent` of its sender, or at the start of a new one.
///
/// The span has the method, the template of the route and the status. It has no path, query, header, address or person.
package struct TraceMiddleware: RouterMiddleware {
    private let tracer: ServiceTracer

    /// The methods that are recorded by name; callers can make up others.
    private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

    /// Creates the middleware; it must come before all others.
    package init(tracer: ServiceTracer) { self.tracer = tracer }

    package func handle(
        _ request: Request,
        context: ServiceContext,
        next: @concurrent (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        var above = InstrumentationContext.topLevel
        tracer.extract(request.headers, into: &above, using: HeaderExtractor())
        let span = tracer.startSpan("HTTP", context: above, ofKind: .server)
        defer { span.end() }
        let response = try await InstrumentationContext.$current.withValue(span.context) {
            try await next(request, context)
        }
        if span.isRecording { describe(request.method, response.status.code, context.endpointPath, in: span) }
        return response
    }

    /// Records an answer, by the names of OpenTelemetry's semantic conventions.
    private func describe(_ method: HTTPRequest.Method, _ status: Int, _ path: String?, in span: ServiceSpan) {
        let isKnown = TraceMiddleware.methods.contains(method.rawValue)
        // Hummingbird's name for a path that is no route.
        let route = path == "NotFound" ? nil : path
        span.operationName = [isKnown ? method.rawValue : "HTTP", route].compactMap { $0 }.joined(separator: " ")
        span.attributes["http.request.method"] = isKnown ? method.rawValue : "_OTHER"
        span.attributes["http.response.status_code"] = status
        span.attributes["http.route"] = route
        if status >= 500 { span.setStatus(SpanStatus(code: .error)) }
    }
}

/// Reads header fields of a request; a repeated one is joined, so that it is no valid `traceparent`.
private struct HeaderExtractor: Extractor {
    func extract(key: String, from carrier: HTTPFields) -> String? { HTTPField.Name(key).flatMap { carrier[$0] } }
}
