/// Any content with a kind: an interview, a photograph, a document, a sighting.
public struct Story: Hashable, Sendable {
    /// The story's identity.
    public let id: StoryID
    /// The id the client gave it, unique per owner, or `nil`.
    public var clientID: String?
    /// What sort of content it is.
    public var kind: StoryKind
    /// Its title, 1–``StoryLimits/titleLength`` characters.
    public var title: String
    /// Its text, at most ``StoryLimits/textLength`` characters, or `nil`.
    public var text: String?
    /// When it happened, or `nil` when that is unknown.
    public var date: StoryDate?
    /// Its topics, without repeats.
    public var tags: [String]
    /// The persons it is about, without repeats.
    public var people: [String]
    /// Further places it mentions; they have no marker of their own.
    public var mentions: [String]
    /// The collection (trip) it belongs to.
    public var collection: String?
    /// Where the recording, picture or document is.
    public var mediaURL: String?
    /// Where a small picture of it is.
    public var thumbnailURL: String?
    /// What the picture shows, for those who do not see it.
    public var alt: String?
    /// The SHA-256 of the recording or picture as 64 lowercase hexadecimal digits, told to its owner alone, or `nil`.
    public var mediaChecksum: String?
    /// Whose story it is.
    public let owner: UserID
    /// Who may see it.
    public var privacy: Privacy
    /// For family-only stories: the one family that may see it; `nil` means all the owner's families.
    public var family: FamilyID?
    /// Whether a service made it private for the time being (PRV-05).
    public var autoPrivate: Bool
    /// Whether an operator withholds it from everyone but its owner, because of a report (PRV-06).
    public var isWithheld: Bool
    /// Where it happened, or `nil`.
    public var location: StoryLocation?
    /// What is kept of a location that is not there: see ``settleLocation(replacing:)``; the owner's business alone.
    public var absentLocation: AbsentLocation?
    /// Which import it came from, or `nil`.
    public var source: String?
    /// Its id in that source.
    public var sourceID: String?
    /// When it was created.
    public let createdAt: Timestamp
    /// When it was last changed.
    public var updatedAt: Timestamp
    /// When what others than the owner get of it last changed; see ``touch(at:replacing:)``.
    public var shownUpdatedAt: Timestamp

    /// Creates a story with nothing but what every story has.
    public init(id: StoryID, kind: StoryKind, title: String, owner: UserID, createdAt: Timestamp) {
        self.id = id
        self.kind = kind
        self.title = title
        self.owner = owner
        self.createdAt = createdAt
        self.updatedAt = createdAt
        self.shownUpdatedAt = createdAt
        self.tags = []
        self.people = []
        self.mentions = []
        self.privacy = .public
        self.autoPrivate = false
        self.isWithheld = false
    }

    /// Stamps a change: later than `old` whatever the clock says, and for others only if they get anything else now.
    ///
    /// A point moved within its published cell, or hidden altogether, is nobody's business but the owner's.
    public mutating func touch(at now: Timestamp, replacing old: Story) {
        // From the times that are shown alone: another would tell of changes that are not.
        let next = max(now, Timestamp(milliseconds: old.shownUpdatedAt.milliseconds + 1))
        shownUpdatedAt = shown == old.shown ? old.shownUpdatedAt : next
        updatedAt = max(now, Timestamp(milliseconds: old.updatedAt.milliseconds + 1), shownUpdatedAt)
    }

    /// What somebody gets of a story, and how exactly they get its times.
    private struct Face: Hashable {
        var story: Story
        var times: TimePrecision
    }

    /// The story as somebody gets it who is neither owner nor trusted family, without its times.
    private var shown: Face {
        var shown = self
        shown.date = times(publishedTimePrecision).date
        shown.location = location(for: .anonymous)
        shown.absentLocation = nil
        shown.updatedAt = createdAt
        shown.shownUpdatedAt = createdAt
        shown.clientID = nil
        shown.mediaChecksum = nil
        shown.autoPrivate = false
        shown.isWithheld = false
        shown.privacy = effectivePrivacy
        // Which family a public story names is known to that family alone.
        if effectivePrivacy == .public { shown.family = nil }
        return Face(story: shown, times: publishedTimePrecision)
    }

    /// The story as family gets it who are trusted with the exact point, if it is trusted to any, without its times.
    private var trusted: Face {
        var trusted = shown
        trusted.times = trustedTimePrecision
        trusted.story.date = times(trusted.times).date
        trusted.story.family = family
        if let location, location.familySeesExact { trusted.story.location = location.shown(location.floor) }
        return trusted
    }

    /// The widest circle whose members get something else of the story than they got of `old`, its times apart.
    public func change(from old: Story) -> StoryChange {
        if shown != old.shown { return .everybody }
        if trusted != old.trusted { return .trusted }
        var undated = self
        (undated.updatedAt, undated.shownUpdatedAt) = (old.updatedAt, old.shownUpdatedAt)
        return undated == old ? .nobody : .owner
    }

    /// The level that takes effect: private while a service holds it so or an operator withholds it.
    public var effectivePrivacy: Privacy { autoPrivate || isWithheld ? .private : privacy }
}

/// Who gets something else of a story after a change; everybody stands for all who may see it.
public enum StoryChange: Int, Comparable, Sendable {
    /// Nobody: nothing changed but times.
    case nobody
    /// Its owner alone.
    case owner
    /// Its owner, and family trusted with its exact point.
    case trusted
    /// All who may see it.
    case everybody

    /// Orders changes by the width of the circle.
    public static func < (a: StoryChange, b: StoryChange) -> Bool { a.rawValue < b.rawValue }
}
