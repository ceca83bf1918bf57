import Library
import Formats
package import HTTPTypes
package import Hummingbird
package import Logging
import NIOCore
import Observing
import Storage

/// Handles what all exchanges share: request ids, the Host check, errors as problems, security headers, CORS, logging.
package struct ExchangeMiddleware: RouterMiddleware {
    package let logger: Logger
    /// Whether every response is marked with `X-Dev-Mode`, because the service is not meant for real users.
    package var isDevelopment = false
    /// The origins whose pages may send tokens.
    package var origins: Set<String> = []
    /// The methods that each path supports.
    package var allowed = AllowedMethods([])
    /// Counts the answers; `nil` if nobody does.
    package var metrics: HTTPMetrics?
    /// What every answer says to browsers.
    package var rules = BrowserRules()

    /// Creates a value from its parts.
    package init(
        logger: Logger,
        isDevelopment: Bool = false,
        origins: Set<String> = [],
        allowed: AllowedMethods = AllowedMethods([]),
        metrics: HTTPMetrics? = nil,
        rules: BrowserRules = BrowserRules()
    ) {
        self.metrics = metrics
        self.rules = rules
        self.logger = logger
        self.isDevelopment = isDevelopment
        self.origins = origins
        self.allowed = allowed
    }

    package func handle(
        _ request: Request,
        context: ServiceContext,
        next: @concurrent (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        let requestID = ExchangeMiddleware.requestID(request.headers[.requestID])
        let start = ContinuousClock.now
        var response: Response
        do {
            guard let authority = request.head.authority else {
                throw Problem(.badRequest, "no-host", "The request has no Host header. Send one.")
            }
            guard HostName.isValid(authority) else { throw Problem.badHost }
            guard RequestPath.isPlain(request.head.path ?? "/") else { throw Problem.notFound }
            response = try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound {
            let list = allowed.list(for: request.uri.path)
            response = answer(to: list.map(Problem.methodNotAllowed) ?? error, requestID: requestID)
        } catch {
            response = answer(to: error, requestID: requestID)
        }
        // The client would take bytes after the head for the start of the next response.
        if request.method == .head { response = response.createHeadResponse() }
        response.headers[.requestID] = requestID
        rules.apply(to: &response.headers, status: response.status, authority: request.head.authority)
        if isDevelopment { response.headers[.developmentMode] = "1" }
        shareAcrossOrigins(&response, request)
        let time = ContinuousClock.now - start
        // Hummingbird's name for a path that is no route.
        let route = context.endpointPath == "NotFound" ? nil : context.endpointPath
        metrics?.note(request.method, route, status: response.status.code, after: time)
        var fields: Logger.Metadata = [
            "id": "\(requestID)", "method": "\(request.method.rawValue)",
            "status": .stringConvertible(response.status.code), "route": "\(route ?? "none")",
            "ms": .stringConvertible(time / .milliseconds(1)),
        ]
        if let cause = TraceCause.current { fields["trace"] = "\(cause.parent.trace)" }
        logger.info("request", metadata: fields)
        return response
    }

    /// Adds CORS headers: pages of any origin may read public data; pages of listed origins may also send their
    /// visitors' tokens.
    private func shareAcrossOrigins(_ response: inout Response, _ request: Request) {
        let isListed = request.headers[.origin].map(origins.contains) ?? false
        if !origins.isEmpty {
            response.headers[.vary] = [response.headers[.vary], "Origin"].compactMap { $0 }.joined(separator: ", ")
        }
        guard isListed || [.get, .head, .options].contains(request.method) else { return }
        response.headers[.accessControlAllowOrigin] = isListed ? request.headers[.origin] : "*"
        response.headers[.accessControlExposeHeaders] = "Content-Crs, Content-Range, ETag, Link, Location, X-Request-Id"
        guard request.method == .options else { return }
        let plain = "Accept, Content-Type, If-None-Match, Range"
        response.headers[.accessControlAllowMethods] = isListed ? "GET, HEAD, POST, PUT, PATCH, DELETE" : "GET, HEAD"
        response.headers[.accessControlAllowHeaders] =
            isListed ? "Authorization, Idempotency-Key, If-Match, Waymark-User, Waymark-User-Create, " + plain : plain
        response.headers[.accessControlMaxAge] = "600"
    }

    private func answer(to error: any Error, requestID: String) -> Response {
        let problem: Problem
        switch error {
        case let known as Problem:
            problem = known
        case let known as any RefusalConvertible:
            problem = Problem(known.refusal)
        case let known as HTTPError where known.status == .notFound:
            problem = .notFound
        case let known as HTTPError:
            problem = Problem(known.status, "refused", known.body ?? known.status.reasonPhrase)
        case let known as StoreError where known.code == .diskFull:
            logger.error("the disk is full", metadata: ["id": "\(requestID)"])
            problem = Problem(
                .init(code: 507, reasonPhrase: "Insufficient Storage"),
                "disk-full",
                "The disk is full, so this was not stored. Notify the operator; reading still works."
            )
        case let known as StoreError where known.code == .erasing:
            problem = Problem(.conflict, "being-erased", known.description)
        case let known as StoreError where known.code == .vanished:
            problem = Problem(.conflict, "gone-meanwhile", known.description)
        case let known as StoreError where known.code == .stopped:
            problem = .writingStopped
        case let known as StoreError where known.code == .readOnly:
            problem = .readOnly
        case let known as StoreError where known.code == .damaged || known.code == .damagedRow:
            logger.error("a part of the database is damaged", metadata: ["id": "\(requestID)"])
            problem = Problem(
                .serviceUnavailable,
                "damaged",
                "What this request needs is damaged in the database, so it is not answered; everything else works. Notify "
                    + "the operator."
            )
        case is CancellationError:
            problem = Problem(.serviceUnavailable, "interrupted", "The request was interrupted. Try again.")
        default:
            // The text of an unforeseen error may contain data that a client must not see, so it only goes to the log.
            logger.error("request failed", metadata: ["id": "\(requestID)", "error": "\(error)"])
            problem = Problem(
                .internalServerError,
                "failed",
                "Something went wrong. Try again; if the problem persists, give the operator the request id."
            )
        }
        var headers = problem.headers
        headers[.contentType] = problem.isPlain ? MediaType.text : MediaType.problem
        headers[.cacheControl] = "no-store"
        return Response(
            status: problem.status,
            headers: headers,
            body: .init(
                byteBuffer: ByteBuffer(bytes: problem.isPlain ? Array(problem.detail.utf8) + [10] : problem.json)
            )
        )
    }

    /// Returns the client's request id if it is short and printable, otherwise a new one.
    static func requestID(_ given: String?) -> String {
        if let given, (1...128).contains(given.utf8.count), given.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
            return given
        }
        return String(UInt64.random(in: .min ... .max), radix: 16)
    }
}

extension HTTPField.Name {
    /// `X-Request-Id`.
    static let requestID = known("X-Request-Id")

    /// `Idempotency-Key`.
    package static let idempotencyKey = known("Idempotency-Key")

    package static func known(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is not a field name") }
        return name
    }
}
