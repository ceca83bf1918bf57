import Foundation

/// Why the service did not do what was asked.
public struct WaymarkFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What to do about it, in broad terms.
    public enum Kind: String, Hashable, Sendable {
        /// Sign in: the token is missing, not valid or expired.
        case unauthenticated
        /// The token may not do this.
        case forbidden
        /// It does not exist, or the caller may not see it.
        case notFound
        /// Somebody changed it meanwhile, or it contradicts what is there.
        case conflict
        /// The request cannot be used; ``WaymarkFailure/fields`` names what is wrong.
        case invalid
        /// There were too many requests; ``WaymarkFailure/retryAfter`` says when the next is allowed.
        case tooManyRequests
        /// The service cannot answer now; the same request can succeed later.
        case unavailable
        /// There was no answer.
        case unreachable
        /// The answer is not what this client expects.
        case unreadable
    }

    /// What is wrong with a field of a request.
    public struct Field: Hashable, Sendable, Decodable {
        /// The name of the field, such as `location.lat`.
        public let field: String
        /// What it must be, for people.
        public let message: String
    }

    /// What to do about it.
    public let kind: Kind
    /// The status of the answer; `nil` without one.
    public let status: Int?
    /// The word for programs, such as `not-found`; `nil` if the answer has none.
    public let code: String?
    /// An explanation with advice, for people.
    public let detail: String
    /// What is wrong with single fields.
    public let fields: [Field]
    /// After how many seconds another attempt can succeed.
    public let retryAfter: Int?
    /// The id by which the operator finds the request in the log.
    public let requestID: String?

    /// The explanation, and what is wrong with single fields.
    public var description: String { ([detail] + fields.map { "\($0.field) \($0.message)" }).joined(separator: "; ") }

    /// Whether the same request can succeed later without any change.
    public var isTemporary: Bool { [.tooManyRequests, .unavailable, .unreachable].contains(kind) }

    /// Creates a failure without an answer.
    init(_ kind: Kind, detail: String) {
        (self.kind, self.detail) = (kind, detail)
        (status, code, fields, retryAfter, requestID) = (nil, nil, [], nil, nil)
    }

    /// The members of `application/problem+json` (RFC 9457) that the service sends.
    private struct Document: Decodable {
        let type: String?
        let detail: String?
        let errors: [Field]?
    }

    /// Creates the failure that an answer describes; one of another program, such as a proxy, need not be a problem.
    init(_ answer: WaymarkAnswer, body: Data) {
        let document = try? WaymarkJSON.decode(Document.self, from: body)
        status = answer.status
        kind = Kind(status: answer.status)
        code = document?.type?.split(separator: "/").last.map(String.init)
        detail = document?.detail ?? "The answer has the status \(answer.status)."
        fields = document?.errors ?? []
        retryAfter = answer.headers["retry-after"].flatMap { Int($0) }
        requestID = answer.headers["x-request-id"]
    }
}

extension WaymarkFailure.Kind {
    init(status: Int) {
        switch status {
        case 401: self = .unauthenticated
        case 403: self = .forbidden
        case 404, 410: self = .notFound
        case 409, 412, 428: self = .conflict
        case 429: self = .tooManyRequests
        case 400..<500: self = .invalid
        case 500...: self = .unavailable
        default: self = .unreadable
        }
    }
}
