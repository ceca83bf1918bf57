package import Library
import HTTPTypes
package import Hummingbird
import NIOCore
import Synchronization

/// Answers from the moment the port is open: until the service has its stories, that it lives and what it waits for.
package final class StartupGate: HTTPResponder {
    package typealias Context = ServiceContext

    /// Answers requests once the service has its stories.
    ///
    /// A closure right in a `Mutex` would be wrapped once more, and for good, by every look at it; as the field of a
    /// structure it stays what it is.
    private struct Whole: Sendable {
        let respond: @Sendable (Request, ServiceContext) async throws -> Response
        let endStreams: @Sendable () -> Void
    }

    private let whole = Mutex<Whole?>(nil)
    private let progress: StartupProgress

    /// After how many seconds it is worth asking again.
    private static let pause = 5

    /// Creates a gate that is closed.
    package init(progress: StartupProgress) { self.progress = progress }

    /// Lets every request through from here on; `endStreams` ends the answers that would go on for as long as their
    /// clients stay.
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

    /// Ends the answers that would go on, when the server is to stop: it waits for all that is being answered, and what
    /// runs beside it stops only after it.
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
        headers[.contentTypeOptions] = "nosniff"
        let bytes = ByteBuffer(bytes: body)
        guard request.method == .head else {
            return Response(status: status, headers: headers, body: .init(byteBuffer: bytes))
        }
        headers[.contentLength] = String(bytes.readableBytes)
        return Response(status: status, headers: headers)
    }
}
