import Geometry

/// The coarsest precision that the owner of a link allows for every place behind it.
public enum SharePrecision: String, CaseIterable, Hashable, Sendable {
    /// As precisely as the story itself shows its place to others.
    case exact
    /// At most as the centre of a cell of 0.01 degrees.
    case approximate
    /// No place at all.
    case hidden

    /// The same as the precision of a location.
    public var location: LocationPrecision {
        switch self {
        case .exact: .exact
        case .approximate: .approximate(.hundredth)
        case .hidden: .hidden
        }
    }
}

/// What a link shows.
public enum ShareSubject: Hashable, Sendable {
    /// One story of the link's owner.
    case story(StoryID)
    /// The stories of the link's owner in one of their collections, except private ones.
    case collection(CollectionID)
}

/// A link by which its owner shows a story or a collection to people without an account: everything except the secret.
///
/// The holder of the link is its viewer. ``shows(_:in:)`` and ``shown(_:in:)`` alone decide what this viewer gets.
public struct ShareLink: Hashable, Sendable {
    /// The id, which is not secret.
    public let id: String
    /// SHA-256 of the whole secret.
    public let digest: [UInt8]
    /// The user who made it.
    public let owner: UserID
    /// What it shows.
    public let subject: ShareSubject
    /// The coarsest precision of every place behind it.
    public let precision: SharePrecision
    /// When it was made.
    public let createdAt: Timestamp
    /// When it ends by itself.
    public let expiresAt: Timestamp
    /// The beginning of the day, in UTC, on which it was last used; `nil` if it never was.
    public var usedAt: Timestamp?

    /// Creates a link.
    public init(
        id: String,
        digest: [UInt8],
        owner: UserID,
        subject: ShareSubject,
        precision: SharePrecision,
        createdAt: Timestamp,
        expiresAt: Timestamp,
        usedAt: Timestamp? = nil
    ) {
        self.id = id
        self.digest = digest
        self.owner = owner
        self.subject = subject
        self.precision = precision
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.usedAt = usedAt
    }

    /// Returns whether the link has not expired at `now`.
    public func isOpen(at now: Timestamp) -> Bool { now < expiresAt }
}

extension StoryLimits {
    /// The longest validity of a link, in days.
    public static let shareDays = 365
    /// The validity of a link unless specified otherwise, in days.
    public static let usualShareDays = 30
    /// The maximum number of links per user that have not expired.
    public static let shareCount = 200
    /// The maximum number of stories behind a link; every request through the link reads them.
    public static let sharedStoryCount = 2_000
}

// The rule that decides what the viewer of a link gets.
extension ShareLink {
    /// Returns whether the link shows a story at present; `collection` is the collection that it names, if it still
    /// exists.
    ///
    /// Only stories of the link's owner are shown, even in a collection to which a family contributes: nobody passes on
    /// what others shared with them. A private story is shown only by a link that names it, because a collection can
    /// grow after its link was sent. Nothing is shown that a service or an operator withholds.
    public func shows(_ story: Story, in collection: StoryCollection?) -> Bool {
        guard story.owner == owner, !story.autoPrivate, !story.isWithheld else { return false }
        switch subject {
        case .story(let id): return story.id == id
        case .collection(let id):
            guard let collection, collection.id == id, collection.owner == owner else { return false }
            return story.collection == collection.title && story.privacy != .private
        }
    }

    /// Returns a story as the viewer of the link gets it, or `nil` if the link does not show it.
    ///
    /// The result contains nothing else of the story: the place is replaced by the point shown, the times by the
    /// periods shown (PRV-09), and its level by `public`, so that all output for it is that of a public story for
    /// somebody who is not signed in.
    public func shown(_ story: Story, in collection: StoryCollection?) -> Story? {
        guard shows(story, in: collection) else { return nil }
        let place = shownLocation(of: story)
        var veiled = story
        veiled.location = place
        veiled.absentLocation = shownAbsence(of: story)
        veiled.places = shownPlaces(of: story)
        let times = veiled.times(veiled.publishedTimePrecision)
        var shown = Story(id: story.id, kind: story.kind, title: story.title, owner: owner, createdAt: times.createdAt)
        (shown.updatedAt, shown.shownUpdatedAt) = (times.updatedAt, times.updatedAt)
        (shown.text, shown.date) = (story.text, times.date)
        (shown.tags, shown.people, shown.mentions) = (story.tags, story.people, story.mentions)
        (shown.mediaURL, shown.thumbnailURL) = (story.mediaURL, story.thumbnailURL)
        (shown.picture, shown.alt) = (story.picture, story.alt)
        // The times are coarse by now, so a hidden place need not leave a mark.
        shown.location = place?.precision == .hidden ? nil : place
        shown.places = veiled.places
        // The name of a collection tells of other stories, unless the link is about it.
        if case .collection = subject { shown.collection = story.collection }
        return shown
    }

    /// Returns the location as shown: at the coarser of the link's precision and the one that the story has for others.
    private func shownLocation(of story: Story) -> StoryLocation? {
        guard let location = story.location else { return nil }
        let precision = location.published.stricter(self.precision.location)
        // The times depend on a hidden place too; where it is does not matter for them.
        var shown =
            location.shown(precision) ?? StoryLocation(coordinate: Coordinate(wrappingLatitude: 0, longitude: 0))
        shown.precision = precision
        shown.floor = location.floor
        shown.familySeesExact = false
        // The owner's choice to show exact times was made for the story's own precision, not for a coarser one.
        shown.showsExactTimes = location.showsExactTimes && precision == location.published
        return shown
    }

    /// Returns the further places as shown: each at the coarser of the link's precision and its own for others, without
    /// those that are hidden or not confirmed.
    private func shownPlaces(of story: Story) -> [StoryPlace] {
        let own = story.location.map { $0.published.stricter(precision.location) } ?? .hidden
        return story.places.compactMap { place in
            let precision = place.location.published.stricter(self.precision.location)
            var shown = story.shownPlace(place, at: precision, beside: own)
            shown?.location.precision = precision
            shown?.location.familySeesExact = false
            return shown
        }
    }

    /// Returns what the times of a story whose place was removed depend on.
    private func shownAbsence(of story: Story) -> AbsentLocation? {
        guard story.location == nil, let gone = story.absentLocation, gone.isRemoved else { return nil }
        return AbsentLocation(precision: gone.precision.stricter(precision.location), isRemoved: true)
    }
}
