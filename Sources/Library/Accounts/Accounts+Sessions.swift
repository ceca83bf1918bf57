import Storage
package import Stories

// Sessions of the page.
extension Accounts {
    /// The same message for every session that is not valid, so that it reveals nothing about the reason.
    package static let endedSession = Refusal.unauthenticated("You are no longer signed in here. Sign in again.")

    /// Returns the principal of a session, by the secret in its cookie.
    func principal(session text: String) async throws -> Principal {
        guard let secret = SecretText(parsing: text, kind: .session) else { throw Accounts.endedSession }
        let digest = secret.digest
        let found = try await store.read { transaction in
            let session = try transaction.pageSession(secret.id)
            return (session, try session.flatMap { try transaction.viewer($0.user) })
        }
        let now = now()
        // For an unknown id, the digest is compared with zeros, so that the check takes as long as for a wrong secret
        // and the answer is the same.
        let isRight = isSameSecret(found.0?.digest ?? [UInt8](repeating: 0, count: 32), digest)
        guard isRight, let session = found.0, let viewer = found.1, now < session.expiresAt else {
            throw Accounts.endedSession
        }
        // The list of erasures is stored outside the database; see the check of tokens.
        if let erased = store.erasures.accountErasure(of: session.user), session.createdAt <= erased {
            throw Accounts.endedSession
        }
        await noteUse(of: session, at: now)
        var principal = Principal(
            viewer: viewer,
            scopes: Scope.set(session.scopes).intersection(Scope.user),
            account: session.user.rawValue
        )
        principal.session = .init(id: session.id, createdAt: session.createdAt, expiresAt: session.expiresAt)
        return principal
    }

    /// Records the hour of a session's last use, with at most one write per hour.
    private func noteUse(of session: PageSession, at now: Timestamp) async {
        let hour = now.startOfHour
        guard session.usedAt != hour else { return }
        await noting("a session") { try $0.noteUse(ofSession: session.id, at: hour) }
    }
}

// Tokens that begin a session.
extension Accounts {
    /// Returns the user and the scopes of an access token that may begin a session of the page.
    ///
    /// A session outlives the token, so the token needs the scope that also allows making keys, and the session never
    /// has more scopes than the token. API keys begin none, because revoking the key would not end the session.
    ///
    /// - Throws: ``Refusal``: not authenticated for an invalid token, forbidden for a key, and for a token without a
    ///   user or without that scope.
    package func exchangeable(_ token: String) async throws -> (user: UserID, scopes: Set<Scope>) {
        guard !token.hasPrefix(SecretText.Kind.key.rawValue) else { throw Refusal.notExchangeable }
        let principal = try await principal(Credentials(authorization: "Bearer " + token), isWriting: true)
        guard let user = principal.viewer.user else { throw Refusal.notExchangeable }
        guard principal.scopes.contains(.accountManage) else { throw Refusal.missingScope(.accountManage) }
        return (user, principal.scopes.intersection(Scope.user))
    }
}

extension Refusal {
    fileprivate static let notExchangeable = Refusal(
        .forbidden,
        "not-exchangeable",
        "This is not the access token of a user. Give an access token, not a key."
    )
}
