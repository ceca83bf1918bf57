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
    /// A sea, an ocean or a lake.
    case water = 64
    /// A river, a canal or a waterfall.
    case river
    /// An island or several.
    case island
    /// A mountain or a range of them.
    case mountain
    /// A park, of a city or a nation.
    case park
    /// A continent, a desert, a stretch of land or a realm of the past: what people name without its being a region.
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

    /// Whether people live in it as one place: a city, town or village.
    public var isSettlement: Bool { self == .city || self == .town || self == .village }

    /// Whether it is a settlement or something in one, rather than a region, a postal code or a position.
    public var isLocal: Bool { isSettlement || self == .neighbourhood || self == .street || self == .landmark }

    /// Whether it is part of the land rather than a place where people live: it may reach through several regions.
    public var isLandform: Bool {
        switch self {
        case .water, .river, .island, .mountain, .park, .area, .airport: true
        default: false
        }
    }

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
    /// A district that Natural Earth has, known by its country and name; the number is the offset of that text.
    case naturalEarth
    /// An airport, known by its IATA code; the number is the offset of that text.
    case airport

    /// The name in JSON.
    var name: String {
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
    /// The kind of an added settlement of `population` people: city, town or village.
    package static func added(population: Int) -> PlaceKind { .settlement(population: population) }
}
