import Notifications
package import Storage
package import Stories

/// How many messages of invitations there may be: nobody's mailbox is filled by people they do not know.
package enum InvitationLimits: Sendable {
    /// What is done about one more message.
    package enum Allowance: Hashable, Sendable {
        /// It is sent.
        case sends
        /// The invitation holds, but its recipient has been sent enough by others: nothing of that shows the sender.
        case keepsQuiet
        /// The sender has sent enough; so many seconds later they may again.
        case refuses(seconds: Int)
    }

    /// The most e-mails to one address within a day, by one sender and by all.
    package static let mailsPerDay = 3
    /// The most e-mails of one sender within an hour.
    package static let mailsPerHour = 20
    /// The most notifications to one user within a day, by one sender and by all.
    package static let notices = (bySender: 3, byAll: 10)
    package static let (hour, day): (Int64, Int64) = (3_600_000, 86_400_000)

    /// What is done about a message, by when there were others within the last day or hour, the oldest first each.
    ///
    /// - Parameters:
    ///   - own: the sender's to the recipient, within a day.
    ///   - all: everybody's to the recipient, within a day.
    ///   - sent: the sender's to anybody, within an hour; counted for e-mail alone.
    ///   - isMail: whether it is an e-mail, which its recipient need not have asked for.
    ///   - now: the time.
    /// - Returns: what is done; a refusal says when the earliest of those that count is over.
    package static func allowance(
        own: [Timestamp],
        all: [Timestamp],
        sent: [Timestamp],
        isMail: Bool,
        at now: Timestamp
    ) -> Allowance {
        func wait(_ times: [Timestamp], _ most: Int, _ span: Int64) -> Int? {
            guard times.count >= most else { return nil }
            let free = times[times.count - most].milliseconds + span
            return max(1, Int((free - now.milliseconds + 999) / 1_000))
        }
        let waits = [
            isMail ? wait(own, mailsPerDay, day) : nil, isMail ? wait(sent, mailsPerHour, hour) : nil,
        ]
        if let seconds = waits.compactMap(\.self).max() { return .refuses(seconds: seconds) }
        // Who is invited by name finds the invitation in their list; they are not told of it again and again.
        if !isMail, own.count >= notices.bySender { return .keepsQuiet }
        return all.count >= (isMail ? mailsPerDay : notices.byAll) ? .keepsQuiet : .sends
    }

    /// One name for all spellings of a mailbox: without what stands behind a plus, and without dots before the at sign.
    package static func mailbox(_ address: String) -> String {
        let lower = address.lowercased()
        guard let at = lower.lastIndex(of: "@") else { return lower }
        return lower[..<at].prefix { $0 != "+" }.filter { $0 != "." } + lower[at...]
    }
}

extension InvitationService {
    /// Counts one more message to somebody invited and says what is done about it; one that is refused is not counted.
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
