import Gazetteer
import Geometry
import HTTPTypes

// Finding places by what is typed.
extension GazetteerEndpoints {
    private static let parts: [Endpoint.Parameter] = [
        .init("street", .text(minBytes: 1, maxBytes: 200), "Instead of q: a house number and street, or a building."),
        .init("city", .text(minBytes: 1, maxBytes: 200), "Instead of q: a city, town, village or neighbourhood."),
        .init("county", .text(minBytes: 1, maxBytes: 200), "Instead of q: a county."),
        .init("state", .text(minBytes: 1, maxBytes: 200), "Instead of q: a state or region, or its postal code."),
        .init("postalcode", .text(minBytes: 1, maxBytes: 20), "Instead of q: a postal code."),
    ]

    private static let preferences: [Endpoint.Parameter] = [
        .init("limit", .integer(1...50), "The most places; 5 unless said."),
        .init(
            "near",
            .text(minBytes: 3, maxBytes: 60, pattern: TextPattern.position),
            form: "LAT,LON in degrees",
            "LAT,LON: places near it come earlier."
        ),
        .init(
            "country",
            .text(minBytes: 2, maxBytes: 2, pattern: TextPattern.countryCode),
            list: true,
            form: "a country's code of two letters (ISO 3166-1 alpha-2)",
            "Only in these countries (ISO 3166-1 alpha-2)."
        ),
        .init(
            "bbox",
            .text(minBytes: 7, maxBytes: 120, pattern: TextPattern.box),
            form: Endpoint.Parameter.boxForm,
            "Only in this box, west,south,east,north."
        ),
        .init(
            "lang",
            .text(minBytes: 2, maxBytes: 8),
            form: "a language's code (ISO 639)",
            "Names in this language, where what was added to the gazetteer has them in it."
        ),
    ]

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
            summary: "Places for a text or an address in parts, best first; an empty list when nothing is found.",
            access: .anyone,
            scope: .geocodeRead,
            cost: .normal,
            caching: .revalidate,
            parameters: [.init("q", .text(minBytes: 1, maxBytes: 2_000), "What was typed.")] + Self.parts
                + Self.preferences + [.init("min_confidence", .number(0...1), "Only places at least this certain.")],
            success: [Self.places],
            handler: { call in
                var options = try Self.options(call)
                options.minimumConfidence = try call.number("min_confidence") ?? 0
                let matches = try loaded().search(try Self.query(call, options))
                if matches.isEmpty, let text = call.text("q"), GazetteerIndex.isImpossiblePosition(text) {
                    throw Problem.parameter(
                        "q",
                        "is no position: a latitude is -90 to 90 degrees, a longitude -180 to 180"
                    )
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
            summary: "The best known places with a name that starts as typed, for completing while typing.",
            access: .anyone,
            scope: .geocodeRead,
            cost: .normal,
            caching: .revalidate,
            parameters: [
                .init("q", .text(minBytes: 1, maxBytes: 300), required: true, "What has been typed so far.")
            ] + Self.preferences,
            success: [Self.places],
            handler: { call in
                let text = call.text("q") ?? ""
                guard !text.allSatisfy(\.isWhitespace) else {
                    throw Problem.parameter("q", "must hold something to look for")
                }
                let matches = try loaded().suggest(text, options: try Self.options(call))
                return Answer(body: GazetteerJSON.list(matches))
            }
        )
    }

    private static func options(_ call: Call) throws -> SearchOptions {
        var options = SearchOptions(limit: try call.integer("limit") ?? 5)
        options.near = try call.text("near")
            .map { text in
                guard let coordinate = Coordinate(parsing: text) else {
                    throw Problem.parameter("near", "must be LAT,LON in degrees")
                }
                return coordinate
            }
        options.countries = try (call.query["country"] ?? [])
            .map { code in
                guard code.utf8.allSatisfy({ $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A }) else {
                    throw Problem.parameter("country", "must be a country's code of two letters (ISO 3166-1 alpha-2)")
                }
                return code.uppercased()
            }
        options.boundingBox = try call.box("bbox")
        options.language = try call.text("lang")
            .map { code in
                guard LanguageCode.isCode(code) else {
                    throw Problem.parameter("lang", "must be a language's code (ISO 639)")
                }
                return code
            }
        return options
    }

    private static func query(_ call: Call, _ options: SearchOptions) throws -> PlaceQuery {
        let parts = PlaceParts(
            street: call.text("street") ?? "",
            city: call.text("city") ?? "",
            county: call.text("county") ?? "",
            state: call.text("state") ?? "",
            postalCode: call.text("postalcode") ?? ""
        )
        guard let text = call.text("q") else {
            guard parts != PlaceParts() else {
                throw Problem.parameter("q", "is missing; give it, or parts of an address such as city and state")
            }
            return PlaceQuery(parts: parts, options: options)
        }
        guard !text.allSatisfy(\.isWhitespace) else { throw Problem.parameter("q", "must hold something to look for") }
        guard parts == PlaceParts() else {
            throw Problem.parameter("q", "must not be given together with parts of an address")
        }
        return PlaceQuery(text, options: options)
    }
}
