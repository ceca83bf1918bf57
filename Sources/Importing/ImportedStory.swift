public import Stories

/// A validated story from a file: all of a ``Story`` but its identity and times.
public struct ImportedStory: Hashable, Sendable {
    /// The line of a table or the number of a feature it came from.
    public let row: Int
    /// Which import it belongs to.
    public let source: String
    /// Its id in that source: from the file, else a digest of the row, so that a repeated import agrees.
    public let sourceID: String
    /// Whose story it is.
    public let owner: UserID
    /// What sort of content it is.
    public let kind: StoryKind
    /// Who may see it.
    public let privacy: Privacy
    /// For family-only stories: the one family that may see it.
    public let family: FamilyID?
    /// Its title, within ``StoryLimits``.
    public let title: String
    /// Its text, within ``StoryLimits``.
    public let text: String?
    /// When it happened.
    public let date: StoryDate?
    /// Its topics, without repeats.
    public let tags: [String]
    /// The persons it is about, without repeats.
    public let people: [String]
    /// Further places it mentions, without repeats.
    public let mentions: [String]
    /// The collection it belongs to.
    public let collection: String?
    /// Where the recording, picture or document is: http or https.
    public let mediaURL: String?
    /// Where a small picture of it is: http or https.
    public let thumbnailURL: String?
    /// What the picture shows.
    public let alt: String?
    /// Where it happened.
    public let location: StoryLocation?
    /// Whether the file says that a location which a program extracted was confirmed: a story's own export does.
    public let isLocationConfirmed: Bool

    /// Whether the location is to wait for the owner of the story (LOC-11).
    public var isProposal: Bool { location?.source == .aiExtracted && !isLocationConfirmed }

    /// The story with the identity and times the store gives it.
    public func story(id: StoryID, now: Timestamp) -> Story {
        var story = Story(id: id, kind: kind, title: title, owner: owner, createdAt: now)
        story.source = source
        story.sourceID = sourceID
        story.family = family
        story.location = location
        update(&story)
        return story
    }

    /// Brings a story that an earlier import made up to what the file says now.
    ///
    /// Of the levels of privacy and precision, the file's and the story's present one, the stricter counts: a file never
    /// undoes what the owner chose since, and an operator can close what was too open. A location that the owner gave,
    /// or took away, since stays; `replacingLocation` says that this one is still the file's.
    public func update(_ story: inout Story, replacingLocation: Bool = true) {
        story.privacy = story.privacy.stricter(privacy)
        story.kind = kind
        story.title = title
        story.text = text
        story.date = date
        story.tags = tags
        story.people = people
        story.mentions = mentions
        story.collection = collection
        story.mediaURL = mediaURL
        story.thumbnailURL = thumbnailURL
        story.alt = alt
        let precisions = [story.location?.precision ?? story.absentLocation?.precision, location?.precision]
        let precision = precisions.compactMap(\.self).reduce(LocationPrecision.exact) { $0.stricter($1) }
        let familySeesExact =
            story.location?.familySeesExact ?? story.absentLocation?.familySeesExact
            ?? location?.familySeesExact ?? false
        let showsExactTimes = story.location?.showsExactTimes ?? location?.showsExactTimes ?? false
        if replacingLocation { story.location = location }
        story.location?.precision = precision
        story.location?.familySeesExact = familySeesExact
        story.location?.showsExactTimes = showsExactTimes
    }
}
