/// What sort of thing a notification tells, as a word such as `story.nearby`.
public struct NoticeType: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The most bytes of a word.
    public static let length = 64

    /// Stories near which the user came.
    public static let nearby = NoticeType(known: "story.nearby")
    /// A story that a member of a family of theirs added.
    public static let newStory = NoticeType(known: "family.new_story")
    /// Somebody asks them into a family.
    public static let invitation = NoticeType(known: "family.invitation")
    /// What became of an invitation of theirs: accepted, declined or expired.
    public static let invitationAnswer = NoticeType(known: "family.invitation_answer")
    /// A family they were an owner of is gone.
    public static let familyDeleted = NoticeType(known: "family.deleted")
    /// What they sent in a batch was taken.
    public static let syncFinished = NoticeType(known: "sync.finished")
    /// What they sent in a batch could not be taken.
    public static let syncFailed = NoticeType(known: "sync.failed")
    /// A channel of theirs was switched off because nothing arrives.
    public static let channelDisabled = NoticeType(known: "channel.disabled")
    /// Those the service makes itself; a calling backend adds words of its own.
    public static let own = [
        nearby, newStory, invitation, invitationAnswer, familyDeleted, syncFinished, syncFailed, channelDisabled,
    ]

    /// What is left of one whose subject is no longer there for its user.
    public static let gone = NoticeType(known: "gone")
    /// Several notifications in one message; in no feed.
    public static let digest = NoticeType(known: "digest")
    /// Whether a channel is its user's; in no feed.
    public static let verification = NoticeType(known: "channel.verification")
    /// A sample, to see what becomes of it; in no feed.
    public static let test = NoticeType(known: "channel.test")
    /// The e-mail of an invitation, to somebody who need not be a user; in no feed.
    public static let invitationMail = NoticeType(known: "invitation.mail")

    /// Whether only the service itself makes such messages.
    public var isReserved: Bool {
        (NoticeType.own + [.gone, .digest, .verification, .test, .invitationMail]).contains(self)
    }

    /// Whether its user can switch it off: all that stands in the feed.
    public var isSwitched: Bool { !isReserved || NoticeType.own.contains(self) }

    /// The word: 1 to ``length`` characters of a-z, 0-9, `_`, `-` and `.`, beginning with a letter.
    public let rawValue: String

    /// Reads a word; `nil` for one that is none.
    public init?(rawValue: String) {
        let bytes = rawValue.utf8
        guard (1...NoticeType.length).contains(bytes.count), let first = bytes.first, (97...122).contains(first),
            bytes.allSatisfy({ (97...122).contains($0) || (48...57).contains($0) || [45, 46, 95].contains($0) })
        else { return nil }
        self.rawValue = rawValue
    }

    private init(known: String) { rawValue = known }

    /// The word.
    public var description: String { rawValue }

    /// By the bytes of the words.
    public static func < (a: NoticeType, b: NoticeType) -> Bool { a.rawValue < b.rawValue }
}
