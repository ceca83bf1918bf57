package import Formats
import Storage
package import Stories

/// A request for one invitation.
package struct InvitationRequest: Sendable {
    /// The invitee, or the reason why the entry is rejected.
    package let invitee: Result<Invitation.Invitee, InvitationRefusal>
    /// The role to offer.
    package let role: FamilyRole

    /// Parses an entry of the body, whatever its shape: an error in one entry does not affect the others.
    package init(_ value: JSONValue) {
        let role: FamilyRole? = value["role"].map { $0.string.flatMap(FamilyRole.init) } ?? .member
        self.role = role ?? .member
        if role == nil || role == .owner {
            invitee = .failure(.badRole)
        } else if value.object?.keys.allSatisfy(["user", "email", "role"].contains) != true {
            invitee = .failure(.badEntry)
        } else {
            let (user, email) = (value["user"], value["email"])
            invitee = InvitationRequest.invitee(
                user: user?.isNull == true ? nil : user,
                email: email?.isNull == true ? nil : email
            )
        }
    }

    private static func invitee(
        user: JSONValue?,
        email: JSONValue?
    ) -> Result<Invitation.Invitee, InvitationRefusal> {
        switch (user, email) {
        case (let user?, nil):
            return user.string.flatMap { UserID($0) }.map { .success(.user($0)) } ?? .failure(.badUser)
        case (nil, let email?):
            guard let address = email.string, Invitation.isEmail(address) else { return .failure(.badEmail) }
            return .success(.email(address))
        default: return .failure(.badEntry)
        }
    }
}

/// The reason for rejecting one of several invitations.
package enum InvitationRefusal: String, Error, Sendable {
    /// The entry does not name exactly one invitee, or has unknown fields.
    case badEntry = "bad-entry"
    /// The text is not a valid user id.
    case badUser = "bad-user"
    /// The text is not a valid e-mail address.
    case badEmail = "bad-email"
    /// The role does not exist or cannot be offered.
    case badRole = "bad-role"
    /// The inviter may not offer this role.
    case role
    /// The family has too many pending invitations.
    case tooMany = "too-many"
    /// The inviter recently sent too many e-mails, to this address or in total.
    case tooOften = "too-often"
}

/// The outcome of one requested invitation.
package enum InvitationOutcome: Sendable {
    /// It was created, or renewed after it had expired; with its secrets if it goes by e-mail.
    case invited(Invitation, InvitationSecrets?)
    /// It was created before and is still pending; its link was given then.
    case alreadyPending(Invitation)
    /// The invited user already belongs to the family.
    case alreadyMember
    /// It was rejected.
    case refused(InvitationRefusal)
}

/// The id or token by which a user refers to the invitation that they answer.
package enum InvitationReference: Sendable {
    /// Its id, which the invited user finds in their list.
    case id(InvitationID)
    /// The token of its link.
    case token(InvitationToken)

    /// Parses the path component; returns `nil` if it is neither an id nor a token.
    package init?(_ text: String) {
        if let id = InvitationID(text) {
            self = .id(id)
        } else if let token = InvitationToken(text) {
            self = .token(token)
        } else {
            return nil
        }
    }
}

