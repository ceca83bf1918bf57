package import Library
import Crypto
import Foundation
import Formats
import HTTPTypes
package import Hummingbird
import NIOCore
import Observing
import Storage
import Stories

/// Turns declared endpoints into routes of the HTTP server.
package struct EndpointRoutes: Sendable {
    /// The maximum length in bytes of a body stored with gzip, for clients that do not accept gzip.
    private static let unpackedLimit = 16 << 20

    package let endpoints: [Endpoint]
    package let components: [String: Schema]
    /// Identifies the caller from the credentials of a request.
    ///
    /// Only a request that changes data creates an unknown user.
    package let authenticate: @Sendable (_ credentials: Credentials, _ isWriting: Bool) async throws -> Principal
    /// Counts requests; `nil` for no limit.
    package let limits: RequestLimits?
    /// Whether `X-Forwarded-For` is set by our own proxy.
    package let trustsProxy: Bool
    /// Decides about requests with the page's cookie; without it the cookie is ignored.
    private let pages: PageGuard?
    /// Keeps the answers of requests with an `Idempotency-Key`; `nil` for none.
    private let answers: RequestAnswers?
    /// Waits until all work cancelled by a change has ended; runs before the change is answered.
    package var settled: @Sendable () async -> Void = {}

    /// Creates a value from its parts.
    package init(
        endpoints: [Endpoint],
        components: [String: Schema],
        authenticate: @escaping @Sendable (_ credentials: Credentials, _ isWriting: Bool) async throws -> Principal,
        limits: RequestLimits?,
        trustsProxy: Bool,
        address: PublicAddress? = nil,
        answers: RequestAnswers? = nil,
        settled: @escaping @Sendable () async -> Void = {}
    ) {
        self.endpoints = endpoints
        self.components = components
        self.authenticate = authenticate
        self.limits = limits
        self.trustsProxy = trustsProxy
        pages = address.map(PageGuard.init)
        self.answers = answers
        self.settled = settled
    }

    /// Registers every endpoint, and an answer to OPTIONS for every path.
    package func register(on router: Router<ServiceContext>) {
        for endpoint in endpoints {
            router.on(RouterPath(endpoint.path), method: endpoint.method) { request, context in
                guard endpoint.isLive else { return try await respond(endpoint, to: request, context: context) }
                // A task keeps the stack memory it has used until it ends, and the current task lasts as long as the
                // stream. So the handler runs in a task of its own.
                return try await Task(executorPreference: EventLoopExecutor.shared) {
                    try await respond(endpoint, to: request, context: context)
                }
                .value
            }
        }
        for path in Set(endpoints.map(\.path)) {
            let list = AllowedMethods.list(endpoints.filter { $0.path == path }.map(\.method))
            router.on(RouterPath(path), method: .options) { _, _ in
                Response(status: .noContent, headers: [.allow: list])
            }
        }
    }

    /// Returns a part of a path without percent-encoding, or unchanged if the encoding is invalid.
    private static func decoded(_ text: String) -> String { text.removingPercentEncoding ?? text }

    private func respond(
        _ endpoint: Endpoint,
        to request: Request,
        context: ServiceContext
    ) async throws -> Response {
        let address = ClientAddress.name(
            of: context.remoteAddress,
            headers: request.headers,
            trustsProxy: trustsProxy
        )
        // While the sender is unknown, only enough bytes are read to find an app's key.
        var bytes: [UInt8]?
        var credentials = AppCredential.credentials(
            request.headers,
            of: endpoint,
            query: endpoint.credential == nil ? [:] : try checkedQuery(of: request, for: endpoint).all
        )
        if let ticket = endpoint.ticket, credentials.authorization == nil {
            let values = (try? QueryString(request.uri.query))?.values[ticket.parameter.name]
            credentials = try ticket.redeem(values?.last ?? "") ?? credentials
        }
        if let find = endpoint.bodyCredential, credentials.authorization == nil {
            let read = try await self.bytes(of: request, for: endpoint, upTo: Endpoint.unknownBodyBytes, context)
            credentials = AppCredential.bearing(find(read), credentials)
            bytes = read
        }
        let cookie = try cookie(of: request, for: endpoint, besides: credentials)
        credentials.session = credentials.areGiven ? credentials.session : cookie.secret
        credentials.opensLink = endpoint.access == .link
        let principal = try await principal(credentials, for: endpoint, address: address)
        try limits?.count(endpoint.cost, of: principal, address: address)
        try check(principal, for: endpoint)
        // Nobody else's page may begin or end a session either.
        if endpoint.cookie == .manages, endpoint.method != .get {
            try pages?.check(request.headers, authority: request.head.authority)
        }
        let query = try checkedQuery(of: request, for: endpoint)
        if bytes == nil { bytes = try await self.bytes(of: request, for: endpoint, context) }
        var parts: [String: String] = [:]
        for name in endpoint.pathNames { parts[name] = context.parameters.get(name).map(EndpointRoutes.decoded) }
        let parsed = try json(bytes ?? [], for: endpoint)
        let call = Call(
            endpoint: endpoint,
            method: request.method,
            path: request.uri.path,
            authority: request.head.authority,
            address: address,
            headers: request.headers,
            pathValues: PathValues(parts),
            query: query,
            principal: principal,
            credentials: credentials.forLaterChecks,
            cookie: cookie,
            body: parsed.body,
            bodyProblems: parsed.problems,
            bytes: endpoint.body?.isRaw ?? false ? bytes ?? [] : [],
            arriving: ArrivingBody(request, of: endpoint),
            client: context.connection.map(ConnectedClient.init),
            charge: { [limits] in try limits?.charge($0, of: principal, address: address) }
        )
        let (text, sent) = (request.uri.query, bytes ?? [])
        let answer = try await TraceCause.attributing(to: principal.traceOrigin) { [credentials] in
            try await guarding(call) {
                try await RepeatedRequest.answer(call, query: text, body: sent, keeping: answers) {
                    try await self.answer(call, credentials)
                }
            }
        }
        if endpoint.method != .get { await settled() }
        return try finish(answer, of: call, context)
    }

    /// Returns the page's cookie, without its secret if other credentials or another page's request make it void.
    private func cookie(
        of request: Request,
        for endpoint: Endpoint,
        besides credentials: Credentials
    ) throws -> SessionCookie {
        guard let pages, endpoint.readsCookie else { return .none }
        let authority = request.head.authority
        let cookie = pages.cookie(of: request.headers, authority: authority)
        let isUsed = cookie.secret != nil && !credentials.areGiven
        guard endpoint.method == .get else {
            if isUsed { try pages.check(request.headers, authority: authority) }
            return isUsed ? cookie : cookie.withoutSecret
        }
        return isUsed && !pages.isEmbedding(request.headers) ? cookie : cookie.withoutSecret
    }

    /// Runs `body` and counts a failure if the endpoint guards a secret.
    private func guarding(_ call: Call, _ body: () async throws -> Answer) async throws -> Answer {
        guard call.endpoint.guards == .secret, let limits else { return try await body() }
        // A signed-in user has separate attempts because a household shares an address.
        let guesser = call.viewer.user.map { "user " + $0.rawValue } ?? call.address
        return try await limits.guess(by: guesser, body)
    }

    /// Identifies the caller; rejects a request without a required token before any look-up.
    private func principal(
        _ credentials: Credentials,
        for endpoint: Endpoint,
        address: String?
    ) async throws -> Principal {
        do {
            if !credentials.areGiven, endpoint.access != .anyone {
                throw Problem.unauthorized("This request needs a token. Send 'Authorization: Bearer TOKEN'.")
            }
            return try await Problem.mappingRefusals { try await authenticate(credentials, endpoint.isWriting) }
        } catch let problem as Problem where problem.status == .unauthorized {
            try limits?.countFailure(address: address, authorization: credentials.authorization)
            guard endpoint.cookie == .manages, credentials.authorization == nil, credentials.user == nil else {
                if endpoint.cookie == .yieldsToPassword { throw problem.askingForPassword }
                guard endpoint.credential != nil else { throw problem }
                throw endpoint.keyAdvice.map(problem.alsoAskingForPassword.advising) ?? problem.alsoAskingForPassword
            }
            return .anonymous
        }
    }

    /// Rejects a valid token that does not authorize the request.
    private func check(_ principal: Principal, for endpoint: Endpoint) throws {
        if endpoint.access == .service, !principal.isService { throw Problem.missingScope(.actAs) }
        if let scope = endpoint.scope, !principal.scopes.contains(scope) { throw Problem.missingScope(scope) }
        guard endpoint.access == .user else { return }
        // Endpoints without a scope accept any token but a device key, which sends positions and reads nothing back.
        if principal.device != nil, endpoint.scope == nil { throw Problem.deviceKey }
        if principal.viewer.user == nil { throw principal.isService ? Problem.userMissing : .missingScope(.actAs) }
    }

    private func checkedQuery(of request: Request, for endpoint: Endpoint) throws -> QueryValues {
        let text = request.uri.query
        guard !endpoint.isLenient else { return try QueryValues(unchecked: text) }
        do {
            return try QueryValues(text, declaring: endpoint.parameters)
        } catch let error as InvalidParameter {
            throw Problem(error.refusal)
        }
    }

    private func bytes(
        of request: Request,
        for endpoint: Endpoint,
        upTo limit: Int = .max,
        _ context: ServiceContext
    ) async throws -> [UInt8] {
        guard let declared = endpoint.body else { return [] }
        try EndpointRoutes.checkEncoding(request.headers[.contentEncoding], of: declared)
        let most = min(limit, declared.maxBytes)
        // A body whose announced length is too large is not read at all.
        let announced = request.headers[.contentLength].flatMap { Int($0) }
        guard announced.map({ $0 <= most }) ?? true else { throw Problem.tooLarge(most) }
        if request.headers[.expect] != nil { await BodyDemand.signal(over: context.connection) }
        if declared.isStreamed { return [] }
        var request = request
        do {
            return Array(try await request.collectBody(upTo: most).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw Problem.tooLarge(most)
        } catch {
            throw Problem(.badRequest, "unreadable-body", "The body could not be read completely. Send it again.")
        }
    }

    /// Rejects a body in an encoding that is not supported (RFC 9110 §8.4).
    private static func checkEncoding(_ header: String?, of body: Endpoint.Body) throws {
        let names = (header ?? "").lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }
        let allowed: Set<Substring> = body.readsGzip ? ["identity", "gzip", "x-gzip"] : ["identity"]
        guard names.allSatisfy(allowed.contains) else { throw Problem.packedBody }
    }

    /// Runs the handler; if the caller's account was deleted meanwhile, rejects this request in the same way as the
    /// caller's next one.
    private func answer(_ call: Call, _ credentials: Credentials) async throws -> Answer {
        do {
            return try await Problem.mappingRefusals { try await call.endpoint.handler(call) }
        } catch let error as StoreError where error.code == .vanished {
            _ = try await Problem.mappingRefusals { try await authenticate(credentials, false) }
            throw error
        }
    }

    private func json(_ bytes: [UInt8], for endpoint: Endpoint) throws -> (body: JSONValue?, problems: [FieldProblem]) {
        guard let declared = endpoint.body, !declared.isRaw else { return (nil, []) }
        if declared.isOptional, bytes.isEmpty { return (nil, []) }
        let value: JSONValue
        do {
            // If a name is repeated, a proxy that inspects the body could use the other value.
            value = try JSONValue(
                parsing: bytes,
                limits: .init(bytes: declared.maxBytes, allowsRepeatedNames: false)
            )
        } catch {
            throw Problem(.badRequest, "bad-json", "The body is not valid JSON: \(error).")
        }
        let problems = components[declared.schema]?.problems(in: value, components: components) ?? []
        guard problems.isEmpty || declared.isJudgedByHandler else { throw Problem.body(problems) }
        return (value, problems)
    }

    /// Returns a body that is written while it is sent, in chunks, so that a missing last chunk shows truncation.
    private static func body(
        _ stream: @escaping @concurrent @Sendable (_ sink: inout any PieceSink) async throws -> Void,
        over connection: (any Channel)?,
        onStart: (@Sendable (_ end: @escaping @Sendable () -> Void) -> Void)?
    ) -> ResponseBody {
        ResponseBody { writer in
            // The connection's task only waits for the writing task, which can be cancelled on its own.
            let body = BodySink(writer: writer)
            let task = Task {
                var sink: any PieceSink = body
                try await stream(&sink)
            }
            onStart?({ task.cancel() })
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
            await connection?.settle()
            try await writer.finish(nil)
        }
    }

    /// Adds caching headers, compresses the body, and answers 304 if the client already has it.
    private func finish(_ answer: Answer, of call: Call, _ context: ServiceContext) throws -> Response {
        var answer = answer
        if let packed = answer.packedBody, !Compression.accepts(call.headers[.acceptEncoding]) {
            answer.body = try Gzip.decompress(packed, limit: EndpointRoutes.unpackedLimit)
            answer.packedBody = nil
        }
        var headers = answer.headers
        if !answer.body.isEmpty || answer.packedBody != nil || answer.stream != nil || answer.live != nil {
            headers[.contentType] = answer.mediaType
        }
        let language = headers[.contentLanguage] == nil ? "" : ", Accept-Language"
        // What the handler itself read, such as Accept.
        let more = headers[.vary].map { ", " + $0 } ?? ""
        headers[.vary] = "Authorization, Cookie, Waymark-User, Accept-Encoding\(language)\(more)"
        if let live = answer.live {
            headers[.cacheControl] = "no-store"
            headers[.accelBuffering] = "no"
            let body = LiveBody.body(live, over: context.connection)
            return Response(status: answer.status, headers: headers, body: body)
        }
        if let stream = answer.stream {
            headers[.cacheControl] = "no-store"
            return Response(
                status: answer.status,
                headers: headers,
                body: EndpointRoutes.body(stream, over: context.connection, onStart: answer.onStart)
            )
        }
        let caching =
            [.ok, .noContent, .notModified, .partialContent].contains(answer.status) ? call.endpoint.caching : .never
        switch caching {
        case .never: headers[.cacheControl] = "no-store"
        case .revalidate: headers[.cacheControl] = call.viewer.user == nil ? "public, no-cache" : "private, no-cache"
        case .shared:
            headers[.cacheControl] = headers[.cacheControl] ?? "public, no-cache"
            headers[.vary] = "Accept-Encoding\(language)\(more)"
        }
        if caching != .never, answer.status != .notModified {
            let tag = headers[.eTag] ?? EntityTag.strong(answer.packedBody ?? answer.body)
            headers[.eTag] = tag
            if EntityTag.matches(call.headers[.ifNoneMatch], tag) {
                headers[.contentType] = nil
                return Response(status: .notModified, headers: headers)
            }
        }
        var body = answer.body
        if let packed = EndpointRoutes.packed(answer, for: call) {
            body = packed
            headers[.contentEncoding] = "gzip"
            headers[.eTag] = headers[.eTag].map(EntityTag.packed)
        }
        return Response(status: answer.status, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }

    /// Returns the body compressed, or `nil` if it is sent uncompressed.
    private static func packed(_ answer: Answer, for call: Call) -> [UInt8]? {
        // A picture is compressed already; a part is counted in the bytes of the uncompressed whole.
        guard answer.mediaType != MediaType.jpeg, answer.status != .partialContent,
            Compression.accepts(call.headers[.acceptEncoding])
        else { return nil }
        return answer.packedBody ?? Compression.pack(answer.body)
    }
}

/// The body of a response as a sink of pieces.
///
/// Sendable because only one task writes to it, while the task that created it waits.
struct BodySink: PieceSink, @unchecked Sendable {
    var writer: any ResponseBodyWriter

    @concurrent mutating func send(_ bytes: [UInt8]) async throws { try await writer.write(ByteBuffer(bytes: bytes)) }
}
