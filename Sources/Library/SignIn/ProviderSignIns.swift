package import OpenID
package import Storage
package import Stories

extension SignInService {
    /// Signs in people whom the operator's provider vouches for.
    package var byProvider: ProviderSignIns { ProviderSignIns(signIns: self) }
}

/// Signs in people whom the operator's OpenID Connect provider vouches for, and links their accounts there.
package struct ProviderSignIns: StoreService {
    let signIns: SignInService

    package var context: StoreContext { signIns.context }

    /// What a person is to get who comes back from the provider.
    package enum Intention: Sendable {
        /// A session.
        case signIn
        /// A session, and an account by the link of an invitation if there is none.
        case join(InvitationToken)
    }

    /// What the operator allows people to get who are not known here.
    package struct Rules: Hashable, Sendable {
        /// Whether anybody whom the provider knows gets an account.
        package let joins: Bool
        /// Whether the link of an invitation makes an account.
        package let invitationsMakeAccounts: Bool

        /// Creates a value from its parts.
        package init(joins: Bool, invitationsMakeAccounts: Bool) {
            self.joins = joins
            self.invitationsMakeAccounts = invitationsMakeAccounts
        }
    }

    /// The number of bytes of a name that is taken over from a provider.
    private static let nameBytes = 100
    /// The length of the id of a link.
    package static let linkIDLength = 16

    /// Begins a session for a person whom the provider vouches for.
    ///
    /// The person is whoever is linked to the provider's account; else the one account that has proven the same e-mail
    /// address and has no account at this provider yet; else, if `rules` allow it, a new account, which
    /// accepts the invitation where invitations make accounts. All of this or nothing.
    ///
    /// - Throws: ``Refusal/unknownPerson`` if there is nobody; the same whether or not an account has the address.
    ///   For an invitation also what ``InvitationService/accept(_:as:)`` throws.
    package func begin(
        for identity: ProviderIdentity,
        _ intention: Intention,
        rules: Rules,
        _ arrival: SignInService.Arrival
    ) async throws -> (begun: SignInService.Begun, hasJoined: Bool) {
        let (now, drawn) = (now(), SecretText.new(.session, random: random))
        let link = ProviderAccount(of: identity, to: UserID.archive, id: newLinkID(), at: now)
        return try await store.write { [self] transaction in
            if let user = try knownUser(identity, link: link, at: now, in: transaction) {
                return (try signIns.begin(drawn, for: user, arrival, at: now, in: transaction), false)
            }
            let user = try newUser(identity, intention, rules, at: now, in: transaction)
            try transaction.insert(link.linked(to: user))
            guard case .join(let token) = intention, rules.invitationsMakeAccounts else {
                return (try signIns.begin(drawn, for: user, arrival, at: now, in: transaction), false)
            }
            _ = try signIns.invitations.accept(.token(token), as: user, at: now, in: transaction)
            return (try signIns.begin(drawn, for: user, arrival, at: now, in: transaction), true)
        }
    }

    /// Returns the user whom a person is, and notes that they came; `nil` for an unknown person.
    private func knownUser(
        _ identity: ProviderIdentity,
        link: ProviderAccount,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> UserID? {
        if let known = try transaction.providerAccount(issuer: identity.issuer, subject: identity.subject) {
            try transaction.noteUse(ofProviderAccount: known.id, at: now.startOfHour)
            return known.user
        }
        guard let email = identity.email, Invitation.isEmail(email) else { return nil }
        // Of several accounts with one address, nobody could say which is meant. An account that has its own person at
        // the provider is not another's who got the same address later.
        let users = try transaction.users(withProvenEmail: email, limit: 2)
        guard let user = users.first, users.count == 1, user != UserID.archive,
            try !transaction.providerAccounts(of: user).contains(where: { $0.issuer == identity.issuer })
        else { return nil }
        try transaction.insert(link.linked(to: user))
        return user
    }

    private func newUser(
        _ identity: ProviderIdentity,
        _ intention: Intention,
        _ rules: Rules,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> UserID {
        let isInvited = if case .join = intention { rules.invitationsMakeAccounts } else { false }
        guard rules.joins || isInvited else { throw Refusal.unknownPerson }
        let name = identity.name.flatMap { DisplayName($0, maxBytes: ProviderSignIns.nameBytes) }
        let id = try signIns.newUser(named: name, in: transaction)
        // An address that another account has stays with it.
        var email = identity.email.flatMap { Invitation.isEmail($0) ? $0 : nil }
        if let given = email, try !transaction.users(withEmail: given, limit: 1).isEmpty { email = nil }
        try transaction.save(User(id: id, name: name?.text ?? id.rawValue, email: email), at: now)
        if let email { try transaction.saveProvenAddress(email, of: id, at: now) }
        return id
    }

    /// Links a person's account at the provider to the account in which they are signed in.
    ///
    /// - Throws: ``Refusal``: conflict if either has another partner already.
    package func link(_ identity: ProviderIdentity, to user: UserID) async throws {
        let now = now()
        let link = ProviderAccount(of: identity, to: user, id: newLinkID(), at: now)
        try await store.write { transaction in
            guard try transaction.user(user) != nil, user != UserID.archive else { throw Refusal.notFound }
            let known = try transaction.providerAccount(issuer: identity.issuer, subject: identity.subject)
            guard known?.user != user else { return }
            guard known == nil else { throw Refusal.linkedElsewhere }
            guard try !transaction.providerAccounts(of: user).contains(where: { $0.issuer == identity.issuer }) else {
                throw Refusal.linkedOtherwise
            }
            try transaction.insert(link)
        }
    }

    /// Returns the accounts at providers that sign in as a user, oldest first.
    package func accounts(of user: UserID) async throws -> [ProviderAccount] {
        try await store.read { try $0.providerAccounts(of: user) }
    }

    /// Removes a link; the sessions that it began go on.
    ///
    /// Restoring an older copy of the database does not bring it back.
    ///
    /// - Throws: ``Refusal/notFound`` for an unknown link and one of another user.
    package func unlink(_ id: String, of user: UserID) async throws {
        let now = now()
        guard try await store.write({ try $0.endProviderAccount(id, of: user, at: now) }) else {
            throw Refusal.notFound
        }
    }

    private func newLinkID() -> String { SecretText.newID(length: ProviderSignIns.linkIDLength, random: random) }
}

extension ProviderAccount {
    fileprivate init(of identity: ProviderIdentity, to user: UserID, id: String, at now: Timestamp) {
        self.init(
            id: id,
            issuer: identity.issuer,
            subject: identity.subject,
            user: user,
            createdAt: now,
            usedAt: now.startOfHour
        )
    }

    fileprivate func linked(to user: UserID) -> ProviderAccount {
        ProviderAccount(
            id: id,
            issuer: issuer,
            subject: subject,
            user: user,
            createdAt: createdAt,
            usedAt: usedAt
        )
    }
}

extension Refusal {
    /// The provider vouches for a person who is nobody here.
    package static let unknownPerson = Refusal(
        .forbidden,
        "unknown-person",
        "This account at the provider is not linked to an account here."
    )

    /// The account at the provider signs in to another account here.
    package static let linkedElsewhere = Refusal(
        .conflict,
        "linked-elsewhere",
        "This account at the provider is linked to another account here. Remove that link first."
    )

    /// The account here has another account at the provider.
    package static let linkedOtherwise = Refusal(
        .conflict,
        "linked-otherwise",
        "Another account at this provider is linked to yours. Remove that link first."
    )
}
