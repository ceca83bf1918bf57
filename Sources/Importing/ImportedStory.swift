public import Stories

/// A validated story from a file: a ``Story`` without its id and timestamps.
public struct ImportedStory: Hashable, Sendable {
    /// The line of a table or the number of a feature.
    public let row: Int
    /// The name of the import.
    public let source: String
    /// The id in that source: the row's own id, or a digest of the row, so that a repeated import gives the same id.
    public let sourceID: String
    /// The owner.
    public let owner: UserID
    /// The kind of content.
    public let kind: StoryKind
    /// The audience.
    public let privacy: Privacy
    /// The only family that may see a family-only story, or the exact point of a public one.
    public let family: FamilyID?
    /// The title, within ``StoryLimits``.
    public let title: String
    /// The text, within ``StoryLimits``.
    public let text: String?
    /// The date of the story.
    public internal(set) var date: StoryDate?
    /// The topics, without duplicates.
    public let tags: [String]
    /// The persons it is about, without duplicates.
    public let people: [String]
    /// Other places it mentions, without duplicates.
    public let mentions: [String]
    /// The collection it belongs to.
    public let collection: String?
    /// The URL of the recording, picture or document: http or https.
    public let mediaURL: String?
    /// The URL of a small picture: http or https.
    public let thumbnailURL: String?
    /// A description of the picture.
    public let alt: String?
    /// The location.
    public let location: StoryLocation?
    /// The places besides the location, at most ``StoryLimits/placeCount``.
    public let places: [ImportedPlace]
    /// Whether the file marks the location as confirmed, as exports do; relevant only if a program extracted the
    /// location.
    public let isLocationConfirmed: Bool
    /// The id and times of our own export, if the import keeps them.
    public internal(set) var kept: KeptIdentity?
    /// ``placement``, apart from the rest: most rows have none, and it is larger than everything else together.
    let keptPlacement: Kept<RowPlacement>?

    /// What the row says about its place in words, if it gives no position.
    public var placement: RowPlacement? { keptPlacement?.value }

    /// The location that the row itself gives, without what was found by its words.
    public var givenLocation: StoryLocation? { placement == nil ? location : nil }

    /// Whether the location must be confirmed by the owner of the story (LOC-11).
    public var isProposal: Bool { location?.source == .aiExtracted && !isLocationConfirmed }

    /// Returns the story with an id and timestamps assigned by the store.
    public func story(id: StoryID, now: Timestamp) -> Story {
        var story = Story(id: id, kind: kind, title: title, owner: owner, createdAt: kept?.createdAt ?? now)
        story.source = source
        story.sourceID = sourceID
        story.family = family
        story.location = location
        update(&story)
        return story
    }

    /// Updates a story from an earlier import to the current content of the file.
    ///
    /// For privacy and precision, the stricter of the file's and the story's current level applies: a file never
    /// reverts a later choice of the owner, and an operator can restrict stories that were too open. So a family of the
    /// file counts only if the story had none.
    /// `replacingLocation` must be `false` if the owner has since set or removed the location, which is then kept, and
    /// `true` if the current location still comes from the file.
    public func update(_ story: inout Story, replacingLocation: Bool = true) {
        story.privacy = story.privacy.stricter(privacy)
        if story.family == nil { story.family = family }
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