/// Creates, sends and answers invitations into families (PRV-04).
package struct InvitationService: StoreService {
    package let context: StoreContext
    package let feed: FeedService
    package let families: FamilyService
    /// The outbound channels that the operator has set up.
    package let egress: Egress

    /// Invites into a family; returns one outcome per request, in their order.
    ///
    /// No outcome depends on whether an invited user exists.
    ///
    /// - Throws: ``Refusal``: not found if the inviter does not belong to the family, forbidden if their role is only
    ///   member.
    package func invite(
        _ requests: [InvitationRequest],
        into family: FamilyID,
        by inviter: UserID
    ) async throws -> [InvitationOutcome] {
        let now = now()
        var generator = random
        let drawn = requests.map { ($0, InvitationID(using: &generator), InvitationSecrets(from: random)) }
        return try await store.write { [self] transaction in
            let role = try FamilyService.managingRole(of: inviter, in: family, transaction)
            var pending = try transaction.pendingInvitations(into: family).count
            return try drawn.map { request, id, secrets in
                let invitee: Invitation.Invitee
                switch request.invitee {
                case .failure(let refusal): return .refused(refusal)
                case .success(let named): invitee = named
                }
                guard role.mayOffer(request.role) else { return .refused(.role) }
                if case .user(let user) = invitee, try transaction.role(of: user, in: family) != nil {
                    return .alreadyMember
                }
                let known = try transaction.pendingInvitation(of: invitee, into: family)
                if let known, !known.hasExpired(at: now) { return .alreadyPending(known) }
                guard known != nil || pending < FamilyLimits.invitations else { return .refused(.tooMany) }
                let allowance = try allowance(of: invitee, by: inviter, at: now, in: transaction)
                if case .refuses = allowance { return .refused(.tooOften) }
                let invitation = Invitation(
                    id: known?.id ?? id,
                    family: family,
                    inviter: inviter,
                    invitee: invitee,
                    role: request.role,
                    createdAt: known?.createdAt ?? now,
                    expiresAt: now.advanced(byMilliseconds: FamilyLimits.lifetime)
                )
                let outcome = try send(invitation, secrets, isNew: known == nil, in: transaction)
                if known == nil { pending += 1 }
                if allowance == .sends { try announce(invitation, token: secrets.token, at: now, in: transaction) }
                return outcome
            }
        }
    }

    private func send(
        _ invitation: Invitation,
        _ secrets: InvitationSecrets,
        isNew: Bool,
        in transaction: StoreTransaction
    ) throws -> InvitationOutcome {
        let secrets = invitation.invitee.isByEmail ? secrets : nil
        let digests = secrets?.digests(keys: store.keys) ?? []
        if isNew {
            try transaction.insert(invitation, tokenHashes: digests)
        } else {
            try transaction.renew(invitation, tokenHashes: digests)
        }
        return .invited(invitation, secrets)
    }

    /// Renews a pending invitation for seven days; its old link and code become invalid, and `user` vouches for it from now
    /// on.
    ///
    /// - Throws: ``Refusal`` (429) if the user recently sent too many, see ``InvitationLimits``; not found or forbidden
    ///   if they may not send it again. Nothing changes then.
    package func resend(
        _ id: InvitationID,
        into family: FamilyID,
        by user: UserID
    ) async throws -> (invitation: Invitation, secrets: InvitationSecrets?) {
        let now = now()
        let drawn = InvitationSecrets(from: random)
        return try await store.write { [self] transaction in
            let old = try InvitationService.managed(id, in: family, by: user, transaction)
            let allowance = try allowance(of: old.invitee, by: user, at: now, in: transaction)
            if case .refuses(let seconds) = allowance { throw Refusal.tooManyInvitations(seconds: seconds) }
            let invitation = Invitation(
                id: old.id,
                family: family,
                inviter: user,
                invitee: old.invitee,
                role: old.role,
                createdAt: old.createdAt,
                expiresAt: now.advanced(byMilliseconds: FamilyLimits.lifetime)
            )
            let secrets = invitation.invitee.isByEmail ? drawn : nil
            try transaction.renew(invitation, tokenHashes: secrets?.digests(keys: store.keys) ?? [])
            if allowance == .sends { try announce(invitation, token: secrets?.token, at: now, in: transaction) }
            return (invitation, secrets)
        }
    }

    /// Cancels a pending invitation and removes it from the invited user's feed.
    package func cancel(_ id: InvitationID, into family: FamilyID, by user: UserID) async throws {
        try await store.write { transaction in
            let invitation = try InvitationService.managed(id, in: family, by: user, transaction)
            _ = try transaction.end(invitation.id, as: .cancelled)
            guard case .user(let invitee) = invitation.invitee else { return }
            try transaction.withdrawInvitation(id, from: invitee)
        }
    }

    /// Makes the user a member with the offered role; of several acceptances exactly one succeeds.
    ///
    /// - Throws: ``Refusal``: not found for an unknown token or another user's id; gone, with the reason, for a genuine
    ///   invitation that is no longer valid; conflict for a user who is already a member. ``FamilyRefusal`` if a limit
    ///   is reached. The invitation is unchanged then.
    package func accept(_ reference: InvitationReference, as user: UserID) async throws -> FamilyView {
        let now = now()
        return try await store.write { [self] transaction in
            let family = try accept(reference, as: user, at: now, in: transaction)
            return try FamilyService.view(of: family, for: user, transaction)
        }
    }

    /// Accepts an invitation within a transaction that may also have made the user; returns the family.
    func accept(
        _ reference: InvitationReference,
        as user: UserID,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> FamilyID {
        let invitation = try open(reference, for: user, at: now, in: transaction)
        guard try transaction.role(of: user, in: invitation.family) == nil else {
            throw Refusal(.conflict, "already-member", "You already belong to this family.")
        }
        // The invitation is cancelled as soon as its inviter may no longer offer this role; this is a second check.
        guard try transaction.role(of: invitation.inviter, in: invitation.family)?.mayOffer(invitation.role) == true
        else { throw Refusal.ended(.cancelled) }
        guard try transaction.end(invitation.id, as: .accepted, notExpiredAt: now) else {
            throw Refusal.ended(.accepted)
        }
        try transaction.noteAcceptance(of: invitation.id, by: user)
        try families.setMember(user, of: invitation.family, role: invitation.role, in: transaction)
        try notifyInviter(of: invitation, .accepted, by: user, at: now, in: transaction)
        return invitation.family
    }

    /// Returns what the link of a pending invitation offers, for a person who may not have an account.
    ///
    /// - Throws: ``Refusal``: not found or gone, as described at ``accept(_:as:)``.
    package func offer(_ token: InvitationToken) async throws -> InvitationView {
        let now = now()
        return try await store.read { [self] transaction in
            let invitation = try open(.token(token), for: UserID.archive, at: now, in: transaction)
            guard let family = try transaction.family(invitation.family) else { throw Refusal.notFound }
            let name = try transaction.names(of: [invitation.inviter])[invitation.inviter]
            return InvitationView(
                invitation: invitation,
                familyName: family.name,
                inviterName: name ?? invitation.inviter.rawValue
            )
        }
    }

    /// Declines an invitation.
    ///
    /// - Throws: ``Refusal``: not found or gone, as described at ``accept(_:as:)``.
    package func decline(_ reference: InvitationReference, as user: UserID) async throws {
        let now = now()
        try await store.write { [self] transaction in
            let invitation = try open(reference, for: user, at: now, in: transaction)
            guard try transaction.end(invitation.id, as: .declined, notExpiredAt: now) else {
                throw Refusal.ended(.accepted)
            }
            try notifyInviter(of: invitation, .declined, by: user, at: now, in: transaction)
        }
    }

    /// Returns the pending invitation that a user may answer.
    private func open(
        _ reference: InvitationReference,
        for user: UserID,
        at now: Timestamp,
        in transaction: StoreReader
    ) throws -> Invitation {
        let stored: StoreTransaction.StoredInvitation
        switch reference {
        case .id(let id):
            guard let found = try transaction.invitation(id, for: user) else { throw Refusal.notFound }
            stored = found
        case .token(let token):
            guard
                let known = try token.digests(keys: store.keys, at: now)
                    .compactMap({ try transaction.invitationToken(hash: $0) }).first,
                let found = try transaction.invitation(known.invitation)
            else { throw Refusal.notFound }
            guard !known.isReplaced else { throw Refusal.replacedInvitation }
            stored = found
        }
        guard let invitation = stored.pending else { throw Refusal.ended(stored.state) }
        guard !invitation.hasExpired(at: now) else { throw Refusal.expiredInvitation }
        return invitation
    }

    /// Returns a pending invitation of the family that this user may cancel and send again.
    private static func managed(
        _ id: InvitationID,
        in family: FamilyID,
        by user: UserID,
        _ transaction: StoreTransaction
    ) throws -> Invitation {
        let role = try FamilyService.managingRole(of: user, in: family, transaction)
        guard let invitation = try transaction.invitation(id)?.pending, invitation.family == family else {
            throw Refusal.notFound
        }
        guard role.mayOffer(invitation.role) else { throw Refusal.familyRole }
        return invitation
    }
}

extension Invitation.Invitee {
    /// Whether it is by e-mail, and thus for anyone who has the link.
    var isByEmail: Bool {
        if case .email = self { true } else { false }
    }
}

extension Refusal {
    /// The family is visible, but the caller's role does not allow this.
    static let familyRole = Refusal(.forbidden, "forbidden", "Your role in this family does not allow this.")

    /// Returns the refusal of a caller who sent too many invitation messages and may try again after `seconds`.
    static func tooManyInvitations(seconds: Int) -> Refusal {
        Refusal(
            .tooMany,
            "too-many-invitations",
            "You have sent this invitation, or others, too often recently. The last one is still valid; wait before "
                + "sending it again.",
            retryAfter: seconds
        )
    }

    static let expiredInvitation = Refusal(
        .gone,
        "invitation-expired",
        "This invitation has expired. Ask for it to be sent again."
    )

    static let replacedInvitation = Refusal(
        .gone,
        "invitation-replaced",
        "This invitation was sent again; only the newest link is valid."
    )

    /// Returns the refusal of a genuine invitation that is no longer pending.
    package static func ended(_ state: Invitation.State) -> Refusal {
        switch state {
        case .declined: Refusal(.gone, "invitation-declined", "This invitation was declined.")
        case .accepted, .pending: Refusal(.gone, "invitation-used", "This invitation has already been used.")
        case .cancelled: Refusal(.gone, "invitation-cancelled", "This invitation was cancelled.")
        }
    }
}
