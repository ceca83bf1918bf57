public import Geometry

/// A place found for a query, with what its name says about where it lies.
public struct GazetteerMatch: Hashable, Sendable {
    /// How the query stands for the place.
    public enum MatchType: String, Sendable, CaseIterable {
        /// By its main name, and nothing of the query was left over.
        case exact
        /// By another name: of another language or time, or an abbreviation.
        case alias
        /// By a name that differs from what was typed by a letter or two.
        case fuzzy
        /// Only a part of the query was understood; see ``GazetteerMatch/unmatched``.
        case fallback
        /// By a postal code.
        case postcode
        /// By the house numbers on both sides of one that is not known.
        case interpolated
        /// The query was a position.
        case coordinate
    }

    /// The main name of the place.
    public var name: String
    /// What the place is.
    public var kind: PlaceKind
    /// Where it is: a point in or near its middle.
    public var coordinate: Coordinate
    /// How likely it is that this place was meant, 0...1.
    public var confidence: Double
    /// How the query stands for the place.
    public var matchType: MatchType
    /// The folded words of the query that were not understood.
    public var unmatched: [String]
    /// Whether another place, elsewhere, may as well have been meant.
    public var isAmbiguous: Bool
    /// How well known the place is, 0...1, by its population and what it is.
    public var importance: Double
    /// The name of its state, province or region.
    public var admin1: String?
    /// The name of its county.
    public var admin2: String?
    /// The name of its country.
    public var country: String?
    /// The ISO 3166 code of its country, two lower-case letters.
    public var countryCode: String?
    /// The postal code, for places that are one.
    public var postcode: String?
    /// The name with what it lies in: "Atlanta, Georgia, United States".
    public var label: String
    /// The box of a country, region or county.
    public var boundingBox: BoundingBox?
    /// Where the record comes from: "geonames".
    public var source: String
    /// The identifier of the record with its source: "geonames:4180439".
    public var id: String
    /// The first year in which the place had this name, where it is known to have begun.
    public var fromYear: Int?
    /// The last year in which the place had this name, where it is known to have ended.
    public var toYear: Int?
    /// The street of an address.
    public var street: String?
    /// The house number of an address.
    public var houseNumber: String?
    /// The city that the place is a part of, or whose postal code it is.
    public var city: String?
    /// The name that was typed or begun, where it is another than the one shown: "Bombay" of Mumbai.
    public var matchedName: String?
}

/// How a search is done.
public struct SearchOptions: Hashable, Sendable {
    /// The most matches to return; taken as 1...100.
    public var limit: Int
    /// Places near here are preferred, all else being equal.
    public var near: Coordinate?
    /// Only places of these countries, two-letter ISO 3166 codes in any case; empty means all.
    public var countries: [String]
    /// Only places in this box.
    public var boundingBox: BoundingBox?
    /// Only matches of at least this confidence, 0...1.
    public var minimumConfidence: Double
    /// The country whose places are slightly preferred, as a two-letter code; `nil` for none.
    public var preferredCountry: String?
    /// The language to show names in, where they are known in it: an ISO 639 code such as "es"; `nil` for none.
    public var language: String?

    /// Creates options.
    public init(
        limit: Int = 5,
        near: Coordinate? = nil,
        countries: [String] = [],
        boundingBox: BoundingBox? = nil,
        minimumConfidence: Double = 0,
        preferredCountry: String? = "US"
    ) {
        self.limit = limit
        self.near = near
        self.countries = countries
        self.boundingBox = boundingBox
        self.minimumConfidence = minimumConfidence
        self.preferredCountry = preferredCountry
    }
}
