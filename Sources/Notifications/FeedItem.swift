public import Geometry
public import Stories

/// One notification as the feed keeps it.
public struct FeedItem: Hashable, Sendable {
    /// How the user came upon the place.
    public enum Kind: String, Hashable, Sendable {
        /// The user entered the fence.
        case entered
        /// The user went through the fence between two fixes.
        case passed
    }

    /// One announced story.
    public struct Content: Hashable, Sendable {
        /// The story.
        public let id: StoryID
        /// Its id in the source it was imported from.
        public let sourceID: String?

        /// Creates an announced story.
        public init(id: StoryID, sourceID: String?) {
            self.id = id
            self.sourceID = sourceID
        }
    }

    /// Stories near which the user came.
    public struct Visit: Hashable, Sendable {
        /// How the user came upon the place.
        public let kind: Kind
        /// What the place is called.
        public let placeName: String
        /// Where the place is.
        public let place: Coordinate
        /// The announced stories, sorted by id, at least one.
        public let content: [Content]
        /// How sure the evaluator is, 0...1.
        public let confidence: Double
        /// Whether it tells of several places that were entered together: what it names is the area around them.
        public let isArea: Bool
        /// The named place under whose name it was told, or `nil`.
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

    /// Stories that somebody of a family added.
    public struct NewStories: Hashable, Sendable {
        /// Who added them.
        public let author: UserID
        /// The stories, sorted by id, at least one.
        public let content: [Content]

        /// Creates news of at least one story.
        public init(author: UserID, content: [Content]) {
            self.author = author
            self.content = content
        }
    }

    /// What a program tells: the service itself, or the backend that calls it.
    public struct Message: Hashable, Sendable {
        /// What sort of thing it is.
        public let type: NoticeType
        /// Where it leads, `nil` for nowhere: an `http` or `https` address, or a path of the service's own.
        public let link: String?
        /// What a program may want to know of it, such as the id of an invitation; sorted by name when it is written.
        public let details: [String: String]
        /// The stories it is about, sorted by id; mostly none.
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

        /// The message about those of its stories that `isLeft` says are there.
        public func keeping(_ isLeft: (StoryID) -> Bool) -> Message {
            Message(type: type, link: link, details: details, content: content.filter { isLeft($0.id) })
        }
    }

    /// What a notification tells of.
    public enum Subject: Hashable, Sendable {
        /// Stories near which the user came.
        case nearby(Visit)
        /// A family that the user was an owner of and that another owner deleted.
        case familyDeleted
        /// Something that is no longer there for the user.
        case gone
        /// Stories that somebody of a family of theirs added.
        case newStories(NewStories)
        /// Anything else.
        case message(Message)

        /// The word for it in the feed.
        public var type: NoticeType {
            switch self {
            case .nearby: .nearby
            case .familyDeleted: .familyDeleted
            case .newStories: .newStory
            case .message(let message): message.type
            case .gone: .gone
            }
        }

        /// Whether it tells where the user is, or was.
        public var isLocation: Bool {
            if case .nearby = self { true } else { false }
        }
    }

    /// The notification's identity, 32 hexadecimal digits: the same content told for the same reason has the same id.
    public let id: String
    /// Who is told.
    public let user: UserID
    /// The time of the fix at which the decision fell, or of the event.
    public let at: Timestamp
    /// When it was written.
    public let createdAt: Timestamp
    /// What it tells of.
    public let subject: Subject
    /// The headline.
    public let title: String
    /// The sentence below it.
    public let body: String
    /// Whether it comes from a recorded or simulated trace.
    public let isSimulated: Bool
    /// When the user read it, or `nil`.
    public var readAt: Timestamp?
    /// When the user put it away, or `nil`.
    public var archivedAt: Timestamp?
    /// When the user opened what it tells of, or `nil`.
    public var openedAt: Timestamp?
    /// Where it stands in the log of the user's feed; 0 before it is stored.
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

    /// The same notification in other words.
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

    /// What is left of a notification when nothing that it told of is there for the user any more: it names nothing.
    public var tombstone: FeedItem {
        reworded(.gone, title: "No longer available", body: "What this told of is no longer there for you.")
    }

    /// Whether a program tells it: the service itself, or a backend.
    public var isMessage: Bool {
        if case .message = subject { true } else { false }
    }

    /// Stories near which the user came; `nil` in an item that tells of something else.
    public var visit: Visit? {
        guard case .nearby(let visit) = subject else { return nil }
        return visit
    }

    /// The stories it tells of, sorted by id; none in an item that tells of something else.
    public var content: [Content] {
        switch subject {
        case .nearby(let visit): visit.content
        case .newStories(let news): news.content
        case .message(let message): message.content
        case .familyDeleted, .gone: []
        }
    }
}
