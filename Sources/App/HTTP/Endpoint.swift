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

    /// How much work a request may be, for the limits of how many there may be.
    enum Cost: Int, Sendable {
        /// Nothing: what monitors ask is never refused.
        case free = 0
        /// One row read or written.
        case light = 1
        /// A list, a map, a search, a batch.
        case normal = 5
        /// Everything of somebody: an export, an erasure, a package.
        case heavy = 50
        /// A few steps in the life of an account, such as joining a family.
        case raised = 10
    }

    /// A reason to refuse further attempts after some that failed.
    enum Guard: Sendable {
        /// The request names a secret that somebody could be guessing; a user, or an address without one, may be wrong ten
        /// times an hour.
        case secret
    }

    /// Whether and by whom an answer may be kept.
    enum Caching: Sendable {
        /// Kept, but asked about each time by its ETag.
        case revalidate
        /// Not kept anywhere.
        case never
    }

    /// A parameter of the query string.
    struct Parameter: Sendable {
        let name: String
        let schema: Schema
        let isRequired: Bool
        /// Whether it may be repeated or hold several values between commas.
        let isList: Bool
        let description: String
        /// What a text must be, for the message when it cannot be that: "a year as YYYY".
        let form: String?

        init(
            _ name: String,
            _ schema: Schema,
            required: Bool = false,
            list: Bool = false,
            form: String? = nil,
            _ description: String
        ) {
            self.form = form
            self.name = name
            self.schema = schema
            self.isRequired = required
            self.isList = list
            self.description = description
        }
    }

    /// A header field that a route reads besides `Authorization`.
    enum Header: String, Sendable {
        case ifMatch = "If-Match"
        case idempotencyKey = "Idempotency-Key"
        case lastEventID = "Last-Event-ID"

        /// The most bytes of its value.
        var maxBytes: Int { self == .idempotencyKey ? 255 : OpenAPIDocument.longestHeader }

        var description: String {
            switch self {
            case .ifMatch: "The ETag of the version to change; another version answers 412."
            case .lastEventID: "The id of the last event that came: the stream goes on after it."
            case .idempotencyKey: "1–255 bytes; for a day a repetition of the request finds what the first one made."
            }
        }
    }

    /// A body that a route reads.
    struct Body: Sendable {
        /// The shape, a name of the document's components.
        let schema: String
        /// The most bytes that are read.
        let maxBytes: Int
        /// The handler reads the bytes as they are: a file, or what the client of another service sends.
        var isRaw = false
        /// The handler says what is wrong with its shape, together with what else is: see ``Call/bodyProblems``.
        var isJudgedByHandler = false
        /// Whether its reader unpacks gzip, so that it may come with that `Content-Encoding`.
        var readsGzip = false
        /// Whether a request may go without it.
        var isOptional = false
        var mediaType = MediaType.json
    }

    /// An answer that a route can give when all is well.
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

    /// How much of a body is read of somebody who has not yet said who they are.
    static let unknownBodyBytes = 8_192

    let method: HTTPRequest.Method
    /// The path, with `{id}` for a part that varies.
    let path: String
    /// The name of the operation, unique in the document.
    let name: String
    let summary: String
    let access: Access
    /// What a token must be good for; `nil` where any will do.
    var scope: Scope?
    var cost: Cost = .light
    /// Which attempts are limited besides the units that they cost.
    var guards: Guard?
    var caching: Caching = .never
    /// Whether its answer goes on until somebody ends it.
    var isLive = false
    /// Whether it changes something: whoever is new here is known from then on, as reading makes nobody known.
    var isWriting: Bool { method != .get || alwaysWrites }
    /// A route that changes something also when it is called by GET, as the client of another service does.
    var alwaysWrites = false
    var parameters: [Parameter] = []
    /// Whether other parameters, and values that do not fit, are for the handler to make the best of: clients of other
    /// services send what they like.
    var isLenient = false
    var headers: [Header] = []
    var body: Body?
    /// Finds the key of an app that cannot send it in `Authorization` in the query; with this, HTTP Basic
    /// authentication is taken too.
    var credential: (@Sendable (_ query: [String: [String]]) -> String?)?
    /// Finds the key of an app that has it in the body alone; for that, ``unknownBodyBytes`` are read at most.
    var bodyCredential: (@Sendable (_ body: [UInt8]) -> String?)?
    /// Finds who asks by what a client that cannot send `Authorization` has in the query instead: a ticket.
    ///
    /// - Throws: ``Problem`` (401) for one that is not good.
    var ticket: (@Sendable (_ text: String) throws -> Credentials?)?
    let success: [Success]
    var refusals: [Refusal] = []
    /// In which media types it refuses, besides that of problems: it speaks like another service.
    var refusalTypes: [String] = []
    let handler: @Sendable (Call) async throws -> Answer
}

/// What a handler answers.
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
    /// Is handed, when ``stream`` begins, what ends it and the connection with it.
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
