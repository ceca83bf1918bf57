/// A place that an operator adds.
public struct AddedPlace: Hashable, Codable, Sendable {
    /// The identifier with its source: "geonames:4180439", "osm:node/123", "own:tulsa-greenwood".
    public var id: String
    /// The name that is shown.
    public var name: String
    /// What it is.
    public var kind: PlaceKind
    /// Degrees.
    public var latitude: Double
    /// Degrees.
    public var longitude: Double
    /// The number of people, zero when unknown.
    public var population: Int
    /// The two-letter code of the country, empty when unknown.
    public var country: String
    /// The code or the name of the state or region, empty when unknown.
    public var region: String
    /// The name of the city that it is a part of, empty for none.
    public var city: String
    /// Further names.
    public var names: [AddedName]
    /// The first year in which it had its name.
    public var fromYear: Int?
    /// The last year in which it had its name.
    public var toYear: Int?
    /// Whether it is the capital of its country, and so known beyond its size.
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

/// A further name of a place.
public struct AddedName: Hashable, Codable, Sendable {
    /// The name as written.
    public var text: String
    /// The ISO 639 code of its language, empty when unknown.
    public var language: String
    /// Whether it is of another time.
    public var isHistoric: Bool
    /// Whether it is the usual one among those of its language.
    public var isPreferred: Bool

    /// Creates a name.
    public init(_ text: String, language: String = "", isHistoric: Bool = false, isPreferred: Bool = false) {
        self.text = text
        self.language = language
        self.isHistoric = isHistoric
        self.isPreferred = isPreferred
    }
}
