public import Geometry

/// A place found for a query, with the names of the places around it.
public struct GazetteerMatch: Hashable, Sendable {
    /// How the query matched the place.
    public enum MatchType: String, Sendable, CaseIterable {
        /// By its main name, with nothing left over.
        case exact
        /// By another name: in another language, historic, or an abbreviation.
        case alias
        /// By a name that differs from the query by one or two letters.
        case fuzzy
        /// Only part of the query was understood; see ``GazetteerMatch/unmatched``.
        case fallback
        /// By a postal code.
        case postcode
        /// By interpolation between known house numbers.
        case interpolated
        /// The query was a position.
        case coordinate
    }

    /// The main name of the place.
    public var name: String
    /// The kind of place.
    public var kind: PlaceKind
    /// The position: a point in or near its centre.
    public var coordinate: Coordinate
    /// The probability that this is the intended place, 0...1.
    public var confidence: Double
    /// How the query matched the place.
    public var matchType: MatchType
    /// The folded words of the query that were not understood.
    public var unmatched: [String]
    /// Whether a different place may equally have been intended.
    public var isAmbiguous: Bool
    /// How well known the place is, 0...1, based on its population and kind.
    public var importance: Double
    /// The name of its state, province or region.
    public var admin1: String?
    /// The name of its county.
    public var admin2: String?
    /// The name of its country.
    public var country: String?
    /// The ISO 3166 code of its country, two lower-case letters.
    public var countryCode: String?
    /// The postal code, for postal codes.
    public var postcode: String?
    /// The name followed by those of surrounding places: "Atlanta, Georgia, United States".
    public var label: String
    /// The box of a country, region or county.
    public var boundingBox: BoundingBox?
    /// The source of the record: "geonames".
    public var source: String
    /// The identifier of the record with its source: "geonames:4180439".
    public var id: String
    /// The first year of this name, if known.
    public var fromYear: Int?
    /// The last year of this name, if known.
    public var toYear: Int?
    /// The street of an address.
    public var street: String?
    /// The house number of an address.
    public var houseNumber: String?
    /// The city that contains the place or uses the postal code.
    public var city: String?
    /// The matching name, if it is not the displayed one: "Bombay" for Mumbai.
    public var matchedName: String?
    /// The years in which the place had ``matchedName``, if they are known.
    public var matchedYears: YearSpan?
    /// The name that the place had in ``SearchOptions/year``, if it was another one.
    public var nameThen: String?
}

/// A span of years, both included; `nil` for an end that is not known.
public struct YearSpan: Hashable, Sendable {
    /// The first year.
    public var from: Int?
    /// The last year.
    public var to: Int?

    /// Creates a span.
    public init(from: Int?, to: Int?) { (self.from, self.to) = (from, to) }

    /// The span as it is printed: "1924–1991", "until 1930", "since 1991"; empty if neither end is known.
    public var text: String {
        switch (from, to) {
        case (let from?, let to?): "\(from)–\(to)"
        case (let from?, nil): "since \(from)"
        case (nil, let to?): "until \(to)"
        case (nil, nil): ""
        }
    }
}

/// Options for searches.
public struct SearchOptions: Hashable, Sendable {
    /// The maximum number of matches; clamped to 1...100.
    public var limit: Int
    /// The position near which places are preferred.
    public var near: Coordinate?
    /// The countries to which results are limited, two-letter ISO 3166 codes in any case; empty means all.
    public var countries: [String]
    /// The box to which results are limited.
    public var boundingBox: BoundingBox?
    /// The minimum confidence of results, 0...1.
    public var minimumConfidence: Double
    /// The country whose places are slightly preferred, as a two-letter code; `nil` for none.
    public var preferredCountry: String?
    /// The language of names, where available: an ISO 639 code such as "es"; `nil` for none.
    public var language: String?
    /// The year that the text is about: names in use then come first, and are shown; `nil` for none.
    public var year: Int?
    /// Whether names with one or two typos are found if nothing else fits; most of the work of a search that finds nothing.
    package var allowsMisspellings = true

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
