/// What a place of the gazetteer is.
public enum PlaceKind: UInt8, CaseIterable, Codable, Sendable {
    /// A country or a dependent territory with an ISO 3166 code of its own.
    case country = 1
    /// The first level below a country: a state, province or region.
    case admin1
    /// The second level: a county, parish or municipality.
    case county
    /// A settlement of 100,000 people or more.
    case city
    /// A settlement of 10,000 people or more.
    case town
    /// A smaller settlement, or one whose population is unknown.
    case village
    /// A part of a settlement.
    case neighbourhood
    /// The area of a postal code.
    case postcode
    /// A position, not a place.
    case coordinate
    /// A street or a part of one.
    case street
    /// A building, a site or a square that people know by its name.
    case landmark
    /// A house or another numbered entrance.
    case address
    /// A sea, an ocean or a large lake.
    case water = 64

    /// The name in JSON.
    public var name: String {
        switch self {
        case .country: "country"
        case .admin1: "admin1"
        case .county: "county"
        case .city: "city"
        case .town: "town"
        case .village: "village"
        case .neighbourhood: "neighbourhood"
        case .postcode: "postcode"
        case .coordinate: "coordinate"
        case .street: "street"
        case .landmark: "landmark"
        case .address: "address"
        case .water: "water"
        }
    }

    /// Whether people live in it as one place: a city, town or village.
    public var isSettlement: Bool { self == .city || self == .town || self == .village }

    /// Whether it is a settlement or something in one, rather than a region, a postal code or a position.
    public var isLocal: Bool { isSettlement || self == .neighbourhood || self == .street || self == .landmark }

    /// The kind of a settlement of `population` people.
    static func settlement(population: Int) -> PlaceKind {
        population >= 100_000 ? .city : population >= 10_000 ? .town : .village
    }
}

/// Where a record of the gazetteer comes from.
enum PlaceSource: UInt8, Sendable {
    /// GeoNames; the number is the geonameid.
    case geonames = 1
    /// A GeoNames first-level region, known by country and code; the number is the offset of that text among the names.
    case geonamesAdmin1
    /// The Census Bureau; the number is the five-digit GEOID of a county.
    case census
    /// A US ZIP code; the number is the code.
    case zipcode
    /// The community places of this project, known by a short text; the number is the offset of that text among the
    /// names.
    case community
    /// A place that an operator added, known by its identifier; the number is the offset of that text among the names.
    case added

    /// The name in JSON.
    var name: String {
        switch self {
        case .geonames: "geonames"
        case .geonamesAdmin1: "geonames-admin1"
        case .census: "census"
        case .zipcode: "zipcodes"
        case .community: "waymark"
        case .added: "added"
        }
    }
}

extension PlaceKind {
    /// The kind of an added settlement of `population` people: city, town or village.
    package static func added(population: Int) -> PlaceKind { .settlement(population: population) }
}
