public import Gazetteer
public import Geometry
public import Stories

/// How much of the earth a place covers, from a point to a country.
public enum PlaceExtent: Int, CaseIterable, Comparable, Sendable {
    /// A house, a building or a position.
    case point
    /// A street.
    case street
    /// A settlement, a part of one, or the area of a postal code.
    case settlement
    /// A county, or a lake, park or island.
    case county
    /// A state, province or region.
    case state
    /// A country, or an ocean or continent.
    case country

    /// The name on the command line.
    public var name: String {
        switch self {
        case .point: "point"
        case .street: "street"
        case .settlement: "settlement"
        case .county: "county"
        case .state: "state"
        case .country: "country"
        }
    }

    /// Returns the extent of a kind of place.
    public init(_ kind: PlaceKind) {
        self =
            switch kind {
            case .address, .landmark, .coordinate: .point
            case .street: .street
            case .city, .town, .village, .neighbourhood, .postcode, .airport: .settlement
            case .county, .park, .island, .mountain: .county
            case .admin1, .river: .state
            case .country, .water, .area: .country
            }
    }

    /// Compares the sizes of two extents.
    public static func < (first: PlaceExtent, second: PlaceExtent) -> Bool { first.rawValue < second.rawValue }
}

/// A place that the words of a row may mean.
public struct PlaceCandidate: Hashable, Sendable {
    /// The name with the places around it: "Macon, Georgia, United States".
    public var label: String
    /// The kind of place.
    public var kind: PlaceKind
    /// A point in or near its middle.
    public var coordinate: Coordinate
    /// The probability that this place is meant, 0...1.
    public var confidence: Double
    /// About how far the place reaches from its middle, in metres.
    public var radius: Double
    /// The box of a country, region or county.
    public var box: BoundingBox?
    /// The identifier of the record with its source: "geonames:4180439".
    public var id: String
    /// The name of the place itself and of those around it, as a story shows them.
    public var names: [LocationName: String]

    /// The ISO 3166 code of its country, in small letters; `nil` if it is unknown.
    public var countryCode: String?

    /// Creates a candidate.
    public init(
        label: String,
        kind: PlaceKind,
        coordinate: Coordinate,
        confidence: Double,
        radius: Double,
        box: BoundingBox? = nil,
        id: String = "",
        names: [LocationName: String] = [:],
        countryCode: String? = nil
    ) {
        self.label = label
        self.kind = kind
        self.coordinate = coordinate
        self.confidence = confidence
        self.radius = radius
        self.box = box
        self.id = id
        self.names = names
        self.countryCode = countryCode
    }

    /// How much of the earth it covers.
    public var extent: PlaceExtent { PlaceExtent(kind) }

    /// The most exact precision at which a story with only this place may be shown.
    ///
    /// The middle of an area is not where anything happened, so anything larger than a building is shown as a cell: the
    /// smallest one whose side reaches as far as the place.
    public var precision: LocationPrecision { PlaceCandidate.precision(extent, radius: radius) }

    /// Returns the most exact precision for a place of an extent; `radius` in metres.
    public static func precision(_ extent: PlaceExtent, radius: Double) -> LocationPrecision {
        if extent == .point { return .exact }
        if radius <= 1_150, extent < .county { return .approximate(.hundredth) }
        return radius <= 12_500 && extent < .state ? .approximate(.tenth) : .approximate(.degree)
    }

    /// Returns the most exact precision for a place of which only the kind is known.
    static func precision(ofKind kind: PlaceKind) -> LocationPrecision {
        let radius =
            switch kind {
            case .street, .neighbourhood: 1_100.0
            case .city, .town, .village, .postcode, .airport: 12_500.0
            default: 40_000.0
            }
        return precision(PlaceExtent(kind), radius: radius)
    }
}

extension PlaceCandidate {
    /// Creates a candidate from a result of the geocoder.
    init(_ match: GazetteerMatch) {
        self.init(
            label: match.label,
            kind: match.kind,
            coordinate: match.coordinate,
            confidence: match.confidence,
            radius: PlaceCandidate.radius(of: match),
            box: match.boundingBox,
            id: match.id,
            names: PlaceCandidate.names(of: match),
            countryCode: match.countryCode
        )
    }

    /// Returns about how far a place reaches, in metres.
    private static func radius(of match: GazetteerMatch) -> Double {
        if let box = match.boundingBox, !match.kind.isSettlement {
            let corner = Coordinate(wrappingLatitude: box.north, longitude: box.east)
            return max(5_000, min(3_000_000, GreatCircle.distance(box.center, corner)))
        }
        switch match.kind {
        case .coordinate: return 0
        case .address: return match.matchType == .interpolated ? 150 : 30
        case .landmark: return 200
        case .street: return 1_000
        case .neighbourhood: return 1_100
        case .postcode: return 8_000
        case .airport: return 3_000
        case .city, .town, .village:
            // The importance is the logarithm of the population.
            let population = Double.exponent10(min(8, match.importance * GazetteerFormat.fullImportance))
            return max(1_000, SettlementRadius.kilometres(population: Int(population)) * 1_000)
        case .county, .park, .island, .mountain: return 40_000
        case .admin1, .river: return 250_000
        case .country, .water, .area: return 1_000_000
        }
    }

    private static func names(of match: GazetteerMatch) -> [LocationName: String] {
        var names: [LocationName: String] = [.state: match.admin1 ?? "", .country: match.country ?? ""]
        switch match.kind {
        case .city, .town, .village: names[.city] = match.name
        case .neighbourhood, .landmark, .airport:
            names[.name] = match.name
            names[.city] = match.city ?? ""
        case .address, .street, .postcode: names[.city] = match.city ?? ""
        default: break
        }
        return names.filter { !$0.value.isEmpty }
    }
}

extension Double {
    /// Returns ten to the given power, 0...8, to within a few percent.
    fileprivate static func exponent10(_ power: Double) -> Double {
        let whole = power.rounded(.down)
        var result = 1.0
        for _ in 0..<Int(max(0, whole)) { result *= 10 }
        // A parabola through 1, the square root of ten, and ten.
        let rest = power - whole
        return result * (1 + 1.649 * rest + (9 - 1.649) * rest * rest)
    }
}
