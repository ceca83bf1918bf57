import Notifications
package import Storage
package import Stories

// Invitations by name appear in the feed; those by e-mail go through the outbox (PRV-04).
extension InvitationService {
    /// Notifies the invitee; nothing shows the inviter whether the invited user exists.
    package func announce(
        _ invitation: Invitation,
        token: InvitationToken?,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws {
        let family = try transaction.family(invitation.family)?.name ?? ""
        let inviter = try transaction.names(of: [invitation.inviter])[invitation.inviter] ?? invitation.inviter.rawValue
        switch invitation.invitee {
        case .user(let user):
            guard try transaction.user(user) != nil else { return }
            let message = "waymark invitation 1|\(invitation.id)|\(user)|\(now.milliseconds)"
            try feed.announce(
                FeedItem(
                    id: feed.messageID(of: message),
                    user: user,
                    at: now,
                    createdAt: now,
                    subject: .message(
                        .init(
                            type: .invitation,
                            details: [
                                "invitation": invitation.id.description, "family": invitation.family.rawValue,
                            ]
                        )
                    ),
                    title: "Invitation",
                    body: """
                        \(StrangerWords.plain(inviter)) invites you to join the family \
                        \(StrangerWords.quoted(family)).
                        """
                ),
                in: transaction
            )
        case .email(let address):
            guard let token, egress.writer.credentials.allow(.email) else { return }
            try mail(invitation, to: address, token: token, at: now, in: transaction)
        }
    }

    /// Enqueues the e-mail; its link is sealed like the secrets of channels.
    private func mail(
        _ invitation: Invitation,
        to address: String,
        token: InvitationToken,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws {
        var generator = random
        let id = StoryID(using: &generator).description
        let fields = ["address": address, "invitation": invitation.id.description, "token": token.text]
        let channel = ChannelRow(
            id: id,
            user: invitation.inviter,
            kind: .email,
            name: nil,
            target: try ChannelSeal(keys: store.keys).seal(fields, of: id, random: random),
            state: .single,
            createdAt: now
        )
        try transaction.save(channel)
        let message = feed.messageID(of: "waymark mail 1|\(id)")
        try transaction.enqueue(
            message,
            type: .invitationMail,
            through: channel,
            at: now,
            expiresAt: invitation.expiresAt
        )
    }
}
