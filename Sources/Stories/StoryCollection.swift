/// The identity of a collection: 32 hexadecimal digits.
public struct CollectionID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The digits.
    public let rawValue: String

    /// Reads 32 hexadecimal digits; anything else is `nil`.
    public init?(_ text: some StringProtocol) {
        guard let digits = StoryID(text) else { return nil }
        rawValue = digits.description
    }

    /// Creates a random id from a generator of 64 good bits a call.
    public init(using generator: inout some RandomNumberGenerator) {
        rawValue = StoryID(using: &generator).description
    }

    /// The digits.
    public var description: String { rawValue }

    /// Orders ids by their digits.
    public static func < (a: CollectionID, b: CollectionID) -> Bool { a.rawValue < b.rawValue }
}

/// A trip or another collection: the stories that carry its title as their ``Story/collection`` (MAP-09).
///
/// It gathers the stories of its owner and, where it is for one family, of that family's members. A story keeps its own
/// level: a collection shows nobody more than they may see anyway.
public struct StoryCollection: Hashable, Sendable {
    /// The collection's identity.
    public let id: CollectionID
    /// Whose collection it is.
    public let owner: UserID
    /// What its stories name, unique per owner, 1–``StoryLimits/nameLength`` bytes.
    public let title: String
    /// What it is about, at most ``StoryLimits/collectionTextLength`` bytes, or `nil`.
    public let text: String?
    /// Who may know of it.
    public let privacy: Privacy
    /// For a family's collection: the one family that may know of it; `nil` means all the owner's families.
    public let family: FamilyID?
    /// When it was made.
    public let createdAt: Timestamp

    /// Creates a collection; a family is kept for the level `familyOnly` alone.
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

    /// Whether the viewer may know that the collection exists.
    public func isVisible(to viewer: Viewer) -> Bool {
        owner == viewer.user || viewer.sees(VisibilityLayer(of: owner, privacy: privacy, family: family))
    }

    /// Whose stories it gathers, as a viewer knows who may know of it.
    public func contributors(knownTo viewer: Viewer) -> Set<UserID> {
        (family.flatMap { viewer.families[$0] } ?? []).union([owner])
    }
}

extension StoryLimits {
    /// The most bytes in what a collection is about.
    public static let collectionTextLength = 2_000
    /// The most collections of one user.
    public static let collectionCount = 1_000
    /// The most stories somebody can have among their favourites.
    public static let favouriteCount = 10_000
}
