import HTTPTypes
package import Hummingbird
import NIOCore
import Synchronization

/// Answers from the moment the port is open: until the service has its stories, that it lives and what it waits for.
package final class StartupGate: HTTPResponder {
    package typealias Context = ServiceContext

    /// Answers every request once the service is whole.
    ///
    /// A structure, because a function that is itself what a `Mutex` protects is wrapped once more at every access: the
    /// value is converted on the way out and back in again, and each request would cost more than the one before.
    private struct Whole {
        let respond: @Sendable (Request, ServiceContext) async throws -> Response
    }

    private let whole = Mutex<Whole?>(nil)
    private let progress: StartupProgress

    /// After how many seconds it is worth asking again.
    private static let pause = 5

    /// Creates a gate that is closed.
    package init(progress: StartupProgress) { self.progress = progress }

    /// Lets every request through from here on.
    package func open(_ responder: some HTTPResponder<ServiceContext>) {
        whole.withLock { $0 = Whole { try await responder.respond(to: $0, context: $1) } }
    }

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
        headers[.contentTypeOptions] = "nosniff"
        let bytes = ByteBuffer(bytes: body)
        guard request.method == .head else {
            return Response(status: status, headers: headers, body: .init(byteBuffer: bytes))
        }
        headers[.contentLength] = String(bytes.readableBytes)
        return Response(status: status, headers: headers)
    }
}
