public import Stories

/// What is told through a channel: words that respect the user's preview already, and the facts for programs.
///
/// Where the user is or was is no part of it and never leaves.
public struct ChannelMessage: Hashable, Sendable {
    /// The place of a notification.
    public struct Place: Hashable, Sendable {
        /// Its id on the map.
        public let id: String
        /// What it is called.
        public let name: String

        /// Creates a place.
        public init(id: String, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// One line of a digest.
    public struct Item: Hashable, Sendable {
        /// What it is about.
        public let title: String
        /// The sentence below it; may be empty.
        public let body: String
        /// Where it leads, or `nil`.
        public let link: String?

        /// Creates a line.
        public init(title: String, body: String, link: String? = nil) {
            self.title = title
            self.body = body
            self.link = link
        }
    }

    /// The id of the feed item, 1 to 64 characters of `A-Za-z0-9_-`; the same at every attempt and on every channel.
    public let id: String
    /// What sort it is, for instance `story.nearby` or `digest`; 1 to 64 characters of `a-z0-9._-`.
    public let type: String
    /// The headline.
    public private(set) var title: String
    /// The sentence below it; where it says nothing, a channel gets ``emptyBody``.
    public var body: String
    /// What happened, in the words of an e-mail's subject; `nil` takes the headline.
    public var subject: String?
    /// When it happened.
    public let occurredAt: Timestamp
    /// When it was noticed.
    public let detectedAt: Timestamp
    /// Where it leads: an absolute address, or `nil`.
    public var link: String?
    /// A short address that leads there too, for where ``link`` is too long; or `nil`.
    public var shortLink: String?
    /// The address by which an app opens it, in place of ``link``; or `nil`.
    ///
    /// Never set for e-mail and browsers.
    public var appLink: AppLink?
    /// How the place was reached, or `nil`.
    public var kind: FeedItem.Kind?
    /// The place, or `nil`.
    public var place: Place?
    /// How many stories of each kind; empty when it tells of none.
    public var counts: [StoryKind: Int] = [:]
    /// The stories, sorted.
    public var contentIDs: [StoryID] = []
    /// How sure the evaluator is, 0...1, or `nil`.
    public var confidence: Double?
    /// Whether it comes from a recorded or simulated trace.
    public var isSimulated = false
    /// After when it is of no use, or `nil`.
    public var expiresAt: Timestamp?
    /// Messages of one group replace each other on a screen; `nil` replaces nothing.
    public var group: String?
    /// The number of unread notifications, or `nil`.
    public var badge: Int?
    /// The lines of a digest; only e-mail shows them.
    public var items: [Item] = []
    /// Where e-mails of this type can be turned off without signing in, or `nil`.
    public var unsubscribeLink: String?

    /// Creates a message of words alone.
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

    /// The type of the stories near somebody.
    public static let nearbyType = "story.nearby"
    /// The type of a digest.
    public static let digestType = "digest"

    /// Whether it can wait: screens need not light up for it.
    var isQuiet: Bool { type == ChannelMessage.digestType }

    /// What stands for a body that says nothing, or that its reader's preview withholds.
    public static let emptyBody = "Open it to see more."

    /// The message with a headline and a sentence that can be read, whatever it was made of.
    ///
    /// Some receivers refuse a message without text (Gotify answers 400), others show a word of their own (ntfy says
    /// "triggered"), so no channel gets an empty one.
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
