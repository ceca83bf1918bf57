public import Notifications
public import Stories

/// Makes the links in the notifications that are sent through one channel.
struct DeliveryLinks: Sendable {
    /// The base URL of the service, without a slash at the end.
    let address: String
    /// The template of links to the user's app; `nil` if the channel, its user or the operator allows none.
    let template: LinkTemplate?

    /// Creates the links of a service at `address`.
    init(address: String, template: LinkTemplate? = nil) {
        self.address = address
        self.template = template
    }

    /// Creates the links of a user's channel: to the user's app only if the channel can open them and the operator
    /// allows the scheme.
    ///
    /// Mail programs remove links with the schemes of apps, and a browser's service worker opens only web pages.
    init(egress: Egress, kind: ChannelKind, template: LinkTemplate?) {
        let isForApps = kind != .email && kind != .webPush
        self.init(
            address: egress.address,
            template: template.flatMap { isForApps && egress.linkSchemes.contains($0.scheme) ? $0 : nil }
        )
    }

    /// The URL of the page.
    var home: String { address + "/" }

    /// Returns the URL at which the page shows a notification to its signed-in reader.
    ///
    /// The URL names neither a place nor a story.
    func notice(_ id: String) -> String { "\(address)/#notice=\(id)" }

    /// Returns a notification's web URL, which needs no app: the link that a backend gave, else the page.
    func page(of item: FeedItem) -> String {
        // Encodes links that were stored before the service encoded them.
        guard case .message(let message) = item.subject, let link = message.link.flatMap(LinkText.normalised) else {
            return notice(item.id)
        }
        return link.hasPrefix("/") ? address + link : link
    }

    /// Returns the link to the user's app; `nil` if the user has no app, or if a backend gave its own link.
    ///
    /// Without `namesSubject`, the link reveals only that there is a notification.
    func app(of item: FeedItem, namesSubject: Bool = true) -> AppLink? {
        if namesSubject, case .message(let message) = item.subject, message.link != nil, message.type != .test {
            return nil
        }
        let target = namesSubject ? item.target : .notification
        return template?.link(to: target, of: item.id, type: item.subject.type)
    }
}

/// The message that `waymark notify test` sends: the same sample that users get for their channels.
public enum SampleMessage: Sendable {
    /// Creates a sample that contains no personal data.
    ///
    /// - Parameters:
    ///   - id: the id on the wire.
    ///   - time: the time of creation.
    ///   - preview: how much of a backend's message may be shown; the default setting of users is `count`.
    /// - Returns: The message, without links, because the service need not be running.
    public static func make(
        _ id: String,
        at time: Timestamp,
        preview: NotificationSettings.Preview
    ) -> ChannelMessage {
        let links = DeliveryLinks(address: "")
        var message = MessageText.sample(id, of: UserID.archive, at: time, preview: preview, links: links)
        (message.link, message.shortLink) = (nil, nil)
        return message
    }
}
