import Notifications
package import Storage
package import Stories

/// Limits on the messages of invitations, so that strangers cannot fill anybody's mailbox.
package enum InvitationLimits: Sendable {
    /// The decision about one more message.
    package enum Allowance: Hashable, Sendable {
        /// It is sent.
        case sends
        /// The invitation is valid, but its recipient is not notified, because a limit on messages to the recipient is
        /// reached; the sender cannot see that.
        case keepsQuiet
        /// The sender has reached a limit, and may send again after this many seconds.
        case refuses(seconds: Int)
    }

    /// The maximum number of e-mails to one address within a day, from a single sender and from all senders together.
    package static let mailsPerDay = 3
    /// The maximum number of e-mails from one sender within an hour.
    package static let mailsPerHour = 20
    /// The maximum number of notifications to one user within a day, from a single sender and from all together.
    package static let notices = (bySender: 3, byAll: 10)
    package static let (hour, day): (Int64, Int64) = (3_600_000, 86_400_000)

    /// Decides about a message by the times of earlier ones, each list in ascending order.
    ///
    /// - Parameters:
    ///   - own: the times of the sender's messages to the recipient, within a day.
    ///   - all: the times of all messages to the recipient, within a day.
    ///   - sent: the times of the sender's messages to any recipient, within an hour; used only for e-mails.
    ///   - isMail: whether it is an e-mail, which its recipient need not have asked for.
    ///   - now: the current time.
    /// - Returns: The decision; a rejection contains the number of seconds until all limits allow another message.
    package static func allowance(
        own: [Timestamp],
        all: [Timestamp],
        sent: [Timestamp],
        isMail: Bool,
        at now: Timestamp
    ) -> Allowance {
        func wait(_ times: [Timestamp], _ most: Int, _ span: Int64) -> Int? {
            guard times.count >= most else { return nil }
            let free = times[times.count - most].advanced(byMilliseconds: span).milliseconds
            return max(1, Int((free - now.milliseconds + 999) / 1_000))
        }
        let waits = [
            isMail ? wait(own, mailsPerDay, day) : nil, isMail ? wait(sent, mailsPerHour, hour) : nil,
        ]
        if let seconds = waits.compactMap(\.self).max() { return .refuses(seconds: seconds) }
        // A user who is invited by name finds the invitation in their list, so they are not notified again and again.
        if !isMail, own.count >= notices.bySender { return .keepsQuiet }
        return all.count >= (isMail ? mailsPerDay : notices.byAll) ? .keepsQuiet : .sends
    }

    /// Returns one name for all spellings of a mailbox: without the part after a plus, and without dots before the at
    /// sign.
    package static func mailbox(_ address: String) -> String {
        let lower = address.lowercased()
        guard let at = lower.lastIndex(of: "@") else { return lower }
        return lower[..<at].prefix { $0 != "+" }.filter { $0 != "." } + lower[at...]
    }
}

extension InvitationService {
    /// Counts one more message to an invitee and returns the decision about it.
    ///
    /// A rejected message is not counted. While the operator has not set up e-mail, invitations by e-mail are not
    /// counted either and always get `sends`, because nothing will be sent.
    package func allowance(
        of invitee: Invitation.Invitee,
        by sender: UserID,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> InvitationLimits.Allowance {
        let (recipient, isMail): (String, Bool)
        switch invitee {
        case .user(let user): (recipient, isMail) = ("user|\(user)", false)
        case .email(let address):
            guard egress.writer.credentials.allow(.email) else { return .sends }
            (recipient, isMail) = ("mail|" + InvitationLimits.mailbox(address), true)
        }
        let name = feed.messageID(of: "waymark invited 1|" + recipient)
        let by = feed.messageID(of: "waymark inviter 1|\(isMail)|\(sender)")
        let yesterday = now.advanced(byMilliseconds: -InvitationLimits.day)
        let hourAgo = now.advanced(byMilliseconds: -InvitationLimits.hour)
        let all = try transaction.invitationMessages(to: name, since: yesterday)
        let allowance = InvitationLimits.allowance(
            own: all.filter { $0.sender == by }.map(\.at),
            all: all.map(\.at),
            sent: try transaction.invitationMessages(from: by, since: hourAgo),
            isMail: isMail,
            at: now
        )
        if case .refuses = allowance { return allowance }
        try transaction.noteInvitationMessage(to: name, from: by, at: now, forgettingBefore: yesterday)
        return allowance
    }
}
