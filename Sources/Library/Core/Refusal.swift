/// The reason why a use case rejected a request, in terms that every caller understands: HTTP and commands alike.
///
/// Nothing has changed when one is thrown, except where the function that throws says so.
package struct Refusal: Error, Hashable, Sendable {
    /// The kind of reason, for callers that act on it.
    package enum Kind: Hashable, Sendable {
        /// The request itself is wrong in form, whatever it is about.
        case malformed
        /// The caller did not show who they are.
        case unauthenticated
        /// The caller is known and may not do this.
        case forbidden
        /// There is no such thing, or none that the caller may see; these two are never told apart.
        case notFound
        /// The caller took too long.
        case tooSlow
        /// It contradicts the present state.
        case conflict
        /// It was there and is no more.
        case gone
        /// The caller changes another version than the current one.
        case changed
        /// A value is wrong.
        case invalid
        /// The caller did this too often, or has too many.
        case tooMany
        /// There is no room for anybody at the moment.
        case unavailable
    }

    package let kind: Kind
    /// A short word for programs.
    package let code: String
    /// What happened and what to do, for a person.
    package let detail: String
    /// The fields that are wrong.
    package var errors: [FieldProblem] = []
    /// The tag of the current version, for ``Kind/changed``.
    package var current: String?
    /// How long to wait before another try, in seconds.
    package var retryAfter: Int?

    package init(_ kind: Kind, _ code: String, _ detail: String, errors: [FieldProblem] = [], retryAfter: Int? = nil) {
        self.kind = kind
        self.code = code
        self.detail = detail
        self.errors = errors
        self.retryAfter = retryAfter
    }
}

/// An error of a rule that is a reason to reject a request.
///
/// Use cases throw such errors as they come from the rule; ``refusal`` puts them into terms that every caller understands.
package protocol RefusalConvertible: Error {
    /// The reason in those terms.
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
    /// The thing does not exist or may not be seen; the same answer for both.
    package static let notFound = Refusal(.notFound, "not-found", "There is nothing at this address that you may see.")

    /// The thing is visible but not the caller's to change.
    package static let forbidden = Refusal(
        .forbidden,
        "forbidden",
        "This belongs to somebody else; only its owner may change it."
    )

    /// The caller showed no good credential.
    package static func unauthenticated(_ detail: String) -> Refusal {
        Refusal(.unauthenticated, "unauthorized", detail)
    }

    /// The caller's token is good, but lacks a scope.
    package static func missingScope(_ scope: Scope) -> Refusal {
        Refusal(
            .forbidden,
            "scope-missing",
            "This token or key is not good for this; it needs the scope \(scope.rawValue)."
        )
    }

    /// An app's backend named a user whom nobody knows, and asked for a refusal.
    package static let unknownUser = Refusal(
        .malformed,
        "unknown-user",
        "Waymark-User names nobody known here, and Waymark-User-Create: false asks not to make them."
    )

    /// An `Idempotency-Key` came with another request before.
    package static let keyReused = Refusal(
        .invalid,
        "key-reused",
        "This Idempotency-Key was used for another request. Use a new one."
    )

    /// A client's own id of a story came with other content before.
    package static let clientIDTaken = Refusal(
        .conflict,
        "exists",
        "This client_id is that of a story with other content, which stays. Change that story, or use a new client_id.",
        errors: [FieldProblem(field: "client_id", message: "is that of a story with other content, which stays")]
    )

    /// The caller makes too many requests; another is welcome after `seconds`.
    package static func tooManyRequests(seconds: Int) -> Refusal {
        let wait = seconds == 1 ? "a second" : "\(seconds) seconds"
        return Refusal(
            .tooMany,
            "too-many-requests",
            "There were too many requests. Wait \(wait) and try again.",
            retryAfter: seconds
        )
    }

    /// The thing, `what`, has changed since the caller read it; its tag is `current` now.
    package static func changed(_ what: String, current: String) -> Refusal {
        var refusal = Refusal(
            .changed,
            "changed",
            "The \(what) has changed since you read it. Read it again and repeat the change."
        )
        refusal.current = current
        return refusal
    }

    /// A parameter is wrong.
    package static func parameter(_ name: String, _ message: String) -> Refusal {
        Refusal(
            .malformed,
            "bad-parameter",
            "\(name): \(message)",
            errors: [FieldProblem(field: name, message: message)]
        )
    }

    /// An input is wrong in the given fields.
    package static func body(_ errors: [FieldProblem]) -> Refusal {
        let first =
            errors.first.map { ($0.field.isEmpty ? "The body " : "\($0.field) ") + $0.message } ?? "The body is wrong"
        let more = errors.count > 1 ? " (and \(errors.count - 1) more)" : ""
        return Refusal(.invalid, "invalid-body", first + more + ".", errors: errors)
    }
}
