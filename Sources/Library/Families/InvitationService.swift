package import Formats
import Storage
package import Stories

/// One invitation as it was asked for.
package struct InvitationRequest: Sendable {
    /// Who, or why nobody can be invited like that.
    package let invitee: Result<Invitation.Invitee, InvitationRefusal>
    /// What they are to be.
    package let role: FamilyRole

    /// Reads an entry of the body, whatever its shape: a mistake in one keeps no other from being sent.
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

/// Why one of several invitations is not made.
package enum InvitationRefusal: String, Error, Sendable {
    /// It names nobody, or two.
    case badEntry = "bad-entry"
    /// That cannot be a user's id.
    case badUser = "bad-user"
    /// That cannot be an address.
    case badEmail = "bad-email"
    /// That is no role that can be offered.
    case badRole = "bad-role"
    /// The inviter may not offer this role.
    case role
    /// There are too many pending already.
    case tooMany = "too-many"
    /// The inviter sent this address, or all together, too many e-mails lately.
    case tooOften = "too-often"
}

/// What became of one invitation that was asked for.
package enum InvitationOutcome: Sendable {
    /// It is made, or, had it expired, made anew; with its token if it goes by e-mail.
    case invited(Invitation, InvitationToken?)
    /// It was made before and is pending; its link was given then.
    case alreadyPending(Invitation)
    /// They belong to the family.
    case alreadyMember
    /// It is not made.
    case refused(InvitationRefusal)
}

/// How an answer names its invitation.
package enum InvitationReference: Sendable {
    /// By its id, which the invited user finds in their list.
    case id(InvitationID)
    /// By the token of its link.
    case token(InvitationToken)

    /// Reads the part of the path; `nil` when it can be neither.
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

/// Invitations into families: made, sent, answered (PRV-04).
package struct InvitationService: StoreService {
    package let context: StoreContext
    package let feed: FeedService
    package let families: FamilyService
    /// The channels that may be used.
    package let egress: Egress

    /// The pending invitations into a family, newest first, for those who may make some.
    package func pending(into id: FamilyID, for user: UserID) async throws -> [Invitation] {
        try await store.read { transaction in
            _ = try FamilyService.managingRole(of: user, in: id, transaction)
            return try transaction.pendingInvitations(into: id)
        }
    }

    /// The pending invitations that a user got by name, newest first.
    package func pending(for user: UserID) async throws -> [InvitationView] {
        let now = now()
        return try await store.read { transaction in
            let invitations = try transaction.pendingInvitations(for: user, at: now)
            let names = try transaction.names(of: Set(invitations.map(\.inviter)))
            return try invitations.compactMap { invitation in
                guard let family = try transaction.family(invitation.family), let name = names[invitation.inviter]
                else { return nil }
                return InvitationView(invitation: invitation, familyName: family.name, inviterName: name)
            }
        }
    }

    /// Invites into a family; every request has its own outcome, in their order.
    ///
    /// Nothing in an outcome depends on whether an invited user exists.
    ///
    /// - Throws: ``Refusal``: not found for a family the inviter does not belong to, forbidden for a mere member.
    package func invite(
        _ requests: [InvitationRequest],
        into family: FamilyID,
        by inviter: UserID
    ) async throws -> [InvitationOutcome] {
        let now = now()
        var generator = random
        let drawn = requests.map { ($0, InvitationID(using: &generator), InvitationToken(from: random)) }
        return try await store.write { [self] transaction in
            let role = try FamilyService.managingRole(of: inviter, in: family, transaction)
            var pending = try transaction.pendingInvitations(into: family).count
            return try drawn.map { request, id, token in
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
                let outcome = try InvitationService.send(invitation, token, isNew: known == nil, in: transaction) {
                    pending += 1
                }
                if allowance == .sends { try announce(invitation, token: token, at: now, in: transaction) }
                return outcome
            }
        }
    }

    private static func send(
        _ invitation: Invitation,
        _ token: InvitationToken,
        isNew: Bool,
        in transaction: StoreTransaction,
        counting: () -> Void
    ) throws -> InvitationOutcome {
        let token = invitation.invitee.isByEmail ? token : nil
        if isNew {
            try transaction.insert(invitation, tokenHash: token?.hash)
            counting()
        } else {
            try transaction.renew(invitation, tokenHash: token?.hash)
        }
        return .invited(invitation, token)
    }

    /// Lets a pending invitation begin anew for seven days; its old token dies, and whoever resends vouches for it.
    ///
    /// - Throws: ``Refusal`` (429) when they sent too many lately, see ``InvitationLimits``; nothing changes then.
    package func resend(
        _ id: InvitationID,
        into family: FamilyID,
        by user: UserID
    ) async throws -> (invitation: Invitation, token: InvitationToken?) {
        let now = now()
        let drawn = InvitationToken(from: random)
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
            let token = invitation.invitee.isByEmail ? drawn : nil
            try transaction.renew(invitation, tokenHash: token?.hash)
            if allowance == .sends { try announce(invitation, token: token, at: now, in: transaction) }
            return (invitation, token)
        }
    }

    /// Takes a pending invitation back.
    package func cancel(_ id: InvitationID, into family: FamilyID, by user: UserID) async throws {
        try await store.write { transaction in
            let invitation = try InvitationService.managed(id, in: family, by: user, transaction)
            _ = try transaction.end(invitation.id, as: .cancelled)
            guard case .user(let invitee) = invitation.invitee else { return }
            try transaction.withdrawInvitation(id, from: invitee)
        }
    }

    /// Makes the user a member as the invitation offers; of several acceptances exactly one succeeds.
    ///
    /// - Throws: ``Refusal``: not found for an unknown token or somebody else's id, gone for a genuine one that is good
    ///   no more, saying why, conflict for a member or where a limit is reached; the invitation stays as it is then.
    package func accept(_ reference: InvitationReference, as user: UserID) async throws -> FamilyView {
        let now = now()
        return try await store.write { [self] transaction in
            let invitation = try InvitationService.open(reference, for: user, at: now, in: transaction)
            guard try transaction.role(of: user, in: invitation.family) == nil else {
                throw Refusal(.conflict, "already-member", "You belong to this family already.")
            }
            // Whoever lost the right to offer this had it cancelled then; here it is asked once more.
            guard try transaction.role(of: invitation.inviter, in: invitation.family)?.mayOffer(invitation.role) == true
            else { throw Refusal.ended(.cancelled) }
            guard try transaction.end(invitation.id, as: .accepted, notExpiredAt: now) else {
                throw Refusal.ended(.accepted)
            }
            try families.setMember(user, of: invitation.family, role: invitation.role, in: transaction)
            try notifyInviter(of: invitation, .accepted, by: user, at: now, in: transaction)
            return try FamilyService.view(of: invitation.family, for: user, transaction)
        }
    }

    /// Says no to an invitation; the same errors as ``accept(_:as:)``.
    package func decline(_ reference: InvitationReference, as user: UserID) async throws {
        let now = now()
        try await store.write { [self] transaction in
            let invitation = try InvitationService.open(reference, for: user, at: now, in: transaction)
            guard try transaction.end(invitation.id, as: .declined, notExpiredAt: now) else {
                throw Refusal.ended(.accepted)
            }
            try notifyInviter(of: invitation, .declined, by: user, at: now, in: transaction)
        }
    }

    /// The pending invitation that a user may answer.
    private static func open(
        _ reference: InvitationReference,
        for user: UserID,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> Invitation {
        let stored: StoreTransaction.StoredInvitation
        switch reference {
        case .id(let id):
            guard let found = try transaction.invitation(id, for: user) else { throw Refusal.notFound }
            stored = found
        case .token(let token):
            guard let known = try transaction.invitationToken(hash: token.hash),
                let found = try transaction.invitation(known.invitation)
            else { throw Refusal.notFound }
            guard !known.isReplaced else { throw Refusal.replacedInvitation }
            stored = found
        }
        guard let invitation = stored.pending else { throw Refusal.ended(stored.state) }
        guard !invitation.hasExpired(at: now) else { throw Refusal.expiredInvitation }
        return invitation
    }

    /// A pending invitation of the family that this user may cancel and send again.
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
    /// Whether it is whoever gets the link.
    var isByEmail: Bool {
        if case .email = self { true } else { false }
    }
}

extension Refusal {
    /// The family is visible, but the caller's role does not allow this.
    static let familyRole = Refusal(.forbidden, "forbidden", "Your role in this family does not allow this.")

    /// The caller sent too many messages of invitations.
    static func tooManyInvitations(seconds: Int) -> Refusal {
        Refusal(
            .tooMany,
            "too-many-invitations",
            "You have sent this invitation, or others, too often lately. The last one is still good; wait before you "
                + "send it again.",
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
        "This invitation was sent again; only the newest link is good."
    )

    /// A genuine invitation that is good no more.
    package static func ended(_ state: Invitation.State) -> Refusal {
        switch state {
        case .declined: Refusal(.gone, "invitation-declined", "This invitation was declined.")
        case .accepted, .pending: Refusal(.gone, "invitation-used", "This invitation was used already.")
        case .cancelled: Refusal(.gone, "invitation-cancelled", "This invitation was taken back.")
        }
    }
}
