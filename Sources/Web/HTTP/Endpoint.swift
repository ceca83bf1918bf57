package import Library
package import HTTPTypes

/// A route of the service, with everything that is declared about it.
///
/// Registration, parameter parsing, limits and the OpenAPI document are derived from this value.
package struct Endpoint: Sendable {
    /// The callers that a route accepts.
    package enum Access: Sendable {
        /// Anyone; a caller with a token acts as the token's user.
        case anyone
        /// Only users, with a token.
        case user
        /// Only an app's backend, with a key that has the scope `act-as`; the request need not name a user.
        case service
        /// Only operators, with a token or key that has the required scope; the token or key need not belong to a user.
        case operators
        /// Only the holder of a share link, with its secret as the token; the viewer is anonymous.
        case link
    }

    /// The price of a request in units of the rate limit, roughly in proportion to its work.
    package enum Cost: Int, Sendable {
        /// Nothing: requests from monitoring are never rejected.
        case free = 0
        /// Reading or writing one row.
        case light = 1
        /// A list, a map, a search or a batch.
        case normal = 5
        /// All data of a person: an export, an erasure or a package.
        case heavy = 50
        /// A few account operations, such as joining a family.
        case raised = 10
    }

    /// A reason to reject further attempts after some have failed.
    package enum Guard: Sendable {
        /// The request contains a secret that could be guessed: ten failures an hour are allowed per user, or per
        /// address if the caller is anonymous.
        case secret
    }

    /// The caching rules for an answer.
    package enum Caching: Sendable {
        /// Caches may store it but must revalidate it by its ETag each time.
        case revalidate
        /// The answer is the same for everyone. Caches revalidate it, unless the handler sets `Cache-Control`.
        case shared
        /// Caches must not store it.
        case never
    }

    /// The meaning of the page's cookie for a route.
    package enum CookieUse: Sendable {
        /// It identifies the caller; a cookie that is no longer valid is answered with 401, like such a token.
        case identifies
        /// The route begins, shows or ends the session itself, or is a page for people, so it also answers a caller whose
        /// cookie is no longer valid. Changes must come from the page, even without a cookie.
        case manages
        /// Nothing: a browser is asked for a password (HTTP Basic authentication), which is a key, because sessions never
        /// have the scope of the route. For pages that need no script.
        case yieldsToPassword
    }

    /// A header field that a route reads besides `Authorization`.
    package enum Header: String, Sendable {
        case ifMatch = "If-Match"
        case idempotencyKey = "Idempotency-Key"
        case lastEventID = "Last-Event-ID"
        case page = "Waymark-Page"
        case range = "Range"
        case ifRange = "If-Range"

        /// The maximum length of its value in bytes.
        package var maxBytes: Int { self == .idempotencyKey ? 255 : OpenAPIDocument.longestHeader }

        package var description: String {
            switch self {
            case .ifMatch: "The ETag of the version to change. If the current version differs, the answer is 412."
            case .lastEventID: "The id of the last event received. The stream continues after it."
            case .page: "1 in every request that the page itself sends; without it the answer is 403."
            case .range: "The part to answer: `bytes=FIRST-LAST`. Several parts at once are not supported."
            case .ifRange: "The ETag of the version that the client has. If it differs, the whole is answered."
            case .idempotencyKey:
                "A key of 1–255 bytes. For one day, repeating the request returns what the first request created."
            }
        }
    }

    /// A query parameter that replaces `Authorization` for one request.
    package struct Ticket: Sendable {
        let parameter: QueryParameter<String?>
        /// Returns the credentials that a ticket stands for.
        ///
        /// - Throws: ``Problem`` (401) for an invalid ticket.
        let redeem: @Sendable (_ text: String) throws -> Credentials?

        /// Creates a value from its parts.
        package init(
            parameter: QueryParameter<String?>,
            redeem: @escaping @Sendable (_ text: String) throws -> Credentials?
        ) {
            self.parameter = parameter
            self.redeem = redeem
        }
    }

    /// The request body of a route.
    package struct Body: Sendable {
        /// The name of its schema in the document's components.
        package let schema: String
        /// The maximum length in bytes; nothing beyond it is read.
        package let maxBytes: Int
        /// Whether the handler reads the raw bytes: of a file, or of a message from a client of another service.
        package var isRaw = false
        /// Whether the handler receives the raw bytes as they arrive, because the body is too long for memory.
        package var isStreamed = false
        /// Whether the handler reports schema violations together with its own problems: see ``Call/bodyProblems``.
        package var isJudgedByHandler = false
        /// Whether the handler unpacks gzip, so that `Content-Encoding: gzip` is accepted.
        package var readsGzip = false
        /// Whether a request may omit the body.
        package var isOptional = false
        package var mediaType = MediaType.json
        /// Other media types that the handler reads.
        package var otherTypes: [String] = []

        /// Creates a value from its parts.
        package init(
            schema: String,
            maxBytes: Int,
            isRaw: Bool = false,
            isStreamed: Bool = false,
            isJudgedByHandler: Bool = false,
            readsGzip: Bool = false,
            isOptional: Bool = false,
            mediaType: String = MediaType.json,
            otherTypes: [String] = []
        ) {
            self.schema = schema
            self.maxBytes = maxBytes
            self.isRaw = isRaw
            self.isStreamed = isStreamed
            self.isJudgedByHandler = isJudgedByHandler
            self.readsGzip = readsGzip
            self.isOptional = isOptional
            self.mediaType = mediaType
            self.otherTypes = otherTypes
        }
    }

    /// A possible answer to a valid request.
    package struct Success: Sendable {
        package let status: HTTPResponse.Status
        package let mediaType: String
        /// The schema; `nil` for answers that are not JSON or have no body.
        package let schema: Schema?
        package let description: String
        /// Other media types in which the answer is available on request.
        package var otherTypes: [String] = []

        /// Creates a value from its parts.
        package init(
            status: HTTPResponse.Status,
            mediaType: String,
            schema: Schema?,
            description: String,
            otherTypes: [String] = []
        ) {
            self.status = status
            self.mediaType = mediaType
            self.schema = schema
            self.description = description
            self.otherTypes = otherTypes
        }
    }

    /// An error that asks the client to wait, with `Retry-After`.
    package struct Refusal: Sendable {
        package let status: HTTPResponse.Status
        package let description: String

        /// Creates a value from its parts.
        package init(status: HTTPResponse.Status, description: String) {
            self.status = status
            self.description = description
        }
    }

    /// The maximum number of bytes that are read from a body while its sender is unknown.
    static let unknownBodyBytes = 8_192

    package let method: HTTPRequest.Method
    /// The path, with `{id}` for a variable part.
    package let path: String
    /// The name of the operation, unique in the document.
    package let name: String
    package let summary: String
    package let access: Access
    /// The scope that a token must have; `nil` if any token is accepted.
    package var scope: Scope?
    package var cost: Cost = .light
    /// The limit on failed attempts, in addition to the request's cost; `nil` for none.
    package var guards: Guard?
    package var caching: Caching = .never
    /// Whether the answer is a stream that continues until one side ends it.
    package var isLive = false
    /// Whether it changes data; only such requests create unknown users.
    package var isWriting: Bool { method != .get || alwaysWrites }
    /// Whether it changes data even when called by GET, as clients of another service do.
    package var alwaysWrites = false
    /// The query parameters, which the handler reads with `call[parameter]`.
    package var parameters: ParameterList = []
    /// Whether the handler tolerates unknown parameters and invalid values, as sent by clients of other services.
    package var isLenient = false
    package var headers: [Header] = []
    package var body: Body?
    /// Finds in the query the key of an app that cannot send `Authorization`; also enables HTTP Basic authentication.
    package var credential: (@Sendable (_ query: [String: [String]]) -> String?)?
    /// What the user of an app checks if its key is not valid: the answer is this text, because apps show it as it is.
    package var keyAdvice: String?
    /// Finds the key of an app that sends it only in the body; at most ``unknownBodyBytes`` are read for this.
    package var bodyCredential: (@Sendable (_ body: [UInt8]) -> String?)?
    /// The name of the cookie in which an app sends its key, because it knows only sessions.
    package var keyCookie: String?
    /// Replaces `Authorization` for clients that cannot send it.
    package var ticket: Ticket?
    /// The meaning of the page's cookie.
    package var cookie = CookieUse.identifies
    package let success: [Success]
    package var refusals: [Refusal] = []
    /// The media types of its errors besides that of problems, on routes that imitate another service.
    package var refusalTypes: [String] = []
    package let handler: @Sendable (Call) async throws -> Answer

    /// Whether the page's cookie is read at all: not on routes for devices, some of which change data by GET, and not
    /// where the answer is the same for everyone, such as the tiles under the stories.
    var readsCookie: Bool {
        // The holder of a link is nobody else, whoever is signed in to the same browser.
        let isForAll = access == .link || access == .anyone && caching == .shared
        return credential == nil && bodyCredential == nil && !alwaysWrites && !isForAll && cookie != .yieldsToPassword
    }

    /// Creates a value from its parts.
    package init(
        method: HTTPRequest.Method,
        path: String,
        name: String,
        summary: String,
        access: Access,
        scope: Scope? = nil,
        cost: Cost = .light,
        guards: Guard? = nil,
        caching: Caching = .never,
        isLive: Bool = false,
        alwaysWrites: Bool = false,
        parameters: ParameterList = [],
        isLenient: Bool = false,
        headers: [Header] = [],
        body: Body? = nil,
        credential: (@Sendable (_ query: [String: [String]]) -> String?)? = nil,
        keyAdvice: String? = nil,
        bodyCredential: (@Sendable (_ body: [UInt8]) -> String?)? = nil,
        keyCookie: String? = nil,
        ticket: Ticket? = nil,
        cookie: CookieUse = .identifies,
        success: [Success],
        refusals: [Refusal] = [],
        refusalTypes: [String] = [],
        handler: @escaping @Sendable (Call) async throws -> Answer
    ) {
        self.method = method
        self.path = path
        self.name = name
        self.summary = summary
        self.access = access
        self.scope = scope
        self.cost = cost
        self.guards = guards
        self.caching = caching
        self.isLive = isLive
        self.alwaysWrites = alwaysWrites
        self.parameters = parameters
        self.isLenient = isLenient
        self.headers = headers
        self.body = body
        self.credential = credential
        self.keyAdvice = keyAdvice
        self.bodyCredential = bodyCredential
        self.keyCookie = keyCookie
        self.ticket = ticket
        self.cookie = cookie
        self.success = success
        self.refusals = refusals
        self.refusalTypes = refusalTypes
        self.handler = handler
    }
}

