import Web
import Library
import Gazetteer
import Geometry
import HTTPTypes

/// The parameters of place searches.
private enum Asked {
    static let text = QueryParameter.optional("q", .text(1...2_000), "The text to search for.")
    static let street = part("street", "A house number and street, or a building; instead of q.")
    static let city = part("city", "A city, town, village or neighbourhood; instead of q.")
    static let county = part("county", "A county; instead of q.")
    static let state = part("state", "A state or region, or its postal code; instead of q.")
    static let postalCode = part("postalcode", most: 20, "A postal code; instead of q.")
    static let parts: ParameterList = [street, city, county, state, postalCode]

    static let limit = Paging.limit(1...50, default: 5, "The maximum number of places")
    static let near = QueryParameter.optional("near", .position, "A position as LAT,LON. Places near it rank higher.")
    static let countries = QueryParameter.list(
        "country",
        .country,
        "Only places in these countries: names, or codes of two letters (ISO 3166-1)."
    )
    static let box = QueryParameter.optional("bbox", .box, "Only places in this box: west,south,east,north.")
    static let language = QueryParameter.optional(
        "lang",
        .language,
        "The language of names, where data added to the gazetteer includes it."
    )
    static let preferences: ParameterList = [limit, near, countries, box, language]

    static let year = QueryParameter.optional(
        "year",
        .integer(1...9_999),
        "The year that the text is about. Places and names of that time come first."
    )
    static let confidence = QueryParameter(
        "min_confidence",
        .number(0...1),
        default: 0,
        "Only places with at least this confidence."
    )
    /// The beginning of a name that is to be completed.
    static let beginning = QueryParameter.required("q", .text(1...300), "The text typed so far.")

    private static func part(_ name: String, most: Int = 200, _ description: String) -> QueryParameter<String> {
        QueryParameter(name, .text(1...most), default: "", description)
    }
}

extension ParameterKind where Value == Coordinate {
    /// Positions as `LAT,LON`.
    fileprivate static var position: Self {
        .text(3...60, pattern: TextPattern.position, form: "LAT,LON in degrees") { Coordinate(parsing: $0) }
    }
}

extension ParameterKind where Value == String {
    /// Names of countries, or their codes of two letters.
    fileprivate static var country: Self {
        .text(2...100, form: "a country's name or its code of two letters (ISO 3166-1)") { $0 }
    }

    /// Language codes.
    fileprivate static var language: Self {
        .text(2...8, form: "a language's code (ISO 639)") { LanguageCode.isCode($0) ? $0 : nil }
    }
}

// Searches for typed text.
extension GazetteerEndpoints {
    private static let places = Endpoint.Success(
        status: .ok,
        mediaType: MediaType.json,
        schema: .array(.named("GazetteerPlace")),
        description: "The places."
    )

    var geocode: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/geocode",
            name: "geocode",
            summary: """
                Searches for places by text or by parts of an address. Returns the best match first; empty if nothing \
                is found.
                """,
            access: .anyone,
            scope: .geocodeRead,
            cost: .normal,
            caching: .revalidate,
            parameters: [Asked.text, Asked.parts, Asked.preferences, Asked.confidence, Asked.year],
            success: [Self.places],
            handler: { call in
                let search = try loaded()
                var options = try Self.options(call, search)
                options.minimumConfidence = try call[Asked.confidence]
                options.year = try call[Asked.year]
                let matches = search.search(try Self.query(call, options))
                if matches.isEmpty, let text = try call[Asked.text], GazetteerIndex.isImpossiblePosition(text) {
                    throw Asked.text.invalid("is not a position: latitude is -90 to 90 degrees, longitude -180 to 180")
                }
                return Answer(body: GazetteerJSON.list(matches))
            }
        )
    }

    var suggest: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/suggest",
            name: "suggest",
            summary: "Returns the best-known places with a name that starts with the given text, for autocompletion.",
            access: .anyone,
            scope: .geocodeRead,
            cost: .normal,
            caching: .revalidate,
            parameters: [Asked.beginning, Asked.preferences],
            success: [Self.places],
            handler: { call in
                let text = try call[Asked.beginning]
                guard !text.allSatisfy(\.isWhitespace) else {
                    throw Asked.beginning.invalid("must contain something to search for")
                }
                let search = try loaded()
                let matches = search.suggest(text, options: try Self.options(call, search))
                return Answer(body: GazetteerJSON.list(matches))
            }
        )
    }

    private static func options(_ call: Call, _ search: PlaceSearch) throws -> SearchOptions {
        var options = SearchOptions(limit: try call[Asked.limit])
        options.near = try call[Asked.near]
        options.countries = try call[Asked.countries]
            .map { name in
                guard let code = search.places.code(ofCountryNamed: name) else {
                    throw Asked.countries.invalid("names no country; use names or codes of two letters, such as us")
                }
                return code
            }
        options.boundingBox = try call[Asked.box]
        options.language = try call[Asked.language]
        return options
    }

    private static func query(_ call: Call, _ options: SearchOptions) throws -> PlaceQuery {
        let parts = PlaceParts(
            street: try call[Asked.street],
            city: try call[Asked.city],
            county: try call[Asked.county],
            state: try call[Asked.state],
            postalCode: try call[Asked.postalCode]
        )
        guard let text = try call[Asked.text] else {
            guard parts != PlaceParts() else {
                throw Asked.text.invalid("is missing; give it, or parts of an address such as city and state")
            }
            return PlaceQuery(parts: parts, options: options)
        }
        guard !text.allSatisfy(\.isWhitespace) else { throw Asked.text.invalid("must contain something to search for") }
        guard parts == PlaceParts() else {
            throw Asked.text.invalid("must not be given together with parts of an address")
        }
        return PlaceQuery(text, options: options)
    }
}
