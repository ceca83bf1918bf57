import Library
import HTTPTypes

/// A route of the service, with everything that is declared about it.
///
/// Registration, parameter parsing, limits and the OpenAPI document are derived from this value.
struct Endpoint: Sendable {
    /// The callers that a route accepts.
    enum Access: Sendable {
        /// Anyone; with a token, as its user.
        case anyone
        /// Only users, with a token.
        case user
        /// Only an app's backend, with a key that has the scope `act-as`; it need not name a user.
        case service
        /// Only operators, with a token or key that has the required scope; it need not belong to a user.
        case operators
    }

    /// The price of a request in units of the rate limit, roughly in proportion to its work.
    enum Cost: Int, Sendable {
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
    enum Guard: Sendable {
        /// The request contains a secret that could be guessed: ten failures an hour per user, or per address without
        /// one.
        case secret
    }

    /// The caching rules for an answer.
    enum Caching: Sendable {
        /// Caches may store it but must revalidate it by its ETag each time.
        case revalidate
        /// Caches must not store it.
        case never
    }

    /// A header field that a route reads besides `Authorization`.
    enum Header: String, Sendable {
        case ifMatch = "If-Match"
        case idempotencyKey = "Idempotency-Key"
        case lastEventID = "Last-Event-ID"

        /// The maximum length of its value in bytes.
        var maxBytes: Int { self == .idempotencyKey ? 255 : OpenAPIDocument.longestHeader }

        var description: String {
            switch self {
            case .ifMatch: "The ETag of the version to change; another version answers 412."
            case .lastEventID: "The id of the last event that came: the stream goes on after it."
            case .idempotencyKey: "1–255 bytes; for a day a repetition of the request finds what the first one made."
            }
        }
    }

    /// A query parameter that replaces `Authorization` for one request.
    struct Ticket: Sendable {
        let parameter: QueryParameter<String?>
        /// Returns the credentials that a ticket stands for.
        ///
        /// - Throws: ``Problem`` (401) for an invalid ticket.
        let redeem: @Sendable (_ text: String) throws -> Credentials?
    }

    /// The request body of a route.
    struct Body: Sendable {
        /// The name of its schema in the document's components.
        let schema: String
        /// The maximum length in bytes; nothing beyond it is read.
        let maxBytes: Int
        /// Whether the handler reads the raw bytes: of a file, or of a message from a client of another service.
        var isRaw = false
        /// Whether the handler reports schema violations together with its own problems: see ``Call/bodyProblems``.
        var isJudgedByHandler = false
        /// Whether the handler unpacks gzip, so that `Content-Encoding: gzip` is accepted.
        var readsGzip = false
        /// Whether a request may omit the body.
        var isOptional = false
        var mediaType = MediaType.json
    }

    /// A possible answer to a valid request.
    struct Success: Sendable {
        let status: HTTPResponse.Status
        let mediaType: String
        /// The schema; `nil` for answers that are not JSON or have no body.
        let schema: Schema?
        let description: String
        /// Other media types in which the answer is available on request.
        var otherTypes: [String] = []
    }

    /// An error that asks the client to wait, with `Retry-After`.
    struct Refusal: Sendable {
        let status: HTTPResponse.Status
        let description: String
    }

    /// The maximum number of bytes read of a body while its sender is unknown.
    static let unknownBodyBytes = 8_192

    let method: HTTPRequest.Method
    /// The path, with `{id}` for a variable part.
    let path: String
    /// The name of the operation, unique in the document.
    let name: String
    let summary: String
    let access: Access
    /// The scope that a token must have; `nil` if any token is accepted.
    var scope: Scope?
    var cost: Cost = .light
    /// The limit on failed attempts, in addition to the request's cost; `nil` for none.
    var guards: Guard?
    var caching: Caching = .never
    /// Whether the answer is a stream that continues until one side ends it.
    var isLive = false
    /// Whether it changes data; only such requests create unknown users.
    var isWriting: Bool { method != .get || alwaysWrites }
    /// Whether it changes data even when called by GET, as clients of another service do.
    var alwaysWrites = false
    /// The query parameters, which the handler reads with `call[parameter]`.
    var parameters: ParameterList = []
    /// Whether the handler tolerates unknown parameters and invalid values, as sent by clients of other services.
    var isLenient = false
    var headers: [Header] = []
    var body: Body?
    /// Finds in the query the key of an app that cannot send `Authorization`; also enables HTTP Basic authentication.
    var credential: (@Sendable (_ query: [String: [String]]) -> String?)?
    /// Finds the key of an app that sends it only in the body; at most ``unknownBodyBytes`` are read for this.
    var bodyCredential: (@Sendable (_ body: [UInt8]) -> String?)?
    /// Replaces `Authorization` for clients that cannot send it.
    var ticket: Ticket?
    let success: [Success]
    var refusals: [Refusal] = []
    /// The media types of its errors besides that of problems, on routes that imitate another service.
    var refusalTypes: [String] = []
    let handler: @Sendable (Call) async throws -> Answer
}

/// The answer of a handler.
struct Answer: Sendable {
    var status: HTTPResponse.Status = .ok
    var mediaType: String = MediaType.json
    var headers: HTTPFields = [:]
    var body: [UInt8] = []
    /// Writes an answer that is too long for memory, piece by piece, instead of ``body``.
    ///
    /// An error midway closes the connection, so that no client mistakes a part for the whole.
    var stream: (@concurrent @Sendable (_ sink: inout any PieceSink) async throws -> Void)?
    /// A stream that continues until one side ends it, instead of ``body``.
    var live: LiveAnswer?
    /// Receives, when ``stream`` begins, a function that ends it and its connection.
    var onStart: (@Sendable (_ end: @escaping @Sendable () -> Void) -> Void)?

    /// Returns an answer for a client that already has the current version, which has the given tag.
    static func notModified(_ tag: String) -> Answer { Answer(status: .notModified, headers: [.eTag: tag]) }

    /// Returns this answer with another status.
    ///
    /// Never inlined: when `answer.status = …` followed an `await` and a condition in a handler, the optimizer of Swift
    /// 6.3.1 left the memory of another answer in its place, and the release build crashed or answered with a wrong
    /// status. `check-program` requests such answers.
    @inline(never)
    func with(_ status: HTTPResponse.Status) -> Answer {
        var answer = self
        answer.status = status
        return answer
    }

    /// An answer without a body.
    static let noContent = Answer(status: .noContent)
}
