/// Any content with a kind: an interview, a photograph, a document, a sighting.
public struct Story: Hashable, Sendable {
    /// The story's id.
    public let id: StoryID
    /// The id assigned by the client, unique per owner, or `nil`.
    public var clientID: String?
    /// The kind of content.
    public var kind: StoryKind
    /// The title, 1–``StoryLimits/titleLength`` characters.
    public var title: String
    /// The text, at most ``StoryLimits/textLength`` characters, or `nil`.
    public var text: String?
    /// The date of the story, or `nil` if unknown.
    public var date: StoryDate?
    /// The topics, without duplicates.
    public var tags: [String]
    /// The persons it is about, without duplicates.
    public var people: [String]
    /// Other places it mentions, which have no marker of their own.
    public var mentions: [String]
    /// The collection (trip) that contains it.
    public var collection: String?
    /// The URL of the recording, picture or document.
    public var mediaURL: String?
    /// The URL of a small picture.
    public var thumbnailURL: String?
    /// The small picture that is stored with the story, or `nil`.
    public var picture: StoryPicture?
    /// A description of the picture, for those who cannot see it.
    public var alt: String?
    /// The SHA-256 of the recording or picture as 64 lower-case hexadecimal digits, shown only to its owner, or `nil`.
    public var mediaChecksum: String?
    /// The owner.
    public let owner: UserID
    /// The audience chosen by the owner.
    public var privacy: Privacy
    /// For family-only stories: the only family that may see it; `nil` means all the owner's families.
    public var family: FamilyID?
    /// Whether a service made it private temporarily (PRV-05).
    public var autoPrivate: Bool
    /// Whether an operator withholds it from everyone but its owner, because of a report (PRV-06).
    public var isWithheld: Bool
    /// The location, or `nil`.
    public var location: StoryLocation?
    /// The places besides the location, each with a precision and a confirmation of its own; see ``places(for:)``.
    public var places: [StoryPlace]
    /// The settings kept while the story has no location, visible only to the owner: see
    /// ``settleLocation(replacing:)``.
    public var absentLocation: AbsentLocation?
    /// The name of the import source, or `nil`.
    public var source: String?
    /// The id in that source.
    public var sourceID: String?
    /// The time of creation.
    public let createdAt: Timestamp
    /// The time of the last change.
    public var updatedAt: Timestamp
    /// The time of the last change visible to anyone other than the owner; see ``touch(at:replacing:)``.
    public var shownUpdatedAt: Timestamp

    /// Creates a story with only the required fields.
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
        self.places = []
        self.privacy = .public
        self.autoPrivate = false
        self.isWithheld = false
    }

    /// Updates the timestamps: ``updatedAt`` to a time later than in `old`, even if the clock runs backwards, and
    /// ``shownUpdatedAt`` only if the content that others see has changed.
    ///
    /// If the point moves within its published cell, or while it is hidden, only the owner's timestamp changes.
    public mutating func touch(at now: Timestamp, replacing old: Story) {
        // Based only on the timestamp shown to others: `updatedAt` would reveal changes that they cannot see.
        let next = max(now, old.shownUpdatedAt.advanced(byMilliseconds: 1))
        shownUpdatedAt = shown == old.shown ? old.shownUpdatedAt : next
        updatedAt = max(now, old.updatedAt.advanced(byMilliseconds: 1), shownUpdatedAt)
    }

    /// The content of a story for one audience, with the precision of its times.
    private struct Face: Hashable {
        var story: Story
        var times: TimePrecision
    }

    /// The story as shown to viewers who are neither owner nor trusted family, without its timestamps.
    private var shown: Face {
        var shown = self
        shown.date = times(publishedTimePrecision).date
        shown.location = location(for: .anonymous)
        shown.places = publishedPlaces
        shown.absentLocation = nil
        shown.updatedAt = createdAt
        shown.shownUpdatedAt = createdAt
        shown.clientID = nil
        shown.mediaChecksum = nil
        shown.autoPrivate = false
        shown.isWithheld = false
        shown.privacy = effectivePrivacy
        // The family of a public story is visible only to that family.
        if effectivePrivacy == .public { shown.family = nil }
        return Face(story: shown, times: publishedTimePrecision)
    }

    /// The story as shown to family trusted with the exact point, if any, without its timestamps.
    private var trusted: Face {
        var trusted = shown
        trusted.times = trustedTimePrecision
        trusted.story.date = times(trusted.times).date
        trusted.story.family = family
        trusted.story.places = familyPlaces
        if let location, location.familySeesExact { trusted.story.location = location.shown(location.floor) }
        return trusted
    }

    /// Returns the widest audience whose view of the story differs from that of `old`, apart from timestamps.
    public func change(from old: Story) -> StoryChange {
        if shown != old.shown { return .everybody }
        if trusted != old.trusted { return .trusted }
        var undated = self
        (undated.updatedAt, undated.shownUpdatedAt) = (old.updatedAt, old.shownUpdatedAt)
        return undated == old ? .nobody : .owner
    }

    /// The effective level: private while a service has made the story private or an operator withholds it.
    public var effectivePrivacy: Privacy { autoPrivate || isWithheld ? .private : privacy }
}

/// The audience affected by a change to a story; `everybody` means all who may see it.
public enum StoryChange: Int, Comparable, Sendable {
    /// Nobody: only timestamps changed.
    case nobody
    /// Only the owner.
    case owner
    /// The owner, and family trusted with the exact point.
    case trusted
    /// Everyone who may see it.
    case everybody

    /// Orders changes by the size of the audience.
    public static func < (a: StoryChange, b: StoryChange) -> Bool { a.rawValue < b.rawValue }
}
