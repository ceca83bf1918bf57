public import Geometry

/// What a position is called.
public struct ReverseMatch: Hashable, Sendable {
    /// The settlement, with its county, region and country; a region, country or water where there is none.
    public var place: GazetteerMatch
    /// Whether `place` is a settlement.
    public var isSettlement: Bool
    /// The part of the settlement: "Sweet Auburn".
    public var neighbourhood: String?
    /// The nearest ZIP code, in the USA.
    public var postcode: String?
    /// The ISO 3166-2 code of the region, where it is known: "US-GA".
    public var regionCode: String?
    /// The sea or lake the position lies in, or off whose coast.
    public var water: String?
    /// The distance from the centre of the settlement, in kilometres; zero without one.
    public var distanceKilometres: Double
    /// The direction from its centre, degrees clockwise from north.
    public var bearing: Double
    /// Whether the position lies well outside of the settlement.
    public var isNear: Bool
    /// "Sweet Auburn, Atlanta, Georgia", "near Sparks, Nevada, United States, 75 km north-east" or "Atlantic Ocean".
    public var label: String

    /// The name of the settlement, if there is one.
    public var settlementName: String? { isSettlement ? place.name : nil }
}

/// How positions are named.
public struct ReverseOptions: Hashable, Sendable {
    /// Farther outside of a settlement than this, in kilometres, a position is said to be near it.
    public var nearKilometres: Double
    /// Farther outside of every settlement than this, in kilometres, only region and country are told.
    public var farthestKilometres: Double
    /// The same for positions at sea, which are then told by the name of the sea.
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

/// What lies at a position, by numbers: small, found fast, and named by ``GazetteerIndex/describe(_:)`` when wanted.
public struct ReversePoint: Hashable, Sendable {
    /// The position.
    public let coordinate: Coordinate
    /// How far outside of the settlement the position lies, in kilometres; negative inside, infinite without one.
    public internal(set) var kilometresOutside = Float.infinity
    /// What the settlement was chosen by; see ``PlaceTree/Search``.
    var score = Float.infinity
    var settlement: UInt32 = GazetteerFormat.none
    var part: UInt32 = GazetteerFormat.none
    /// The number of the area, those of counties first, in the order of `areas.bin`.
    package internal(set) var unit: UInt32 = GazetteerFormat.none
    /// The number of the water plus one; zero for none.
    var water: UInt16 = 0
    /// Whether the position lies well outside of the settlement.
    public internal(set) var isNear = false

    /// Whether there is anything to say about the position.
    public var isEmpty: Bool {
        settlement == GazetteerFormat.none && unit == GazetteerFormat.none && water == 0
    }
}
