import Notifications
import Storage
import Stories

/// The outcome of an invitation, as reported to the member who vouches for it.
enum InvitationEnd: String, Sendable {
    /// A user accepted it and joined the family.
    case accepted
    /// The invitee declined it.
    case declined
    /// It was not answered in time.
    case expired
}

extension InvitationService {
    /// Notifies the member who vouches for an invitation of its outcome, while they belong to the family (PRV-04).
    ///
    /// `user` is the one who answered. If the invitation expired, nothing shows whether the invited user exists: they
    /// are named as they were invited. An e-mail address is not repeated, because it was given for one e-mail only.
    func notifyInviter(
        of invitation: Invitation,
        _ end: InvitationEnd,
        by user: UserID?,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws {
        guard try isWanted(end, of: invitation, by: user, in: transaction) else { return }
        let family = try transaction.family(invitation.family)?.name ?? ""
        let who = try invited(invitation, answering: user, in: transaction)
        let words =
            switch end {
            case .accepted: "\(who) accepted your invitation to join the family \(family)."
            case .declined: "\(who) declined your invitation to join the family \(family)."
            case .expired:
                "Your invitation for \(who) to join the family \(family) has expired. You can send it again."
            }
        try feed.announce(
            FeedItem(
                id: endID(end, of: invitation),
                user: invitation.inviter,
                at: now,
                createdAt: now,
                subject: .message(
                    .init(
                        type: .invitationAnswer,
                        details: [
                            "invitation": invitation.id.description, "family": invitation.family.rawValue,
                            "outcome": end.rawValue,
                        ]
                    )
                ),
                title: "Invitation \(end.rawValue)",
                body: words
            ),
            in: transaction
        )
    }

    /// Notifies inviters of the invitations that expired within the last two days; returns the number of invitations.
    package func announceExpired() async throws -> Int {
        let now = now()
        let since = now.advanced(byMilliseconds: -2 * 86_400_000)
        let news = try await store.read { [self] transaction in
            try transaction.expiredInvitations(after: since, upTo: now, limit: 500)
                .filter { invitation in
                    try isWanted(.expired, of: invitation, by: nil, in: transaction)
                        && transaction.notificationSettings(of: invitation.inviter).delivery.makes(.invitationAnswer)
                        && transaction.notice(endID(.expired, of: invitation), of: invitation.inviter) == nil
                }
        }
        guard !news.isEmpty else { return 0 }
        return try await store.write { [self] transaction in
            var count = 0
            for old in news {
                // It may have been sent again or answered since.
                guard let invitation = try transaction.invitation(old.id)?.pending, invitation.hasExpired(at: now)
                else { continue }
                try notifyInviter(of: invitation, .expired, by: nil, at: now, in: transaction)
                count += 1
            }
            return count
        }
    }

    /// Returns whether the inviter is notified: not of their own answer, and not after leaving the family.
    private func isWanted(
        _ end: InvitationEnd,
        of invitation: Invitation,
        by user: UserID?,
        in transaction: StoreReader
    ) throws -> Bool {
        try user != invitation.inviter && transaction.role(of: invitation.inviter, in: invitation.family) != nil
    }

    /// Returns one id per outcome and expiry, because an invitation that was sent again can expire again.
    private func endID(_ end: InvitationEnd, of invitation: Invitation) -> String {
        feed.messageID(
            of: "waymark invitation end 1|\(invitation.id)|\(end.rawValue)|\(invitation.expiresAt.milliseconds)"
        )
    }

    private func invited(
        _ invitation: Invitation,
        answering user: UserID?,
        in transaction: StoreTransaction
    ) throws -> String {
        if let user {
            let name = try transaction.callNames(of: [user], for: invitation.inviter)[user] ?? user.rawValue
            return PlainText.line(name)
        }
        guard case .user(let invitee) = invitation.invitee else { return "someone you invited by e-mail" }
        return try transaction.labels(of: invitation.inviter, for: [invitee])[invitee] ?? invitee.rawValue
    }
}
