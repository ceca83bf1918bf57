/// What a browser brings back from the provider, in the query of the redirect address.
public struct AuthorizationAnswer: Hashable, Sendable {
    /// The maximum length of a code in bytes.
    public static let mostCodeBytes = 4_096

    private let values: [String: [String]]

    /// Creates an answer from the decoded query; unknown parameters are ignored.
    public init(_ values: [String: [String]]) { self.values = values }

    /// The value of a parameter that stands there once.
    private func single(_ name: String) -> String? {
        guard let all = values[name], all.count == 1 else { return nil }
        return all.first
    }

    /// Returns whether the answer belongs to an attempt.
    ///
    /// The time that the comparison takes tells nothing: `state` is random and good for one attempt of this browser.
    public func belongs(to attempt: SignInAttempt) -> Bool {
        !attempt.state.isEmpty && single("state") == attempt.state
    }

    /// Returns the code of an answer to an attempt.
    ///
    /// - Throws: ``OpenIDError/answer(_:)`` for an answer to no or another attempt, from another issuer, or without a
    ///   code; ``OpenIDError/refused(_:)`` if the provider says no.
    public func code(for attempt: SignInAttempt, of provider: ProviderMetadata) throws(OpenIDError) -> String {
        guard belongs(to: attempt) else { throw .answer(.state) }
        // An answer that names no issuer is accepted only of a provider that never does (RFC 9207 §2.4).
        guard values["iss"] != nil || !provider.namesIssuer else { throw .answer(.issuer) }
        guard values["iss"] == nil || single("iss") == provider.issuer else { throw .answer(.issuer) }
        if let error = values["error"] { throw .refused(AuthorizationAnswer.known(error.first ?? "")) }
        guard let code = single("code"), (1...AuthorizationAnswer.mostCodeBytes).contains(code.utf8.count),
            code.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { throw .answer(.malformed) }
        return code
    }

    /// Whether the person said no.
    public static func isDenial(_ code: String) -> Bool { denials.contains(code) }

    private static let denials: Set<String> = [
        "access_denied", "login_required", "interaction_required", "consent_required", "account_selection_required",
    ]

    private static let others: Set<String> = [
        "invalid_request", "unauthorized_client", "unsupported_response_type", "invalid_scope", "server_error",
        "temporarily_unavailable",
    ]

    /// Returns an error code of the standard, or `other`: the text comes from whoever made the link.
    private static func known(_ code: String) -> String {
        denials.contains(code) || others.contains(code) ? code : "other"
    }
}
