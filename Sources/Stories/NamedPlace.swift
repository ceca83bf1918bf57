public import Geometry

/// The id of a named place: 32 hexadecimal digits.
public struct NamedPlaceID: Hashable, Comparable, Sendable, CustomStringConvertible {
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
    public static func < (a: NamedPlaceID, b: NamedPlaceID) -> Bool { a.rawValue < b.rawValue }
}

/// A circle that a user defined around a point and named: stories in it are announced together, under that name.
///
/// It has an owner and a privacy level like a story. It affects only the notifications of its viewers, and does not
/// reveal stories that they may not see.
public struct NamedPlace: Hashable, Sendable {
    /// The allowed radii in metres: from a doorstep to a campus.
    ///
    /// A larger area would be a neighbourhood, which the gazetteer names, and whose stories are better announced place
    /// by place.
    public static let radii = 10.0...500.0
    /// The default radius in metres.
    public static let usualRadius = 75.0

    /// The place's id.
    public let id: NamedPlaceID
    /// The owner.
    public let owner: UserID
    /// The name: one line of 1–``StoryLimits/nameLength`` bytes.
    public var name: String
    /// The centre.
    public var coordinate: Coordinate
    /// The radius in metres, within ``radii``.
    public var radius: Double
    /// The audience of the place.
    public var privacy: Privacy
    /// For a family's place: the only family that may see it; `nil` means all the owner's families.
    public var family: FamilyID?
    /// Whether it touches one of the operator's sensitive areas: only its owner can then see it, whatever its level.
    public var isHeld: Bool
    /// The time of creation.
    public let createdAt: Timestamp
    /// The time of the last change.
    public var updatedAt: Timestamp

    /// Creates a place; `updatedAt` is the time of creation.
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

    /// The layer of the place, which determines its viewers.
    public var layer: VisibilityLayer {
        isHeld ? .own(owner) : VisibilityLayer(of: owner, privacy: privacy, family: family)
    }

    /// Returns whether the viewer may know that the place exists.
    public func isVisible(to viewer: Viewer) -> Bool { owner == viewer.user || viewer.sees(layer) }

    /// Returns whether a point lies in the place, including its edge.
    public func contains(_ point: Coordinate) -> Bool {
        // Compared in steps of 0.01 m, so that differences in the last bits between versions of libm have no effect.
        (GreatCircle.distance(coordinate, point) * 100).rounded() <= (radius * 100).rounded()
    }

    /// A box around the place.
    public var box: BoundingBox { BoundingBox(coordinate).expanded(byMetres: radius) }

    /// Returns whether this place takes precedence in naming a point that both contain: the smaller one, then the first
    /// by id.
    public func precedes(_ other: NamedPlace) -> Bool { (radius, id) < (other.radius, other.id) }
}

extension Sequence<NamedPlace> {
    /// Returns the place that names a point: the smallest one that contains it, or `nil` if no place does.
    public func naming(_ point: Coordinate) -> NamedPlace? {
        filter { $0.contains(point) }.min { $0.precedes($1) }
    }
}

extension StoryLimits {
    /// The maximum number of named places per user.
    public static let namedPlaceCount = 1_000
}
