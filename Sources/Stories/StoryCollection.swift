/// The id of a collection: 32 hexadecimal digits.
public struct CollectionID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The digits.
    public let rawValue: String

    /// Parses 32 lower-case hexadecimal digits; `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        guard let digits = StoryID(text) else { return nil }
        rawValue = digits.description
    }

    /// Creates a random id from a generator of 64 high-quality bits per call.
    public init(using generator: inout some RandomNumberGenerator) {
        rawValue = StoryID(using: &generator).description
    }

    /// The digits.
    public var description: String { rawValue }

    /// Orders ids by their digits.
    public static func < (a: CollectionID, b: CollectionID) -> Bool { a.rawValue < b.rawValue }
}

/// A trip or another collection: the stories with its title as their ``Story/collection`` (MAP-09).
///
/// It contains stories of its owner and, if it is for one family, of that family's members. Each story keeps its own
/// level: a collection reveals no additional stories.
public struct StoryCollection: Hashable, Sendable {
    /// The collection's id.
    public let id: CollectionID
    /// The owner.
    public let owner: UserID
    /// The title that its stories refer to, unique per owner, 1–``StoryLimits/nameLength`` bytes.
    public let title: String
    /// The description, at most ``StoryLimits/collectionTextLength`` bytes, or `nil`.
    public let text: String?
    /// The audience of the collection.
    public let privacy: Privacy
    /// For a family's collection: the only family that may see it; `nil` means all the owner's families.
    public let family: FamilyID?
    /// The time of creation.
    public let createdAt: Timestamp

    /// Creates a collection; a family is kept only for the level `familyOnly`.
    public init(
        id: CollectionID,
        owner: UserID,
        title: String,
        text: String? = nil,
        privacy: Privacy,
        family: FamilyID? = nil,
        createdAt: Timestamp
    ) {
        self.id = id
        self.owner = owner
        self.title = title
        self.text = text
        self.privacy = privacy
        self.family = privacy == .familyOnly ? family : nil
        self.createdAt = createdAt
    }

    /// Returns whether the viewer may know that the collection exists.
    public func isVisible(to viewer: Viewer) -> Bool {
        owner == viewer.user || viewer.sees(VisibilityLayer(of: owner, privacy: privacy, family: family))
    }

    /// Returns the possible owners of stories in the collection: its owner and, if it is for one family of the viewer,
    /// that family's members.
    public func contributors(knownTo viewer: Viewer) -> Set<UserID> {
        (family.flatMap { viewer.families[$0] } ?? []).union([owner])
    }
}

extension StoryLimits {
    /// The maximum size of a collection's description, in bytes.
    public static let collectionTextLength = 2_000
    /// The maximum number of stories that a collection shows as a trip, and whose order can be given.
    public static let tripLength = 500
    /// The maximum number of collections per user.
    public static let collectionCount = 1_000
    /// The maximum number of favourite stories per user.
    public static let favouriteCount = 10_000
}
