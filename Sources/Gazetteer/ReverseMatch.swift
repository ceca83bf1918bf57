public import Geometry

/// The name of a position.
public struct ReverseMatch: Hashable, Sendable {
    /// The settlement, with its county, region and country; a region, country or water if there is none.
    public var place: GazetteerMatch
    /// Whether `place` is a settlement.
    public var isSettlement: Bool
    /// The part of the settlement: "Sweet Auburn".
    public var neighbourhood: String?
    /// The nearest ZIP code, in the USA.
    public var postcode: String?
    /// The ISO 3166-2 code of the region, if known: "US-GA".
    public var regionCode: String?
    /// The sea or lake at the position, or off whose coast it lies.
    public var water: String?
    /// The distance from the centre of the settlement in kilometres; zero if there is no settlement.
    public var distanceKilometres: Double
    /// The direction from the centre of the settlement to the position, in degrees clockwise from north; zero if there
    /// is no settlement.
    public var bearing: Double
    /// Whether the position is named only as near the settlement, because it lies well outside it.
    public var isNear: Bool
    /// "Sweet Auburn, Atlanta, Georgia", "near Sparks, Nevada, United States, 75 km north-east" or "Atlantic Ocean".
    public var label: String

    /// The name of the settlement, if there is one.
    public var settlementName: String? { isSettlement ? place.name : nil }
}

/// Options for naming positions.
public struct ReverseOptions: Hashable, Sendable {
    /// The distance in kilometres outside a settlement beyond which a position is described as near it.
    public var nearKilometres: Double
    /// The distance in kilometres outside every settlement beyond which only region and country are named.
    public var farthestKilometres: Double
    /// The distance in kilometres outside every settlement beyond which a position at sea is named only after the sea.
    public var farthestAtSeaKilometres: Double

    /// Creates options.
    public init(
        nearKilometres: Double = 10,
        farthestKilometres: Double = 300,
        farthestAtSeaKilometres: Double = 30
    ) {
        self.nearKilometres = nearKilometres
        self.farthestKilometres = farthestKilometres
        self.farthestAtSeaKilometres = farthestAtSeaKilometres
    }
}

/// The result of a position look-up, as numbers: small, fast, and named on demand by ``GazetteerIndex/describe(_:)``.
public struct ReversePoint: Hashable, Sendable {
    /// The position.
    public let coordinate: Coordinate
    /// The distance in kilometres from the position to the edge of the settlement; negative inside, infinite without
    /// one.
    public internal(set) var kilometresOutside = Float.infinity
    /// The score by which the settlement was chosen; see ``PlaceTree/Search``.
    var score = Float.infinity
    var settlement: UInt32 = GazetteerFormat.none
    var part: UInt32 = GazetteerFormat.none
    /// The number of the area in the order of `areas.bin`, where counties come first.
    package internal(set) var unit: UInt32 = GazetteerFormat.none
    /// The number of the water plus one; zero if there is no water.
    var water: UInt16 = 0
    /// Whether the position is named only as near the settlement, because it lies well outside it.
    public internal(set) var isNear = false

    /// Whether nothing is known about the position.
    public var isEmpty: Bool {
        settlement == GazetteerFormat.none && unit == GazetteerFormat.none && water == 0
    }
}
