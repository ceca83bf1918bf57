import Library
import HTTPTypes

/// One route of the service: everything about it is declared here once.
///
/// Registration, parsing of parameters, limits and the OpenAPI document come from this value.
struct Endpoint: Sendable {
    /// Who may call a route.
    enum Access: Sendable {
        /// Everybody; with a token, as that user.
        case anyone
        /// Only with a token.
        case user
        /// Only an app's backend, by a key with the service scope; it need not name a user.
        case service
        /// Only operators, by any token or key with the scope that is asked for; it need not be a user's.
        case operators
    }

    /// The price of a request in units of the rate limit: roughly the work it may be.
    enum Cost: Int, Sendable {
        /// Nothing: requests of monitors are never rejected.
        case free = 0
        /// One row read or written.
        case light = 1
        /// A list, a map, a search, a batch.
        case normal = 5
        /// All data of a person: an export, an erasure, a package.
        case heavy = 50
        /// A few steps in the life of an account, such as joining a family.
        case raised = 10
    }

    /// A reason to refuse further attempts after some that failed.
    enum Guard: Sendable {
        /// The request names a secret that somebody could be guessing; a user, or an address without one, may be wrong
        /// ten times an hour.
        case secret
    }

    /// Rules of caches for an answer.
    enum Caching: Sendable {
        /// Caches may keep it and ask about its ETag each time.
        case revalidate
        /// No cache may keep it.
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

    /// A parameter that stands for `Authorization` once.
    struct Ticket: Sendable {
        let parameter: QueryParameter<String?>
        /// Finds the credentials that a ticket stands for.
        ///
        /// - Throws: ``Problem`` (401) for one that is not good.
        let redeem: @Sendable (_ text: String) throws -> Credentials?
    }

    /// A body that a route reads.
    struct Body: Sendable {
        /// The shape, a name of the document's components.
        let schema: String
        /// The maximum length in bytes; no more is read.
        let maxBytes: Int
        /// Whether the handler reads the bytes as they are: a file, or a message of a client of another service.
        var isRaw = false
        /// Whether the handler reports problems of the shape together with its own: see ``Call/bodyProblems``.
        var isJudgedByHandler = false
        /// Whether its reader unpacks gzip, so that it may come with that `Content-Encoding`.
        var readsGzip = false
        /// Whether a request may go without it.
        var isOptional = false
        var mediaType = MediaType.json
    }

    /// An answer that a route can give to a good request.
    struct Success: Sendable {
        let status: HTTPResponse.Status
        let mediaType: String
        /// The shape; `nil` for answers that are not JSON or have no body.
        let schema: Schema?
        let description: String
        /// Other media types that the same answer comes in when they are asked for.
        var otherTypes: [String] = []
    }

    /// A refusal that asks the client to wait, with `Retry-After`.
    struct Refusal: Sendable {
        let status: HTTPResponse.Status
        let description: String
    }

    /// The maximum length in bytes that is read of a body whose sender is not known yet.
    static let unknownBodyBytes = 8_192

    let method: HTTPRequest.Method
    /// The path, with `{id}` for a part that varies.
    let path: String
    /// The name of the operation, unique in the document.
    let name: String
    let summary: String
    let access: Access
    /// The scope that a token must have; `nil` where any token will do.
    var scope: Scope?
    var cost: Cost = .light
    /// The attempts that are limited besides the units that they cost; `nil` for none.
    var guards: Guard?
    var caching: Caching = .never
    /// Whether its answer goes on until somebody ends it.
    var isLive = false
    /// Whether it changes something: a new user is known from then on, as reading makes nobody known.
    var isWriting: Bool { method != .get || alwaysWrites }
    /// Whether it changes something also when it is called by GET, as clients of another service do.
    var alwaysWrites = false
    /// The parameters of the query, which the handler reads with `call[parameter]`.
    var parameters: ParameterList = []
    /// Whether the handler makes the best of unknown parameters and of values that do not fit, as clients of other
    /// services send them.
    var isLenient = false
    var headers: [Header] = []
    var body: Body?
    /// Finds the key of an app that cannot send it in `Authorization` in the query; with this, HTTP Basic
    /// authentication is taken too.
    var credential: (@Sendable (_ query: [String: [String]]) -> String?)?
    /// Finds the key of an app that has it in the body alone; for that, ``unknownBodyBytes`` are read at most.
    var bodyCredential: (@Sendable (_ body: [UInt8]) -> String?)?
    /// Replaces `Authorization` for clients that cannot send it.
    var ticket: Ticket?
    let success: [Success]
    var refusals: [Refusal] = []
    /// The media types of its errors besides that of problems: it speaks like another service.
    var refusalTypes: [String] = []
    let handler: @Sendable (Call) async throws -> Answer
}

/// The answer of a handler.
struct Answer: Sendable {
    var status: HTTPResponse.Status = .ok
    var mediaType: String = MediaType.json
    var headers: HTTPFields = [:]
    var body: [UInt8] = []
    /// Writes an answer that is too long to be held, piece by piece, instead of ``body``.
    ///
    /// An error in the middle ends the connection, so that no client takes a part for the whole.
    var stream: (@concurrent @Sendable (_ sink: inout any PieceSink) async throws -> Void)?
    /// A stream that goes on until somebody ends it, instead of ``body``.
    var live: LiveAnswer?
    /// Receives, when ``stream`` begins, a function that ends it and its connection.
    var onStart: (@Sendable (_ end: @escaping @Sendable () -> Void) -> Void)?

    /// The client has it already, under this tag.
    static func notModified(_ tag: String) -> Answer { Answer(status: .notModified, headers: [.eTag: tag]) }

    /// The same answer with another status.
    ///
    /// Never inlined: where `answer.status = …` stood behind an `await` and a condition in a handler, the optimizer of
    /// Swift 6.3.1 left another answer's memory in its place, and the release program crashed or answered with a wrong
    /// status. `check-program` asks for such answers.
    @inline(never)
    func with(_ status: HTTPResponse.Status) -> Answer {
        var answer = self
        answer.status = status
        return answer
    }

    /// An answer without a body.
    static let noContent = Answer(status: .noContent)
}
