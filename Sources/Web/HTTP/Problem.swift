package import Library
import Formats
package import HTTPTypes

/// An error as sent to the client: `application/problem+json` of RFC 9457.
package struct Problem: Error, Sendable {
    /// The HTTP status.
    package let status: HTTPResponse.Status
    /// A short code for programs, the last part of `type`.
    package let code: String
    /// An explanation with advice, for a person.
    package let detail: String
    /// The problems of individual fields of the body.
    package var errors: [FieldProblem] = []
    /// The current ETag, if the request was based on an older version.
    package var current: String?
    /// Additional header fields.
    package var headers: HTTPFields = [:]
    /// Whether the client shows the answer as it is, so that it is the detail as plain text.
    var isPlain = false
    /// A member that only this type of problem has (RFC 9457 §3.2): its name, and its value as JSON.
    package var member: Member?

    /// A member that only one type of problem has.
    package struct Member: Sendable {
        let name: String
        let json: [UInt8]

        /// Creates a member from its name and its value as JSON.
        package init(_ name: String, _ json: [UInt8]) { (self.name, self.json) = (name, json) }
    }

    package init(_ status: HTTPResponse.Status, _ code: String, _ detail: String, errors: [FieldProblem] = []) {
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = errors
    }

    /// The resource does not exist, or the caller may not see it; the client gets the same answer in both cases.
    package static let notFound = Problem(Refusal.notFound)

    /// A route that needs a token was called without a valid one.
    package static func unauthorized(_ detail: String) -> Problem { Problem(Refusal.unauthenticated(detail)) }

    /// This problem with the question for a password that browsers understand (RFC 7617), instead of that for a token.
    var askingForPassword: Problem {
        var problem = self
        problem.headers[.wwwAuthenticate] = #"Basic realm="Operators of Waymark: a key as password", charset="UTF-8""#
        return problem
    }

    /// This problem with the question for a password beside that for a token: apps of other services often know only
    /// passwords, and many send theirs only after this question.
    var alsoAskingForPassword: Problem {
        var problem = self
        problem.headers[.wwwAuthenticate] = #"Bearer, Basic realm="Waymark: a device key as password", charset="UTF-8""#
        return problem
    }

    /// This problem with advice for the user of an app, as text, because the app shows the answer as it is.
    func advising(_ advice: String) -> Problem {
        var problem = Problem(status, code, advice)
        problem.headers = headers
        problem.isPlain = true
        return problem
    }

    /// The caller's token is valid but lacks the required scope.
    static func missingScope(_ scope: Scope) -> Problem { Problem(Refusal.missingScope(scope)) }

    /// A device key was used for something other than sending positions.
    static let deviceKey = Problem(
        .forbidden,
        "scope-missing",
        "A device key can only send positions. Use a token or another key."
    )

    /// An app's backend did not name the user it acts for.
    static let userMissing = Problem(
        .badRequest,
        "user-missing",
        "This request acts for a user. Name the user in the header Waymark-User."
    )

    /// There were too many requests; the next one is allowed after `seconds`.
    package static func tooManyRequests(seconds: Int) -> Problem { Problem(Refusal.tooManyRequests(seconds: seconds)) }

    /// The disk failed, or the files of the database were removed or replaced: it is unknown whether the last change is
    /// stored, and nothing more will be stored.
    package static let writingStopped: Problem = {
        var problem = Problem(
            .serviceUnavailable,
            "writing-stopped",
            "The disk failed or the database was moved, so nothing is stored until the service is restarted. This change "
                + "may or may not have been stored. Repeat the request later with the same Idempotency-Key, or check before you repeat it without one. "
                + "Notify the operator; reading still works."
        )
        problem.headers[.retryAfter] = "60"
        return problem
    }()

    /// The database can only be read.
    static let readOnly = Problem(
        .serviceUnavailable,
        "read-only",
        "The service can only read its database at present, so nothing was stored. Notify the operator; reading still works."
    )

    /// The `Host` header is not a valid host.
    static let badHost = Problem(
        .badRequest,
        "bad-host",
        "The Host header must be a host or host:port: letters, digits, dots, hyphens and underscores, or an IPv6 address "
            + "in brackets."
    )

    /// A body has an encoding that is not supported.
    static let packedBody: Problem = {
        var problem = Problem(
            .unsupportedMediaType,
            "unsupported-encoding",
            "This address does not accept a Content-Encoding. Send the body unencoded, without that header."
        )
        // RFC 9110 §15.5.16.
        problem.headers[.acceptEncoding] = "identity"
        return problem
    }()

    /// A body is longer than `most` bytes.
    package static func tooLarge(_ most: Int) -> Problem {
        Problem(.contentTooLarge, "too-large", "The body is larger than \(most) bytes, the limit of this address.")
    }

    /// The path does not support this method; `allowed` lists the supported ones.
    static func methodNotAllowed(_ allowed: String) -> Problem {
        var problem = Problem(.methodNotAllowed, "method-not-allowed", "This address supports \(allowed).")
        problem.headers[.allow] = allowed
        return problem
    }

    /// The resource, named by `what`, has changed since the client read it; its ETag is now `current`.
    package static func changed(_ what: String, current: String) -> Problem {
        Problem(Refusal.changed(what, current: current))
    }

    /// A parameter is wrong.
    package static func parameter(_ name: String, _ message: String) -> Problem {
        Problem(Refusal.parameter(name, message))
    }

    /// The given fields of a body are invalid.
    package static func body(_ errors: [FieldProblem]) -> Problem { Problem(Refusal.body(errors)) }

    /// The body of the response.
    package var json: [UInt8] {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.member("type", "/problems/\(code)")
        json.member("title", status.reasonPhrase)
        json.member("status", status.code)
        json.member("detail", detail)
        if let current { json.member("current", current) }
        if !errors.isEmpty { json.member("errors", errors) }
        if let member {
            json.key(member.name)
            json.raw(member.json)
        }
        json.endObject()
        return json.bytes
    }
}

extension JSONWriter {
    /// Writes the problems of fields as objects with `field` and `message`.
    package mutating func member(_ key: String, _ problems: [FieldProblem]) {
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
