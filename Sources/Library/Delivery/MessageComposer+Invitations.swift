import Notifications
import Storage
import Stories

extension MessageComposer {
    /// Returns the e-mail of an invitation; `nil` if the invitation or its link is no longer valid.
    func invitationMail(
        _ entry: OutboxEntry,
        _ channel: ChannelRow,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> (message: ChannelMessage, target: ChannelTarget)? {
        let seal = ChannelSeal(keys: store.keys)
        guard let fields = seal.open(channel.target, of: channel.id), let address = fields["address"],
            let target = try? ChannelTarget(kind: .email, fields: ["address": address]),
            let token = fields["token"].flatMap({ InvitationToken($0) }),
            let id = fields["invitation"].flatMap({ InvitationID($0) }),
            let invitation = try transaction.invitation(id)?.pending, !invitation.hasExpired(at: now),
            try transaction.invitationToken(hash: token.digest(keys: store.keys))?.isReplaced == false,
            let family = try transaction.family(invitation.family)
        else { return nil }
        let name = try transaction.names(of: [channel.user])[channel.user] ?? channel.user.rawValue
        let inviter = StrangerWords.plain(name)
        let end = try dateText(invitation.expiresAt, asFor: channel.user, in: transaction)
        var message = ChannelMessage(
            id: entry.message,
            type: entry.type.rawValue,
            title: "\(inviter) invites you to join the family \(StrangerWords.quoted(family.name))",
            body: """
                Follow the link to see the family's stories. The link is valid until \
                \(end), and only for you. If you do not know \(inviter), ignore \
                this message.
                """,
            occurredAt: entry.createdAt
        )
        message.link = "\(egress.address)/#invitation=\(token.text)"
        return (message, target)
    }

    /// Returns an instant as text in the zone and language of `writer`.
    ///
    /// The text includes the name of the zone, because the reader may not be a user.
    private func dateText(_ time: Timestamp, asFor writer: UserID, in transaction: StoreTransaction) throws -> String {
        let settings = try transaction.notificationSettings(of: writer)
        let clock = ZoneClock(of: settings)
        return DateWords.words(time, zone: clock.offset, language: settings.language, zoneName: settings.zone)
    }
}
