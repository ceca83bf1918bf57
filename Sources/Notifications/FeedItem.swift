public import Geometry
public import Stories

/// One notification in the feed.
public struct FeedItem: Hashable, Sendable {
    /// How the user came across the place.
    public enum Kind: String, Hashable, Sendable {
        /// The user entered the fence.
        case entered
        /// The user crossed the fence between two fixes.
        case passed
    }

    /// One announced story.
    public struct Content: Hashable, Sendable {
        /// The story.
        public let id: StoryID
        /// Its id in the source it was imported from.
        public let sourceID: String?
        /// The further place at which it was announced; `nil` if it was announced at its own location.
        public let place: StoryID?

        /// Creates an announced story.
        public init(id: StoryID, sourceID: String?, place: StoryID? = nil) {
            self.id = id
            self.sourceID = sourceID
            self.place = place
        }
    }

    /// Stories near a place that the user reached.
    public struct Visit: Hashable, Sendable {
        /// How the user came across the place.
        public let kind: Kind
        /// The name of the place.
        public let placeName: String
        /// The position of the place.
        public let place: Coordinate
        /// The announced stories, sorted by id, at least one.
        public let content: [Content]
        /// The evaluator's confidence, 0...1.
        public let confidence: Double
        /// Whether it covers several places that were entered together and is named after the area around them.
        public let isArea: Bool
        /// The named place that gave the notification its name, or `nil`.
        public let namedPlace: NamedPlaceID?

        /// Creates a visit.
        public init(
            kind: Kind,
            placeName: String,
            place: Coordinate,
            content: [Content],
            confidence: Double,
            isArea: Bool = false,
            namedPlace: NamedPlaceID? = nil
        ) {
            self.kind = kind
            self.placeName = placeName
            self.place = place
            self.content = content
            self.confidence = confidence
            self.isArea = isArea
            self.namedPlace = namedPlace
        }
    }

    /// Stories that a family member added.
    public struct NewStories: Hashable, Sendable {
        /// The author.
        public let author: UserID
        /// The stories, sorted by id, at least one.
        public let content: [Content]

        /// Creates news of at least one story.
        public init(author: UserID, content: [Content]) {
            self.author = author
            self.content = content
        }
    }

    /// A message from a program: the service itself, or the backend that calls it.
    public struct Message: Hashable, Sendable {
        /// The notification type.
        public let type: NoticeType
        /// The link, or `nil`: an `http` or `https` URL, or a path of the service.
        public let link: String?
        /// Data for programs, such as the id of an invitation; always encoded in order of name.
        public let details: [String: String]
        /// The stories it concerns, sorted by id; usually none.
        public let content: [Content]

        /// Creates a message.
        public init(
            type: NoticeType,
            link: String? = nil,
            details: [String: String] = [:],
            content: [Content] = []
        ) {
            self.type = type
            self.link = link
            self.details = details
            self.content = content
        }

        /// Returns the message with only the stories for which `isLeft` returns true.
        public func keeping(_ isLeft: (StoryID) -> Bool) -> Message {
            Message(type: type, link: link, details: details, content: content.filter { isLeft($0.id) })
        }
    }

    /// The subject of a notification.
    public enum Subject: Hashable, Sendable {
        /// Stories near a place that the user reached.
        case nearby(Visit)
        /// A family that the user owned and another owner deleted.
        case familyDeleted
        /// Content that is no longer available to the user.
        case gone
        /// Stories that a member of one of the user's families added.
        case newStories(NewStories)
        /// Anything else.
        case message(Message)

        /// The type of the notification in the feed.
        public var type: NoticeType {
            switch self {
            case .nearby: .nearby
            case .familyDeleted: .familyDeleted
            case .newStories: .newStory
            case .message(let message): message.type
            case .gone: .gone
            }
        }

        /// Whether it reveals the user's current or past position.
        public var isLocation: Bool {
            if case .nearby = self { true } else { false }
        }
    }

    /// The notification's id, 32 hexadecimal digits; derived from content and reason, so repeating an announcement
    /// gives the same id.
    public let id: String
    /// The recipient.
    public let user: UserID
    /// The time of the deciding fix, or of the event.
    public let at: Timestamp
    /// The time it was created.
    public let createdAt: Timestamp
    /// The subject.
    public let subject: Subject
    /// The headline.
    public let title: String
    /// The text below the headline.
    public let body: String
    /// Whether it comes from a recorded or simulated trace.
    public let isSimulated: Bool
    /// When the user read it, or `nil`.
    public var readAt: Timestamp?
    /// When the user archived it, or `nil`.
    public var archivedAt: Timestamp?
    /// When the user opened its subject, or `nil`.
    public var openedAt: Timestamp?
    /// Its position in the log of the user's feed; 0 before it is stored.
    public var position: Int64

    /// Creates an item.
    public init(
        id: String,
        user: UserID,
        at: Timestamp,
        createdAt: Timestamp,
        subject: Subject,
        title: String,
        body: String,
        isSimulated: Bool = false,
        readAt: Timestamp? = nil,
        archivedAt: Timestamp? = nil,
        openedAt: Timestamp? = nil,
        position: Int64 = 0
    ) {
        self.id = id
        self.user = user
        self.at = at
        self.createdAt = createdAt
        self.subject = subject
        self.title = title
        self.body = body
        self.isSimulated = isSimulated
        self.readAt = readAt
        self.archivedAt = archivedAt
        self.openedAt = openedAt
        self.position = position
    }

    /// Returns the notification with another subject, title and body; everything else is unchanged.
    public func reworded(_ subject: Subject, title: String, body: String) -> FeedItem {
        FeedItem(
            id: id,
            user: user,
            at: at,
            createdAt: createdAt,
            subject: subject,
            title: title,
            body: body,
            isSimulated: isSimulated,
            readAt: readAt,
            archivedAt: archivedAt,
            openedAt: openedAt,
            position: position
        )
    }

    /// The notification without any content, for a user to whom none of the content is available any more.
    public var tombstone: FeedItem {
        reworded(
            .gone,
            title: "No longer available",
            body: "The content of this notification is no longer available to you."
        )
    }

    /// Whether its subject is a ``Message``, sent by the service itself or by a backend.
    public var isMessage: Bool {
        if case .message = subject { true } else { false }
    }

    /// The visit behind the notification; `nil` for other subjects.
    public var visit: Visit? {
        guard case .nearby(let visit) = subject else { return nil }
        return visit
    }

    /// The stories it concerns, sorted by id; empty if its subject has no stories.
    public var content: [Content] {
        switch subject {
        case .nearby(let visit): visit.content
        case .newStories(let news): news.content
        case .message(let message): message.content
        case .familyDeleted, .gone: []
        }
    }
}
