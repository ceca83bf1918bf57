public import Notifications
public import Stories

/// Where the links of notifications lead that leave through one channel.
struct DeliveryLinks: Sendable {
    /// Where people reach the service, without a slash at the end.
    let address: String
    /// How their app wants its links; `nil` where the channel, its user or the operator has none.
    let template: LinkTemplate?

    init(address: String, template: LinkTemplate? = nil) {
        self.address = address
        self.template = template
    }

    /// The links of a user's channel: to an app of theirs only where one opens them, and only while the operator allows
    /// its scheme.
    ///
    /// Programs for mail leave other schemes out, and a browser's worker opens pages alone.
    init(desk: DeliveryDesk, kind: ChannelKind, template: LinkTemplate?) {
        let isForApps = kind != .email && kind != .webPush
        self.init(
            address: desk.address,
            template: template.flatMap { isForApps && desk.linkSchemes.contains($0.scheme) ? $0 : nil }
        )
    }

    /// The page by itself.
    var home: String { address + "/" }

    /// The page at a notification: it opens what the notification is about, for its signed-in reader.
    ///
    /// Neither a place nor a story stands in the address.
    func notice(_ id: String) -> String { "\(address)/#notice=\(id)" }

    /// Where a notification leads, as an address that works anywhere: a backend's own link, else the page.
    func page(of item: FeedItem) -> String {
        // One from before links were encoded is encoded here.
        guard case .message(let message) = item.subject, let link = message.link.flatMap(LinkText.normalised) else {
            return notice(item.id)
        }
        return link.hasPrefix("/") ? address + link : link
    }

    /// The link to the user's app; `nil` where there is none, or a backend gave a link of its own.
    ///
    /// Unless it `namesSubject` it says only that there is a notification.
    func app(of item: FeedItem, namesSubject: Bool = true) -> AppLink? {
        if namesSubject, case .message(let message) = item.subject, message.link != nil, message.type != .test {
            return nil
        }
        let target = namesSubject ? item.target : .notification
        return template?.link(to: target, of: item.id, type: item.subject.type)
    }
}

/// What `waymark notify test` sends: the sample that a channel of somebody's is sent, at a preview.
public enum SampleMessage: Sendable {
    /// Makes a sample that tells nothing of anybody.
    ///
    /// - Parameters:
    ///   - id: its id on the wire.
    ///   - time: when it is made.
    ///   - preview: how much of a backend's message may be shown; `count` is what users begin with.
    /// - Returns: the message, without a link: there need not be a service.
    public static func make(
        _ id: String,
        at time: Timestamp,
        preview: NotificationSettings.Preview
    ) -> ChannelMessage {
        let links = DeliveryLinks(address: "")
        var message = DeliveryWords.sample(id, of: UserID.archive, at: time, preview: preview, links: links)
        (message.link, message.shortLink) = (nil, nil)
        return message
    }
}
