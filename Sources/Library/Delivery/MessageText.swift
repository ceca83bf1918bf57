import Geometry
import Notifications
import Stories

/// The texts of notifications as channels carry them.
enum MessageText: Sendable {
    /// Removes the body of a backend's message, or of a sample, unless the user's preview setting shows everything.
    ///
    /// The service does not know the meaning of the body: a user who wants stories counted, not named, gets no other
    /// texts either.
    static func brief(_ item: FeedItem, preview: NotificationSettings.Preview) -> FeedItem {
        guard preview != .full, case .message(let message) = item.subject,
            !message.type.isReserved || message.type == .test
        else { return item }
        return item.reworded(item.subject, title: item.title, body: "")
    }

    /// Returns one notification as a channel carries it.
    static func message(
        of item: FeedItem,
        preview: NotificationSettings.Preview,
        links: DeliveryLinks
    ) -> ChannelMessage {
        var message = ChannelMessage(
            id: item.id,
            type: item.subject.type.rawValue,
            title: preview == .none ? "Waymark" : item.title,
            body: preview == .none ? "You have a new notification" : item.body,
            occurredAt: item.at,
            detectedAt: item.createdAt
        )
        message.isSimulated = item.isSimulated
        // The short link names the notification, and nothing of its content.
        message.shortLink = links.notice(item.id)
        message.link = preview == .none ? message.shortLink : links.page(of: item)
        message.appLink = links.app(of: item, namesSubject: preview != .none)
        guard preview != .none else { return message }
        message.subject = MailSubject.words(for: item, preview: preview)
        message.contentIDs = item.content.map(\.id)
        if let visit = item.visit {
            let id = PlaceID(visit.place).description
            message.kind = visit.kind
            message.place = .init(id: id, name: visit.placeName)
            message.confidence = visit.confidence
            message.group = "place \(id)"
        }
        return message
    }

    /// Returns a sample, made the same way as a backend's message.
    static func sample(
        _ id: String,
        of user: UserID,
        at time: Timestamp,
        preview: NotificationSettings.Preview,
        links: DeliveryLinks
    ) -> ChannelMessage {
        let item = FeedItem(
            id: id,
            user: user,
            at: time,
            createdAt: time,
            subject: .message(.init(type: .test, link: "/")),
            title: "A test from Waymark",
            body: "This is a test. Notifications will arrive here."
        )
        return message(of: brief(item, preview: preview), preview: preview, links: links)
    }
}
