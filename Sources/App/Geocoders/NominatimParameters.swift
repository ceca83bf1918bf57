import Web

/// The parameters of Nominatim's interface.
enum NominatimParameters: Sendable {
    static let format = QueryParameter.optional(
        "format",
        .word(NominatimFormat.allCases.map(\.rawValue)),
        "The format of the answer."
    )
    static let extraTags = flag("extratags", "1: include additional details of a place.")
    static let nameDetails = flag("namedetails", "1: include all names of a place.")
    static let geometry = flag("polygon_geojson", "1: include the geometry of a place, which is a point.")
    static let callback = QueryParameter.optional(
        "json_callback",
        .text(0...100),
        "The name of a function to call with the answer (JSONP)."
    )
    /// The parameters that search, reverse and lookup have in common.
    static let common: ParameterList = [
        format,
        flag("addressdetails", "Accepted but ignored; the address is always included."),
        extraTags, nameDetails, geometry,
        callback, GeocoderCall.acceptLanguage,
    ]

    static let text = QueryParameter.optional("q", .text(0...GeocoderCall.longestText), "The text to search for.")
    static let street = part("street")
    static let city = part("city")
    static let county = part("county")
    static let state = part("state")
    static let country = part("country")
    static let postalCode = part("postalcode")
    static let limit = CountParameter("limit", most: 50, "The maximum number of places (default 10).")
    static let countries = QueryParameter.optional(
        "countrycodes",
        .text(0...400),
        "Only places in these countries, given by two-letter codes."
    )
    static let viewbox = QueryParameter.optional(
        "viewbox",
        .text(0...120),
        "Two corners as x1,y1,x2,y2. Places near the centre rank higher."
    )
    static let bounded = flag("bounded", "1: only places in the viewbox.")
    static let featureType = QueryParameter.optional(
        "featureType",
        .word(["country", "state", "city", "settlement"]),
        "Only places of this type."
    )
    static let excluded = QueryParameter.optional("exclude_place_ids", .text(0...2_000), "The places to exclude.")
    static let search: ParameterList = [
        text, street, city, county, state, country, postalCode, limit, countries, viewbox, bounded, featureType,
        excluded,
        common,
    ]

    static let latitude = QueryParameter.required("lat", .number(-90...90), "Latitude in degrees.")
    static let longitude = QueryParameter.required("lon", .number(-180...180), "Longitude in degrees.")
    static let zoom = QueryParameter.optional(
        "zoom",
        .number(0...18),
        "The level of detail: 3 for the country, 5 for the state, 10 for the city, 18 for everything."
    )

    static let elements = QueryParameter.optional(
        "osm_ids",
        .text(0...2_000),
        "Elements of an added extract: N123,W45,R6."
    )
    static let places = QueryParameter.optional(
        "place_ids",
        .text(0...2_000),
        "The place_id of any places; an extension to Nominatim."
    )

    static let statusFormat = QueryParameter.optional(
        format.name,
        .word(["text", "json"]),
        "The format of the answer (default text)."
    )

    private static func flag(_ name: String, _ description: String) -> QueryParameter<Int?> {
        .optional(name, .integer(0...1), description)
    }

    private static func part(_ name: String) -> QueryParameter<String?> {
        .optional(name, .text(0...GeocoderCall.longestText), "A part of an address, instead of q.")
    }
}
