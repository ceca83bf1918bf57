package import Notifications
import Storage

/// An entry that a worker has leased, with the message to send.
package struct DeliveryClaim: Sendable {
    /// The content of the message.
    package enum Content: Sendable {
        /// A message to the user.
        case message(ChannelMessage)
        /// A verification request with this challenge.
        case challenge(String)
        /// Takes back the message with this id.
        case withdrawal(String)
    }

    let entry: OutboxEntry
    let channel: ChannelRow
    let target: ChannelTarget
    let content: Content
    /// The token of the lease.
    let token: String
    /// The attempt's number in the register.
    let attempt: Int

    /// Whether the message carries the user's unread count; verification requests, samples and e-mails to others do
    /// not.
    var countsUnread: Bool {
        channel.state == .active && ![.verification, .test, .withdrawal].contains(entry.type)
    }
}
