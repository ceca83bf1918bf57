public import Stories

/// The content of a notification for a channel: text that already respects the user's preview setting, and data for
/// programs.
///
/// It never contains the user's position.
public struct ChannelMessage: Hashable, Sendable {
    /// The place of a notification.
    public struct Place: Hashable, Sendable {
        /// Its id on the map.
        public let id: String
        /// The name of the place.
        public let name: String

        /// Creates a place.
        public init(id: String, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// One line of a digest.
    public struct Item: Hashable, Sendable {
        /// The headline.
        public let title: String
        /// The text below the headline; may be empty.
        public let body: String
        /// The link, or `nil`.
        public let link: String?

        /// Creates a line.
        public init(title: String, body: String, link: String? = nil) {
            self.title = title
            self.body = body
            self.link = link
        }
    }

    /// The id of the feed item, 1 to 64 characters of `A-Za-z0-9_-`; the same for every attempt and channel.
    public let id: String
    /// The notification type, such as `story.nearby` or `digest`; 1 to 64 characters of `a-z0-9._-`.
    public let type: String
    /// The headline.
    public private(set) var title: String
    /// The text below the headline; if it has no visible text, channels get ``emptyBody``.
    public var body: String
    /// The subject for e-mail, describing the event; `nil` uses the headline.
    public var subject: String?
    /// The time of the event.
    public let occurredAt: Timestamp
    /// The time the event was detected.
    public let detectedAt: Timestamp
    /// The absolute URL of the notification, or `nil`.
    public var link: String?
    /// A short URL with the same target, used where ``link`` is too long; or `nil`.
    public var shortLink: String?
    /// The URL by which an app opens the notification, used instead of ``link``; or `nil`.
    ///
    /// Never set for e-mail and browsers.
    public var appLink: AppLink?
    /// How the place was reached, or `nil`.
    public var kind: FeedItem.Kind?
    /// The place, or `nil`.
    public var place: Place?
    /// The number of stories of each kind; empty if the message is not about stories.
    public var counts: [StoryKind: Int] = [:]
    /// The ids of the stories, sorted.
    public var contentIDs: [StoryID] = []
    /// The evaluator's confidence, 0...1, or `nil`.
    public var confidence: Double?
    /// Whether it comes from a recorded or simulated trace.
    public var isSimulated = false
    /// The time after which the message is useless, or `nil`.
    public var expiresAt: Timestamp?
    /// The group whose messages replace each other on screen; `nil` for none.
    public var group: String?
    /// The number of unread notifications, or `nil`.
    public var badge: Int?
    /// The lines of a digest, shown only in e-mail.
    public var items: [Item] = []
    /// The stories of which an e-mail shows a small map; empty for none.
    public var mapped: [StoryID] = []
    /// The small map in an e-mail, or `nil`.
    public var picture: InlinePicture?
    /// The URL that turns off e-mails of this type without signing in, or `nil`.
    public var unsubscribeLink: String?

    /// Creates a text-only message.
    public init(
        id: String,
        type: String,
        title: String,
        body: String,
        occurredAt: Timestamp,
        detectedAt: Timestamp? = nil
    ) {
        self.id = id
        self.type = type
        self.title = title
        self.body = body
        self.occurredAt = occurredAt
        self.detectedAt = detectedAt ?? occurredAt
    }

    /// The type of notifications about nearby stories.
    public static let nearbyType = "story.nearby"
    /// The type of a digest.
    public static let digestType = "digest"

    /// Whether devices may show it without a sound and without lighting up the screen.
    var isQuiet: Bool { type == ChannelMessage.digestType }

    /// The replacement for a body that is empty or withheld by the recipient's preview setting.
    public static let emptyBody = "Open it to see more."

    /// The message in which a headline or body without visible text is replaced by a standard one.
    ///
    /// Some receivers reject a message without text (Gotify answers 400), others show a text of their own instead (ntfy
    /// shows "triggered"), so no channel gets an empty headline or body.
    var readable: ChannelMessage {
        func isReadable(_ text: String) -> Bool { PlainText.isVisible(PlainText.lines(text)) }
        guard !isReadable(title) || !isReadable(body) else { return self }
        var message = self
        if !isReadable(title) { message.title = "Waymark" }
        if !isReadable(body) { message.body = ChannelMessage.emptyBody }
        return message
    }
}

extension Timestamp {
    /// Whole seconds since 1970, rounded down.
    var seconds: Int64 {
        let quotient = milliseconds / 1000
        return milliseconds % 1000 < 0 ? quotient - 1 : quotient
    }
}
