package import Notifications
import Storage
package import Stories

/// A notification that a backend sends to its users.
package struct BackendMessage: Sendable {
    /// The recipients, sorted, without duplicates.
    package let users: [UserID]
    package let subject: FeedItem.Message
    package let title: String
    package let body: String
    /// The sending service, see ``Principal/serviceName``.
    package let service: String
    /// The key by which the backend identifies the message; `nil` if repetitions need not be recognised.
    package let key: String?

    /// Creates a value from its parts.
    package init(
        users: [UserID],
        subject: FeedItem.Message,
        title: String,
        body: String,
        service: String,
        key: String?
    ) {
        self.users = users
        self.subject = subject
        self.title = title
        self.body = body
        self.service = service
        self.key = key
    }
}

/// The outcome of a backend's message, by user.
package struct MessageReport: Sendable {
    package var told: [(user: UserID, id: String)] = []
    package var toldBefore: [UserID] = []
    package var switchedOff: [UserID] = []
    package var unknown: [UserID] = []
}

extension FeedService {
    /// Sends a backend's message to its users, at most once per user and key.
    package func send(_ message: BackendMessage) async throws -> MessageReport {
        let now = context.now()
        let key = message.key ?? context.random.bytes(16).hexDigits
        var report = MessageReport()
        for start in stride(from: 0, to: message.users.count, by: 50) {
            let part = Array(message.users[start..<min(start + 50, message.users.count)])
            let told = try await context.store.write { [self] transaction in
                var report = MessageReport()
                for user in part { try send(message, key: key, to: user, at: now, report: &report, in: transaction) }
                return report
            }
            report.told += told.told
            report.toldBefore += told.toldBefore
            report.switchedOff += told.switchedOff
            report.unknown += told.unknown
        }
        return report
    }

    private func send(
        _ message: BackendMessage,
        key: String,
        to user: UserID,
        at now: Timestamp,
        report: inout MessageReport,
        in transaction: StoreTransaction
    ) throws {
        guard try transaction.user(user) != nil else { return report.unknown.append(user) }
        // The length of the service name keeps one backend from imitating the ids of another.
        let name = "waymark message 2|\(message.subject.type)|\(user)|\(message.service.utf8.count)|"
        // The name used before keys were separate for each backend; a message sent under it is not sent again.
        let oldName = "waymark message 1|\(message.subject.type)|\(user)|\(key)"
        let item = FeedItem(
            id: messageID(of: name + "\(message.service)|\(key)"),
            user: user,
            at: now,
            createdAt: now,
            subject: .message(message.subject),
            title: message.title,
            body: message.body
        )
        if try transaction.notice(item.id, of: user) != nil
            || transaction.notice(messageID(of: oldName), of: user) != nil
        {
            report.toldBefore.append(user)
        } else if try announce(item, in: transaction) {
            report.told.append((user, item.id))
        } else {
            report.switchedOff.append(user)
        }
    }
}
