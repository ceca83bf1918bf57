package import Library
import HTTPTypes
package import Hummingbird
import NIOCore
import Synchronization

/// Answers requests as soon as the port is open; until the stories are loaded, reports liveness and progress.
package final class StartupGate: HTTPResponder {
    package typealias Context = ServiceContext

    /// The handlers of a service that has loaded its stories.
    ///
    /// Every access to a closure stored directly in a `Mutex` would permanently wrap it once more; as a field of a
    /// structure it stays unchanged.
    private struct Whole: Sendable {
        let respond: @Sendable (Request, ServiceContext) async throws -> Response
        let endStreams: @Sendable () -> Void
    }

    private let whole = Mutex<Whole?>(nil)
    private let progress: StartupProgress
    private let rules: BrowserRules

    /// The number of seconds after which a retry is worthwhile.
    private static let pause = 5

    /// Creates a closed gate.
    package init(progress: StartupProgress, rules: BrowserRules = BrowserRules()) {
        self.progress = progress
        self.rules = rules
    }

    /// Lets every request through from now on; `endStreams` ends the long-lived responses, which otherwise last until
    /// their clients disconnect.
    package func open(
        _ responder: some HTTPResponder<ServiceContext>,
        endStreams: @escaping @Sendable () -> Void = {}
    ) {
        let opened = Whole(
            respond: { try await responder.respond(to: $0, context: $1) },
            endStreams: endStreams
        )
        whole.withLock { $0 = opened }
    }

    /// Ends the long-lived responses when the server is about to stop.
    ///
    /// The server stops only after all responses have ended, and the services that run beside it stop only after the
    /// server.
    package func endStreams() { whole.withLock { $0 }?.endStreams() }

    package func respond(to request: Request, context: ServiceContext) async throws -> Response {
        if let whole = whole.withLock({ $0 }) { return try await whole.respond(request, context) }
        return closed(to: request)
    }

    private func closed(to request: Request) -> Response {
        let isRead = request.method == .get || request.method == .head
        if isRead, request.uri.path == "/healthz" {
            return response(.ok, MediaType.json, Array(#"{"status":"ok"}"#.utf8), to: request)
        }
        let problem = Problem(
            .serviceUnavailable,
            "starting",
            "The service is starting. \(progress.words). Try again in a few seconds."
        )
        var response = response(problem.status, MediaType.problem, problem.json, to: request)
        response.headers[.retryAfter] = String(StartupGate.pause)
        return response
    }

    private func response(
        _ status: HTTPResponse.Status,
        _ type: String,
        _ body: [UInt8],
        to request: Request
    ) -> Response {
        var headers: HTTPFields = [.contentType: type, .cacheControl: "no-store"]
        rules.apply(to: &headers, status: status, authority: request.head.authority)
        let bytes = ByteBuffer(bytes: body)
        guard request.method == .head else {
            return Response(status: status, headers: headers, body: .init(byteBuffer: bytes))
        }
        headers[.contentLength] = String(bytes.readableBytes)
        return Response(status: status, headers: headers)
    }
}
