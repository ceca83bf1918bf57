import Notifications
import Storage
import Stories

extension MessageComposer {
    /// Returns the e-mail with the links that sign its reader in; `nil` if none of them is valid any more.
    ///
    /// A code stands in the fragment of its link: programs that open every link of an e-mail do not send it, so they
    /// cannot use it up.
    func signInMail(
        _ entry: OutboxEntry,
        _ channel: ChannelRow,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> (message: ChannelMessage, target: ChannelTarget)? {
        let seal = ChannelSeal(keys: store.keys)
        guard let fields = seal.open(channel.target, of: channel.id), let address = fields["address"],
            let target = try? ChannelTarget(kind: .email, fields: ["address": address])
        else { return nil }
        let texts = fields.filter { $0.key.hasPrefix("code") }.sorted { $0.key < $1.key }.map(\.value)
        let items = try texts.compactMap { text -> ChannelMessage.Item? in
            guard let code = SignInCode(typed: text),
                let stored = try code.stored(in: transaction, keys: store.keys, at: now),
                stored.usedAt == nil, now < stored.expiresAt, let user = try transaction.user(stored.user)
            else { return nil }
            return ChannelMessage.Item(
                title: "Sign in as \(StrangerWords.plain(user.name))",
                body: "",
                link: "\(egress.address)/#sign-in=\(code.text)"
            )
        }
        guard !items.isEmpty else { return nil }
        var message = ChannelMessage(
            id: entry.message,
            type: entry.type.rawValue,
            title: "Your link to sign in",
            body: """
                Follow the link within 15 minutes of asking for it. It works once. If you did not ask for it, ignore \
                this message: nobody is signed in by it.
                """,
            occurredAt: entry.createdAt
        )
        message.items = items
        return (message, target)
    }
}
