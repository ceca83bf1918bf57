import Web
import Library
import Formats
public import Gazetteer
import Geometry
import HTTPTypes

/// The routes of the geocoder.
struct GazetteerEndpoints: Sendable {
    let gazetteer: PlaceSearch?

    var all: [Endpoint] { [geocode, suggest, reverse] }

    private static let position = PositionParameters()

    private var reverse: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/reverse",
            name: "reverse",
            summary: """
                Returns the name of a position: its settlement or, far from any, its region, country or body of water.
                """,
            access: .anyone,
            scope: .geocodeRead,
            cost: .normal,
            caching: .revalidate,
            parameters: [Self.position],
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("ReversePlace"),
                    description: "The settlement or, if there is none, the larger area."
                )
            ],
            handler: { call in
                guard let match = try loaded().reverse(try call[Self.position]) else {
                    throw Problem(.notFound, "not-found", "Nothing is known about this position.")
                }
                return Answer(body: GazetteerJSON.reverse(match))
            }
        )
    }

    /// Returns the gazetteer.
    ///
    /// - Throws: ``Problem`` (503) if none is loaded.
    func loaded() throws -> PlaceSearch {
        guard let gazetteer else {
            throw Problem(
                .serviceUnavailable,
                "no-gazetteer",
                "This service is running without place names. The operator finds the reason in its log."
            )
        }
        return gazetteer
    }
}

/// The JSON of the geocoder's answers, identical over HTTP and on the command line.
public enum GazetteerJSON: Sendable {
    /// Returns the list of places, best first.
    public static func list(_ matches: [GazetteerMatch]) -> [UInt8] {
        var json = JSONWriter(capacity: 400 * matches.count + 2)
        json.beginArray()
        for match in matches {
            json.beginObject()
            write(match, to: &json)
            json.endObject()
        }
        json.endArray()
        return json.bytes
    }

    /// Returns the name of a position, with the distance from the settlement's centre.
    public static func reverse(_ match: ReverseMatch) -> [UInt8] {
        var json = JSONWriter(capacity: 500)
        var place = match.place
        place.label = match.label
        place.postcode = match.postcode
        json.beginObject()
        write(place, to: &json)
        json.member("distance_km", (match.distanceKilometres * 1_000).rounded() / 1_000)
        json.member("bearing", (match.bearing * 10).rounded() / 10)
        json.member("near", match.isNear)
        json.member("neighbourhood", match.neighbourhood)
        json.member("region_code", match.regionCode)
        json.member("water", match.water)
        json.endObject()
        return json.bytes
    }

    /// Writes a span of years as two numbers, null for an end that is not known; nothing if neither is known.
    private static func write(_ span: YearSpan?, _ name: String, to json: inout JSONWriter) {
        guard let span, span.from != nil || span.to != nil else { return }
        json.key(name)
        json.beginArray()
        for year in [span.from, span.to] {
            if let year { json.value(year) } else { json.null() }
        }
        json.endArray()
    }

    private static func write(_ match: GazetteerMatch, to json: inout JSONWriter) {
        json.member("name", match.name)
        json.member("kind", match.kind.name)
        json.key("lat")
        json.degrees(match.coordinate.latitude)
        json.key("lon")
        json.degrees(match.coordinate.longitude)
        json.member("confidence", (match.confidence * 1_000).rounded() / 1_000)
        json.member("match_type", match.matchType.rawValue)
        json.member("matched_name", match.matchedName)
        write(match.matchedYears, "matched_years", to: &json)
        if let name = match.nameThen { json.member("name_then", name) }
        write(YearSpan(from: match.fromYear, to: match.toYear), "years", to: &json)
        json.member("unmatched", match.unmatched)
        json.member("ambiguous", match.isAmbiguous)
        json.member("importance", (match.importance * 1_000).rounded() / 1_000)
        json.member("admin1", match.admin1)
        json.member("admin2", match.admin2)
        json.member("country", match.country)
        json.member("country_code", match.countryCode)
        json.member("postcode", match.postcode)
        json.member("label", match.label)
        json.key("bbox")
        if let box = match.boundingBox { GeoJSONShapes.writeBox(box, to: &json) } else { json.null() }
        json.member("source", match.source)
        json.member("id", match.id)
    }
}

/// The schemas of the geocoder's answers.
enum GazetteerSchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = [
        ("GazetteerPlace", .object(members)),
        (
            "ReversePlace",
            .object(
                members + [
                    .init(
                        "distance_km",
                        .number(0...20_100),
                        required: true,
                        "The distance from the centre of the settlement in kilometres."
                    ),
                    .init(
                        "bearing",
                        .number(0...360),
                        required: true,
                        "The bearing from the centre, in degrees clockwise from north."
                    ),
                    .init("near", .boolean, required: true, "Whether the position lies well outside the settlement."),
                    .init("neighbourhood", .nullable(name), required: true, "The part of the settlement."),
                    .init("region_code", .nullable(name), required: true, "The ISO 3166-2 code, if known."),
                    .init("water", .nullable(name), required: true, "The sea or lake, for a position off a coast."),
                ]
            )
        ),
    ]

    /// The schemas for the interfaces of other geocoders: the members on which their clients rely.
    static let compatible: [(name: String, schema: Schema)] = [
        (
            "NominatimPlace",
            .object(
                [
                    .init("place_id", .integer(0...Int(Int32.max))), .init("licence", name),
                    .init("lat", .text(maxBytes: 20)),
                    .init("lon", .text(maxBytes: 20)), .init("display_name", .text(maxBytes: 2_000)),
                    .init("address", .object([], open: true)),
                    .init("boundingbox", .array(.text(maxBytes: 20), maxItems: 4)),
                ],
                open: true
            )
        ),
        (
            "PlaceFeatures",
            .object(
                [
                    .init("type", .constant("FeatureCollection"), required: true),
                    .init("features", .array(.object([], open: true)), required: true),
                ],
                open: true
            )
        ),
    ]

    private static let name = Schema.text(maxBytes: 400)
    private static let years = Schema.array(.nullable(.integer(0...9_999)), maxItems: 2)
    private static let members: [Schema.Member] = [
        .init("name", name, required: true), .init("kind", .text(maxBytes: 40), required: true),
        .init("lat", .number(-90...90), required: true), .init("lon", .number(-180...180), required: true),
        .init("confidence", .number(0...1), required: true),
        .init("match_type", .word(GazetteerMatch.MatchType.allCases.map(\.rawValue)), required: true),
        .init(
            "matched_name",
            .nullable(name),
            required: true,
            "The matched alias, if `name` does not show it: `Bombay` for Mumbai."
        ),
        .init(
            "matched_years",
            years,
            "The first and the last year in which the place had `matched_name`; null for an end that is not known."
        ),
        .init("name_then", name, "With `year`: the name that the place had then, if it was another one."),
        .init(
            "years",
            years,
            "The first and the last year in which the place existed; null for an end that is not known."
        ),
        .init("unmatched", .array(name), required: true, "The parts of the query that were not matched."),
        .init("ambiguous", .boolean, required: true, "Whether another place is about as likely."),
        .init("importance", .number(0...1), required: true),
        .init("admin1", .nullable(name), required: true), .init("admin2", .nullable(name), required: true),
        .init("country", .nullable(name), required: true), .init("country_code", .nullable(name), required: true),
        .init("postcode", .nullable(name), required: true), .init("label", name, required: true),
        .init("bbox", .nullable(.named("Box")), required: true),
        .init("source", name, required: true), .init("id", name, required: true),
    ]
}
