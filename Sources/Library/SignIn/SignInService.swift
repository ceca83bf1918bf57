package import Storage
package import Stories

/// Signs people in to the page, and lists and ends their sessions.
package struct SignInService: StoreService {
    /// The circumstances of a sign-in.
    package struct Arrival: Sendable {
        /// The browser and system in a few words; see ``BrowserLabel``.
        package let label: String
        /// The secret of the session that the browser had so far, which ends: nobody can prepare a session for somebody
        /// else.
        package let former: String?
        /// The client's network, for limits; `nil` if it is unknown.
        package let client: String?

        /// Creates a value from its parts.
        package init(label: String, former: String?, client: String?) {
            self.label = label
            self.former = former
            self.client = client
        }
    }

    /// A session that has just begun.
    package struct Begun: Sendable {
        /// The secret for the cookie, shown once and stored nowhere.
        package let secret: String
        /// The session.
        package let session: PageSession
        /// The user who signed in.
        package let user: User
    }

    /// The validity of a session from the sign-in on, in seconds; using it does not extend it.
    package static let seconds = 30 * 86_400
    /// The maximum number of sessions of a user; the next sign-in ends the oldest.
    package static let maximum = 50

    package let context: StoreContext
    package let feed: FeedService
    package let families: FamilyService
    package let invitations: InvitationService
    /// The outbound channels that the operator has set up.
    package let egress: Egress
    /// The limits on attempts and e-mails.
    package let limits = SignInLimits()
    /// The addresses to which e-mails were asked for.
    package let mails = SignInMails()

    /// Creates a value from its parts.
    package init(context: StoreContext, feed: FeedService, invitations: InvitationService) {
        self.context = context
        self.feed = feed
        self.invitations = invitations
        families = invitations.families
        egress = invitations.egress
    }

    /// Begins a session with these scopes, at most those of a user.
    ///
    /// - Throws: ``Refusal`` (not authenticated) if there is no such user.
    package func begin(
        for user: UserID,
        scopes: Set<Scope> = Scope.user,
        _ arrival: Arrival
    ) async throws -> Begun {
        let drawn = SecretText.new(.session, random: random)
        return try await store.write { [self] transaction in
            try begin(drawn, for: user, scopes: scopes, arrival, at: now(), in: transaction)
        }
    }

    /// Begins a session within a transaction that decides about the sign-in.
    func begin(
        _ secret: SecretText,
        for id: UserID,
        scopes: Set<Scope> = Scope.user,
        _ arrival: Arrival,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> Begun {
        guard let user = try transaction.user(id) else {
            throw Refusal.unauthenticated("There is no such account. Ask the operator of this service.")
        }
        if let former = arrival.former { try end(secret: former, at: now, in: transaction) }
        try transaction.dropPageSessions(of: id, endedBy: now)
        for old in try transaction.pageSessions(of: id, at: now).dropFirst(SignInService.maximum - 1) {
            _ = try transaction.endPageSession(old.id, at: now)
        }
        let session = PageSession(
            id: secret.id,
            digest: secret.digest,
            user: id,
            scopes: Scope.text(scopes.intersection(Scope.user)),
            label: arrival.label,
            createdAt: now,
            expiresAt: now.advanced(byMilliseconds: Int64(SignInService.seconds) * 1_000),
            usedAt: now.startOfHour
        )
        try transaction.insert(session)
        return Begun(secret: secret.text, session: session, user: user)
    }

    /// Returns the sessions of a user, newest first.
    package func sessions(of user: UserID) async throws -> [PageSession] {
        let now = now()
        return try await store.read { try $0.pageSessions(of: user, at: now) }
    }

    /// Ends a session of a user at once.
    ///
    /// Restoring an older copy of the database does not bring it back.
    ///
    /// - Throws: ``Refusal/notFound`` for an unknown session, one that has ended, and one of another user.
    package func end(_ id: String, of user: UserID) async throws {
        let now = now()
        guard try await store.write({ try $0.endPageSession(id, of: user, at: now) }) else { throw Refusal.notFound }
    }

    /// Ends the session with this secret, if there is one.
    package func end(secret: String) async throws {
        // An unknown secret must not occupy the writer.
        guard let parsed = SecretText(parsing: secret, kind: .session),
            try await store.read({ try $0.pageSession(parsed.id) }) != nil
        else { return }
        let now = now()
        try await store.write { [self] in try end(secret: secret, at: now, in: $0) }
    }

    private func end(secret: String, at now: Timestamp, in transaction: StoreTransaction) throws {
        guard let parsed = SecretText(parsing: secret, kind: .session),
            let session = try transaction.pageSession(parsed.id), isSameSecret(session.digest, parsed.digest)
        else { return }
        _ = try transaction.endPageSession(session.id, at: now)
    }
}
