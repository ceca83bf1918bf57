public import Geometry

/// The identity of a named place: 32 hexadecimal digits.
public struct NamedPlaceID: Hashable, Comparable, Sendable, CustomStringConvertible {
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
    public static func < (a: NamedPlaceID, b: NamedPlaceID) -> Bool { a.rawValue < b.rawValue }
}

/// A place that somebody drew around a point and gave a name: what lies in it is told together, under that name.
///
/// It has an owner and a level like a story. It takes part in what its viewers are told and in nothing that anybody else
/// gets; it shows nobody a story that they may not see anyway.
public struct NamedPlace: Hashable, Sendable {
    /// The radius in metres that a place can have: a doorstep to a campus.
    ///
    /// More would be a neighbourhood, which the gazetteer names, and whose stories are better told one place after the
    /// other.
    public static let radii = 10.0...500.0
    /// The radius in metres of a place whose owner names none.
    public static let usualRadius = 75.0

    /// The place's identity.
    public let id: NamedPlaceID
    /// Whose place it is.
    public let owner: UserID
    /// What it is called: one line of 1–``StoryLimits/nameLength`` bytes.
    public var name: String
    /// Its middle.
    public var coordinate: Coordinate
    /// How far it reaches in metres, within ``radii``.
    public var radius: Double
    /// Who may know of it.
    public var privacy: Privacy
    /// For a family's place: the one family that may know of it; `nil` means all the owner's families.
    public var family: FamilyID?
    /// Whether it touches a sensitive area of the operator's: its owner alone knows of it then, whatever its level.
    public var isHeld: Bool
    /// When it was made.
    public let createdAt: Timestamp
    /// When it was last changed.
    public var updatedAt: Timestamp

    /// Creates a place, changed last when it was made.
    public init(
        id: NamedPlaceID,
        owner: UserID,
        name: String,
        coordinate: Coordinate,
        radius: Double = usualRadius,
        privacy: Privacy,
        family: FamilyID? = nil,
        isHeld: Bool = false,
        createdAt: Timestamp
    ) {
        self.id = id
        self.owner = owner
        self.name = name
        self.coordinate = coordinate
        self.radius = radius
        self.privacy = privacy
        self.family = family
        self.isHeld = isHeld
        self.createdAt = createdAt
        self.updatedAt = createdAt
    }

    /// The layer of the place: whoever sees it knows of the place.
    public var layer: VisibilityLayer {
        isHeld ? .own(owner) : VisibilityLayer(of: owner, privacy: privacy, family: family)
    }

    /// Whether the viewer may know that the place exists.
    public func isVisible(to viewer: Viewer) -> Bool { owner == viewer.user || viewer.sees(layer) }

    /// Whether a point lies in the place, its edge included.
    public func contains(_ point: Coordinate) -> Bool {
        // In steps of 0.01 m, so that the last bits of libm never decide.
        (GreatCircle.distance(coordinate, point) * 100).rounded() <= (radius * 100).rounded()
    }

    /// A box around the place.
    public var box: BoundingBox { BoundingBox(coordinate).expanded(byMetres: radius) }

    /// Whether of two places that hold a point this one gives it its name: the smaller, of equal ones the first by id.
    public func precedes(_ other: NamedPlace) -> Bool { (radius, id) < (other.radius, other.id) }
}

extension Sequence<NamedPlace> {
    /// The place that a point belongs to, the smallest of those that hold it; `nil` for none.
    public func naming(_ point: Coordinate) -> NamedPlace? {
        filter { $0.contains(point) }.min { $0.precedes($1) }
    }
}

extension StoryLimits {
    /// The most named places of one user.
    public static let namedPlaceCount = 1_000
}
