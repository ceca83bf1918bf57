public import Gazetteer

/// A place added by an operator.
public struct AddedPlace: Hashable, Codable, Sendable {
    /// The identifier with its source: "geonames:4180439", "osm:node/123", "own:tulsa-greenwood".
    public var id: String
    /// The displayed name.
    public var name: String
    /// The kind of place.
    public var kind: PlaceKind
    /// The latitude in degrees.
    public var latitude: Double
    /// The longitude in degrees.
    public var longitude: Double
    /// The population, zero if unknown.
    public var population: Int
    /// The two-letter code of the country, empty if unknown.
    public var country: String
    /// The code or the name of the state or region, empty if unknown.
    public var region: String
    /// The name of the city that contains it, empty for none.
    public var city: String
    /// Additional names.
    public var names: [AddedName]
    /// The first year in which the name was used, or `nil` if unknown.
    public var fromYear: Int?
    /// The last year in which the name was used, or `nil` if unknown or still in use.
    public var toYear: Int?
    /// Whether it is the capital of its country, and so better known than its size suggests.
    public var isCapital: Bool

    /// Creates a place.
    public init(
        id: String,
        name: String,
        kind: PlaceKind,
        latitude: Double,
        longitude: Double,
        population: Int = 0,
        country: String = "",
        region: String = "",
        city: String = "",
        names: [AddedName] = [],
        fromYear: Int? = nil,
        toYear: Int? = nil,
        isCapital: Bool = false
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.latitude = latitude
        self.longitude = longitude
        self.population = population
        self.country = country
        self.region = region
        self.city = city
        self.names = names
        self.fromYear = fromYear
        self.toYear = toYear
        self.isCapital = isCapital
    }
}

/// An additional name of a place.
public struct AddedName: Hashable, Codable, Sendable {
    /// The name as written.
    public var text: String
    /// The ISO 639 code of its language, empty if unknown.
    public var language: String
    /// Whether it is a historic name.
    public var isHistoric: Bool
    /// Whether it is the preferred name in its language.
    public var isPreferred: Bool

    /// Creates a name.
    public init(_ text: String, language: String = "", isHistoric: Bool = false, isPreferred: Bool = false) {
        self.text = text
        self.language = language
        self.isHistoric = isHistoric
        self.isPreferred = isPreferred
    }
}
