import Library
import Formats
import HTTPTypes

/// An error as the client sees it: `application/problem+json` of RFC 9457.
struct Problem: Error, Sendable {
    /// The HTTP status.
    let status: HTTPResponse.Status
    /// A short word for programs, the end of `type`.
    let code: String
    /// What happened and what to do, for a person.
    let detail: String
    /// What is wrong with which field of the body.
    var errors: [FieldProblem] = []
    /// For a version that is not the current one: the ETag of that.
    var current: String?
    /// Further header fields.
    var headers: HTTPFields = [:]

    init(_ status: HTTPResponse.Status, _ code: String, _ detail: String, errors: [FieldProblem] = []) {
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = errors
    }

    /// The thing does not exist or may not be seen: the same bytes for both.
    static let notFound = Problem(Refusal.notFound)

    /// A route that needs a token was called without a good one.
    static func unauthorized(_ detail: String) -> Problem { Problem(Refusal.unauthenticated(detail)) }

    /// The caller's token is good, but not for this.
    static func missingScope(_ scope: Scope) -> Problem { Problem(Refusal.missingScope(scope)) }

    /// A device's key is good for positions alone.
    static let deviceKey = Problem(
        .forbidden,
        "scope-missing",
        "A device key sends positions and is good for nothing else."
    )

    /// An app's backend did not say for whom it asks.
    static let userMissing = Problem(
        .badRequest,
        "user-missing",
        "This is asked for a user: a service names them in the header Waymark-User."
    )

    /// There were too many requests; `seconds` later there may be one again.
    static func tooManyRequests(seconds: Int) -> Problem { Problem(Refusal.tooManyRequests(seconds: seconds)) }

    /// The disk failed: nobody knows whether what was being stored is, and nothing more is.
    static let writingStopped = Problem(
        .serviceUnavailable,
        "writing-stopped",
        "The disk failed, so nothing more is stored until the service is started again. What was being stored just then "
            + "may be there or not: look before you repeat it. Tell the operator; reading goes on."
    )

    /// The `Host` header names no host.
    static let badHost = Problem(
        .badRequest,
        "bad-host",
        "The Host header must be a host or host:port: letters, digits, dots, hyphens and underscores, or an IPv6 address "
            + "in brackets."
    )

    /// A body came in an encoding that is not read.
    static let packedBody: Problem = {
        var problem = Problem(
            .unsupportedMediaType,
            "unsupported-encoding",
            "This address reads no body with a Content-Encoding. Send it as it is, without that header."
        )
        // RFC 9110 §15.5.16.
        problem.headers[.acceptEncoding] = "identity"
        return problem
    }()

    /// A body has more bytes than are read.
    static func tooLarge(_ most: Int) -> Problem {
        Problem(.contentTooLarge, "too-large", "The body is larger than the \(most) bytes this address reads.")
    }

    /// The address does not answer this method; `allowed` lists those it does.
    static func methodNotAllowed(_ allowed: String) -> Problem {
        var problem = Problem(.methodNotAllowed, "method-not-allowed", "This address answers \(allowed).")
        problem.headers[.allow] = allowed
        return problem
    }

    /// The thing, `what`, has changed since the client read it; its ETag is `current` now.
    static func changed(_ what: String, current: String) -> Problem {
        Problem(Refusal.changed(what, current: current))
    }

    /// A parameter is wrong.
    static func parameter(_ name: String, _ message: String) -> Problem { Problem(Refusal.parameter(name, message)) }

    /// A body is wrong in the given fields.
    static func body(_ errors: [FieldProblem]) -> Problem { Problem(Refusal.body(errors)) }

    /// The body of the answer.
    var json: [UInt8] {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.member("type", "/problems/\(code)")
        json.member("title", status.reasonPhrase)
        json.member("status", status.code)
        json.member("detail", detail)
        if let current { json.member("current", current) }
        if !errors.isEmpty { json.member("errors", errors) }
        json.endObject()
        return json.bytes
    }
}

extension JSONWriter {
    /// Writes what is to be said of fields: objects with `field` and `message`.
    mutating func member(_ key: String, _ problems: [FieldProblem]) {
        self.key(key)
        beginArray()
        for problem in problems {
            beginObject()
            member("field", problem.field)
            member("message", problem.message)
            endObject()
        }
        endArray()
    }
}
