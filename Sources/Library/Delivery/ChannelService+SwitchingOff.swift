import Notifications
import Storage
import Stories

extension ChannelService {
    /// Switches a channel off and notifies its user, in the feed and through the remaining channels.
    ///
    /// Does nothing if the channel is already off or exists for a single message. Call it in the transaction that
    /// stores the outcome of the failed attempt.
    func switchOff(
        _ channel: inout ChannelRow,
        reason: String,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws {
        guard channel.state == .active || channel.state == .unproven else { return }
        channel.state = .disabled
        channel.reason = reason
        // Stored first: the notification goes through the channels that are active then.
        try transaction.save(channel)
        try announceSwitchedOff(channel, reason: reason, at: now, in: transaction)
    }

    /// Notifies the user of a channel that it was switched off.
    func announceSwitchedOff(
        _ channel: ChannelRow,
        reason: String,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws {
        let message = "waymark channel disabled 1|\(channel.id)|\(now.milliseconds)"
        let item = FeedItem(
            id: feed.messageID(of: message),
            user: channel.user,
            at: now,
            createdAt: now,
            subject: .message(
                .init(
                    type: .channelDisabled,
                    details: ["channel": channel.id, "kind": channel.kind.rawValue, "reason": reason]
                )
            ),
            title: "A channel was switched off",
            body: SwitchedOffText.sentence(channel, reason: reason)
        )
        try feed.announce(item, in: transaction)
    }
}

/// The text about a channel that was switched off; it contains the name given by the user, but no address.
enum SwitchedOffText: Sendable {
    /// Returns the sentence about a channel and the reason.
    static func sentence(_ channel: ChannelRow, reason: String) -> String {
        let name = channel.name.map { " “\($0.count <= 60 ? $0 : $0.prefix(59) + "…")”" } ?? ""
        if reason == LostSeal.reason {
            return "Notifications are no longer sent to your \(noun(channel.kind))\(name): the service has lost the "
                + "key to its address. Remove this channel in your app and add it again."
        }
        if reason == EndedSubscription.reason {
            return "Notifications are no longer sent to your \(noun(channel.kind))\(name): the service has a new key "
                + "for browsers, and this one subscribed with the old key. Add this browser again."
        }
        let why =
            reason == "gone"
            ? "its server reported that it no longer exists" : "nothing could be delivered for five days"
        return "Notifications are no longer sent to your \(noun(channel.kind))\(name): \(why). Once it works again, "
            + "verify this channel in your app to switch it on."
    }

    private static func noun(_ kind: ChannelKind) -> String {
        switch kind {
        case .webhook: "webhook"
        case .webPush: "browser"
        case .ntfy: "ntfy topic"
        case .gotify: "Gotify application"
        case .apprise: "Apprise key"
        case .email: "e-mail address"
        case .apns, .fcm: "phone"
        case .mqtt: "topic at the broker"
        }
    }
}