/// The answer of a handler.
package struct Answer: Sendable {
    package var status: HTTPResponse.Status = .ok
    package var mediaType: String = MediaType.json
    package var headers: HTTPFields = [:]
    package var body: [UInt8] = []
    /// The body compressed with gzip, instead of ``body``: it is sent as it is to clients that accept gzip.
    package var packedBody: [UInt8]?
    /// Writes an answer that is too long for memory, piece by piece, instead of ``body``.
    ///
    /// An error midway closes the connection, so that no client mistakes a part for the whole.
    package var stream: (@concurrent @Sendable (_ sink: inout any PieceSink) async throws -> Void)?
    /// A stream that continues until one side ends it, instead of ``body``.
    package var live: LiveAnswer?
    /// Called when ``stream`` begins, with a function that ends the stream and its connection.
    package var onStart: (@Sendable (_ end: @escaping @Sendable () -> Void) -> Void)?

    /// Creates a value from its parts.
    package init(
        status: HTTPResponse.Status = .ok,
        mediaType: String = MediaType.json,
        headers: HTTPFields = [:],
        body: [UInt8] = [],
        stream: (@concurrent @Sendable (_ sink: inout any PieceSink) async throws -> Void)? = nil,
        live: LiveAnswer? = nil,
        onStart: (@Sendable (_ end: @escaping @Sendable () -> Void) -> Void)? = nil
    ) {
        self.status = status
        self.mediaType = mediaType
        self.headers = headers
        self.body = body
        self.stream = stream
        self.live = live
        self.onStart = onStart
    }

    /// Returns an answer for a client that already has the current version, which has the given tag.
    package static func notModified(_ tag: String) -> Answer { Answer(status: .notModified, headers: [.eTag: tag]) }

    /// Returns this answer with another status.
    ///
    /// Never inlined: when `answer.status = …` followed an `await` and a condition in a handler, the optimizer of Swift
    /// 6.3.1 left the memory of another answer in its place, and the release build crashed or answered with a wrong
    /// status. `check-program` requests such answers.
    @inline(never)
    package func with(_ status: HTTPResponse.Status) -> Answer {
        var answer = self
        answer.status = status
        return answer
    }

    /// An answer without a body.
    package static let noContent = Answer(status: .noContent)
}
