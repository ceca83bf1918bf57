/// The kind of a place in the gazetteer.
public enum PlaceKind: UInt8, CaseIterable, Codable, Sendable {
    /// A country or a dependent territory with its own ISO 3166 code.
    case country = 1
    /// The first level below a country: a state, province or region.
    case admin1
    /// The second level: a county, parish or municipality.
    case county
    /// A settlement with a population of 100,000 or more.
    case city
    /// A settlement with a population of 10,000 or more.
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
    /// A building, site or square known by name.
    case landmark
    /// A house or another numbered entrance.
    case address
    /// A sea, an ocean or a lake.
    case water = 64
    /// A river, a canal or a waterfall.
    case river
    /// An island or group of islands.
    case island
    /// A mountain or mountain range.
    case mountain
    /// A city park or national park.
    case park
    /// A continent, desert, landscape or historic realm: an area with a name that is not a region.
    case area
    /// An airport.
    case airport

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
        case .river: "river"
        case .island: "island"
        case .mountain: "mountain"
        case .park: "park"
        case .area: "area"
        case .airport: "airport"
        }
    }

    /// Whether it is a separate inhabited place: a city, town or village.
    public var isSettlement: Bool { self == .city || self == .town || self == .village }

    /// Whether it is a settlement or something in one, rather than a region, a postal code or a position.
    public var isLocal: Bool { isSettlement || self == .neighbourhood || self == .street || self == .landmark }

    /// Whether it is a natural or open feature rather than an inhabited place: it may extend through several regions.
    public var isLandform: Bool {
        switch self {
        case .water, .river, .island, .mountain, .park, .area, .airport: true
        default: false
        }
    }

    /// Returns the kind of a settlement with the given population.
    package static func settlement(population: Int) -> PlaceKind {
        population >= 100_000 ? .city : population >= 10_000 ? .town : .village
    }
}

/// The source of a record in the gazetteer.
package enum PlaceSource: UInt8, Sendable {
    /// GeoNames; the number is the geonameid.
    case geonames = 1
    /// A GeoNames first-level region, identified by country and code; the number is the offset of that text among the
    /// names.
    case geonamesAdmin1
    /// The Census Bureau; the number is the five-digit GEOID of a county.
    case census
    /// A US ZIP code; the number is the code.
    case zipcode
    /// A community place of this project, identified by a short text; the number is the offset of that text among the
    /// names.
    case community
    /// A place added by an operator, identified by its id; the number is the offset of that text among the names.
    case added
    /// A district in Natural Earth, identified by country and name; the number is the offset of that text.
    case naturalEarth
    /// An airport, identified by its IATA code; the number is the offset of that text.
    case airport

    /// The name in JSON.
    package var name: String {
        switch self {
        case .geonames: "geonames"
        case .geonamesAdmin1: "geonames-admin1"
        case .census: "census"
        case .zipcode: "zipcodes"
        case .community: "waymark"
        case .added: "added"
        case .naturalEarth: "natural-earth"
        case .airport: "airportsdata"
        }
    }
}

extension PlaceKind {
    /// Returns the kind of an added settlement with the given population: city, town or village.
    package static func added(population: Int) -> PlaceKind { .settlement(population: population) }
}
