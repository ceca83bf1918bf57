/// The reason why a use case rejected a request, independent of the interface: HTTP or command line.
///
/// Nothing has changed when a refusal is thrown, unless the throwing function documents otherwise.
package struct Refusal: Error, Hashable, Sendable {
    /// The kind of reason, for callers that handle kinds differently.
    package enum Kind: Hashable, Sendable {
        /// The form of the request is wrong, regardless of the resource it concerns.
        case malformed
        /// The caller is not authenticated.
        case unauthenticated
        /// The caller is known and may not do this.
        case forbidden
        /// The resource does not exist or the caller may not see it; the two cases are indistinguishable.
        case notFound
        /// The caller took too long.
        case tooSlow
        /// The request contradicts the current state.
        case conflict
        /// The resource existed but no longer does.
        case gone
        /// The caller changes a version that is not the current one.
        case changed
        /// A value is wrong.
        case invalid
        /// The caller did this too often or has too many of something.
        case tooMany
        /// There is currently no capacity for any caller.
        case unavailable
    }

    package let kind: Kind
    /// A short identifier for programs.
    package let code: String
    /// The problem and the remedy, for people.
    package let detail: String
    /// The fields that are wrong.
    package var errors: [FieldProblem] = []
    /// The name of the current version, for ``Kind/changed``.
    package var current: String?
    /// The time to wait before trying again, in seconds.
    package var retryAfter: Int?

    package init(_ kind: Kind, _ code: String, _ detail: String, errors: [FieldProblem] = [], retryAfter: Int? = nil) {
        self.kind = kind
        self.code = code
        self.detail = detail
        self.errors = errors
        self.retryAfter = retryAfter
    }
}

/// An error of a specific rule, for which a request is rejected.
///
/// Use cases throw such errors unchanged; ``refusal`` converts them.
package protocol RefusalConvertible: Error {
    /// The error as a refusal.
    var refusal: Refusal { get }
}

extension Refusal: RefusalConvertible {
    package var refusal: Refusal { self }
}

extension Refusal: CustomStringConvertible {
    /// The detail.
    package var description: String { detail }
}

extension Refusal {
    /// The resource does not exist or the caller may not see it; the answer is the same for both.
    package static let notFound = Refusal(
        .notFound,
        "not-found",
        "Nothing exists at this address, or you may not see it."
    )

    /// The resource is visible, but the caller may not change it.
    package static let forbidden = Refusal(
        .forbidden,
        "forbidden",
        "This belongs to somebody else; only its owner may change it."
    )

    /// Returns the refusal of a caller without valid credentials.
    package static func unauthenticated(_ detail: String) -> Refusal {
        Refusal(.unauthenticated, "unauthorized", detail)
    }

    /// The caller presents no valid secret of a share link.
    ///
    /// The answer is the same for a link that never existed, was revoked, has expired, or shows nothing at present.
    package static let endedLink = Refusal.unauthenticated(
        "This link is not valid, or no longer. Ask the person who sent it for a new one."
    )

    /// Returns the refusal of a caller whose token or key is valid but lacks a scope.
    package static func missingScope(_ scope: Scope) -> Refusal {
        Refusal(
            .forbidden,
            "scope-missing",
            "This token or key lacks the required scope \(scope.rawValue)."
        )
    }

    /// A service named an unknown user and asked for a rejection in that case.
    package static let unknownUser = Refusal(
        .malformed,
        "unknown-user",
        "The user in Waymark-User does not exist, and Waymark-User-Create: false prevents creating it. Name an "
            + "existing user, or omit Waymark-User-Create."
    )

    /// The `Idempotency-Key` was used with another request before.
    package static let keyReused = Refusal(
        .invalid,
        "key-reused",
        "This Idempotency-Key was used for another request. Use a new one."
    )

    /// A request with this `Idempotency-Key` is being carried out.
    package static let requestUnderWay = Refusal(
        .conflict,
        "request-under-way",
        "A request with this Idempotency-Key is being carried out. Repeat it in a moment to get its answer.",
        retryAfter: 1
    )

    /// A request with this `Idempotency-Key` was carried out, but its answer is not there any more.
    package static let answerLost = Refusal(
        .conflict,
        "already-done",
        "The request with this Idempotency-Key was carried out, but its answer was not kept. Read the current state; do not "
            + "repeat the request under another key."
    )

    /// The client's own id of a story was used with other content before.
    package static let clientIDTaken = Refusal(
        .conflict,
        "exists",
        "This client_id belongs to a story with different content, which is unchanged. Change that story, or use a new "
            + "client_id.",
        errors: [
            FieldProblem(field: "client_id", message: "belongs to a story with different content, which is unchanged")
        ]
    )

    /// Returns the refusal of a caller who makes too many requests and may try again after `seconds`.
    package static func tooManyRequests(seconds: Int) -> Refusal {
        let wait = seconds == 1 ? "a second" : "\(seconds) seconds"
        return Refusal(
            .tooMany,
            "too-many-requests",
            "There were too many requests. Wait \(wait) and try again.",
            retryAfter: seconds
        )
    }

    /// Returns the refusal of a change because the resource has changed since the caller read it.
    ///
    /// `what` is the noun for the resource in the text; `current` is the name of its current version.
    package static func changed(_ what: String, current: String) -> Refusal {
        var refusal = Refusal(
            .changed,
            "changed",
            "The \(what) changed since your last read. Read again, and repeat the change."
        )
        refusal.current = current
        return refusal
    }

    /// Returns the refusal of a wrong parameter.
    package static func parameter(_ name: String, _ message: String) -> Refusal {
        Refusal(
            .malformed,
            "bad-parameter",
            "\(name): \(message)",
            errors: [FieldProblem(field: name, message: message)]
        )
    }

    /// Returns the refusal of an input with wrong fields.
    package static func body(_ errors: [FieldProblem]) -> Refusal {
        let first =
            errors.first.map { ($0.field.isEmpty ? "The body " : "\($0.field) ") + $0.message } ?? "The body is invalid"
        let more = errors.count > 1 ? " (and \(errors.count - 1) more)" : ""
        return Refusal(.invalid, "invalid-body", first + more + ".", errors: errors)
    }
}
