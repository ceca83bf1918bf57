import Notifications
import Storage
import Stories

/// Tells people of invitations: by name in their feed, by e-mail through the outbox (PRV-04).
extension StoryLibrary {
    /// Tells whoever is invited; nothing of it shows the inviter whether there is such a user.
    func tell(
        of invitation: Invitation,
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
            try tell(
                FeedItem(
                    id: messageID(of: message),
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
                    body: "\(StrangerWords.plain(inviter)) invites you into the family \(StrangerWords.quoted(family))."
                ),
                in: transaction
            )
        case .email(let address):
            guard let token, desk.writer.credentials.allow(.email) else { return }
            try mail(invitation, to: address, token: token, at: now, in: transaction)
        }
    }

    /// Writes the e-mail's entry; its link is sealed like the secrets of channels.
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
            target: try channelSeal.seal(fields, of: id, random: random),
            state: .single,
            createdAt: now
        )
        try transaction.save(channel)
        let message = messageID(of: "waymark mail 1|\(id)")
        try transaction.enqueue(
            message,
            type: .invitationMail,
            through: channel,
            at: now,
            expiresAt: invitation.expiresAt
        )
    }

    /// The e-mail of an invitation that is still good, and whose link is; `nil` for any other.
    func invitationMail(
        _ entry: OutboxEntry,
        _ channel: ChannelRow,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> (message: ChannelMessage, target: ChannelTarget)? {
        guard let fields = channelSeal.open(channel.target, of: channel.id), let address = fields["address"],
            let target = try? ChannelTarget(kind: .email, fields: ["address": address]),
            let token = fields["token"].flatMap({ InvitationToken($0) }),
            let id = fields["invitation"].flatMap({ InvitationID($0) }),
            let invitation = try transaction.invitation(id)?.pending, !invitation.hasExpired(at: now),
            try transaction.invitationToken(hash: token.hash)?.isReplaced == false,
            let family = try transaction.family(invitation.family)
        else { return nil }
        let name = try transaction.names(of: [channel.user])[channel.user] ?? channel.user.rawValue
        let inviter = StrangerWords.plain(name)
        let end = try dateWords(invitation.expiresAt, asFor: channel.user, in: transaction)
        var message = ChannelMessage(
            id: entry.message,
            type: entry.type.rawValue,
            title: "\(inviter) invites you into the family \(StrangerWords.quoted(family.name))",
            body: """
                Follow the link to see the family's stories. It is good until \
                \(end), and for you alone. If you do not know \(inviter), do \
                nothing.
                """,
            occurredAt: entry.createdAt
        )
        message.link = "\(desk.address)/#invitation=\(token.text)"
        return (message, target)
    }
}
