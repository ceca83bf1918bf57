/// The type of a notification, as an identifier such as `story.nearby`.
public struct NoticeType: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The maximum length, in bytes.
    public static let length = 64

    /// Stories near a place that the user reached.
    public static let nearby = NoticeType(known: "story.nearby")
    /// A story that a member of one of the user's families added.
    public static let newStory = NoticeType(known: "family.new_story")
    /// An invitation for the user to join a family.
    public static let invitation = NoticeType(known: "family.invitation")
    /// The outcome of an invitation the user sent: accepted, declined or expired.
    public static let invitationAnswer = NoticeType(known: "family.invitation_answer")
    /// A family that the user owned was deleted.
    public static let familyDeleted = NoticeType(known: "family.deleted")
    /// A batch that the user sent was imported.
    public static let syncFinished = NoticeType(known: "sync.finished")
    /// A batch that the user sent could not be imported.
    public static let syncFailed = NoticeType(known: "sync.failed")
    /// One of the user's channels was disabled because deliveries keep failing.
    public static let channelDisabled = NoticeType(known: "channel.disabled")
    /// The types that the service itself creates; a calling backend adds its own.
    public static let own = [
        nearby, newStory, invitation, invitationAnswer, familyDeleted, syncFinished, syncFailed, channelDisabled,
    ]

    /// A notification whose subject is no longer available to its user.
    public static let gone = NoticeType(known: "gone")
    /// Several notifications in one message; never in a feed.
    public static let digest = NoticeType(known: "digest")
    /// A check that a channel belongs to its user; never in a feed.
    public static let verification = NoticeType(known: "channel.verification")
    /// A test message; never in a feed.
    public static let test = NoticeType(known: "channel.test")
    /// The e-mail of an invitation, possibly to someone who is not a user; never in a feed.
    public static let invitationMail = NoticeType(known: "invitation.mail")
    /// The e-mail with the links by which a user signs in; never in a feed.
    public static let signInMail = NoticeType(known: "sign-in.mail")

    /// Takes a message back from where it was shown; never in a feed.
    public static let withdrawal = NoticeType(known: "notification.withdrawn")

    /// Whether only the service itself may create messages of this type.
    public var isReserved: Bool {
        (NoticeType.own + [.gone, .digest, .verification, .test, .invitationMail, .signInMail, .withdrawal])
            .contains(self)
    }

    /// Whether the user can switch it off: true for every type in the feed.
    public var isSwitched: Bool { !isReserved || NoticeType.own.contains(self) }

    /// The identifier: 1 to ``length`` characters of a-z, 0-9, `_`, `-` and `.`, beginning with a letter.
    public let rawValue: String

    /// Parses an identifier; `nil` if it is invalid.
    public init?(rawValue: String) {
        let bytes = rawValue.utf8
        guard (1...NoticeType.length).contains(bytes.count), let first = bytes.first, (97...122).contains(first),
            bytes.allSatisfy({ (97...122).contains($0) || (48...57).contains($0) || [45, 46, 95].contains($0) })
        else { return nil }
        self.rawValue = rawValue
    }

    private init(known: String) { rawValue = known }

    /// The identifier.
    public var description: String { rawValue }

    /// Compares by bytes.
    public static func < (a: NoticeType, b: NoticeType) -> Bool { a.rawValue < b.rawValue }
}
