package import Storage
package import Stories

/// An invitation as the user sees it who received it by name.
package struct ReceivedInvitation: Sendable {
    package let record: InvitationRecord
    /// The family's name, all that an invited user sees of it; `nil` for an ended invitation, unless they are a member.
    package let familyName: String?
    /// The inviter's name; `nil` once their account is removed.
    package let inviterName: String?
}

// What became of invitations, for those who sent and for those who received them (PRV-04).
extension InvitationService {
    /// For how long ended invitations are listed, in milliseconds: 90 days from their creation.
    private static let memory: Int64 = 90 * 86_400_000

    /// Returns the invitations into a family, newest first, with the names of those who accepted and are still members.
    ///
    /// These are the pending ones, also if they have expired, and, on request, those that ended lately.
    ///
    /// - Throws: ``Refusal``: not found for users who are not members, forbidden for members who may not invite.
    package func list(
        into id: FamilyID,
        includingEnded: Bool,
        for user: UserID
    ) async throws -> (invitations: [InvitationRecord], names: [UserID: String]) {
        let start = now().advanced(byMilliseconds: -InvitationService.memory)
        return try await store.read { transaction in
            _ = try FamilyService.managingRole(of: user, in: id, transaction)
            let all = try transaction.invitations(into: id, endedSince: start)
                .filter { includingEnded || $0.state == .pending }
            // Names of members only: whether an invited user exists shows nowhere.
            let members = Set(try transaction.members(of: id).map(\.user))
            return (all, try transaction.names(of: members.intersection(all.compactMap(\.accepter))))
        }
    }

    /// Returns the invitations that a user received by name, newest first.
    ///
    /// These are the ones that they can answer and, on request, those that they answered or let expire. Withdrawn ones
    /// are not listed.
    package func list(for user: UserID, includingEnded: Bool) async throws -> [ReceivedInvitation] {
        let now = now()
        let start = now.advanced(byMilliseconds: -InvitationService.memory)
        return try await store.read { transaction in
            let records = try transaction.invitations(for: user, endedSince: start)
                .filter { includingEnded || $0.isOpen(at: now) }
            let names = try transaction.names(of: Set(records.compactMap(\.inviter)))
            return try records.compactMap { record in
                let inviterName = record.inviter.flatMap { names[$0] }
                var familyName: String?
                if let family = record.family {
                    let isShown = try record.isOpen(at: now) || transaction.role(of: user, in: family) != nil
                    familyName = isShown ? try transaction.family(family)?.name : nil
                }
                // Without both names, nobody can decide about it.
                if record.isOpen(at: now), familyName == nil || inviterName == nil { return nil }
                return ReceivedInvitation(record: record, familyName: familyName, inviterName: inviterName)
            }
        }
    }
}

extension InvitationRecord {
    /// Whether the invitation can be answered.
    func isOpen(at now: Timestamp) -> Bool { state == .pending && now < expiresAt }

    /// The user who accepted the invitation, if one did.
    package var accepter: UserID? {
        guard state == .accepted, case .user(let user) = invitee else { return nil }
        return user
    }

    /// What became of the invitation, in one word.
    package func outcome(at now: Timestamp) -> String {
        switch state {
        case .pending: now < expiresAt ? "pending" : "expired"
        case .accepted: "accepted"
        case .declined: "declined"
        case .cancelled: "withdrawn"
        }
    }
}
