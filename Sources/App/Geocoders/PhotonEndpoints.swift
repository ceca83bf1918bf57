import Web
import Library
import Formats
import Gazetteer
import Geometry
import HTTPTypes

/// The endpoints of Photon's interface, so that its clients work with this service.
struct PhotonEndpoints: Sendable {
    let gazetteer: PlaceSearch?

    var all: [Endpoint] { [search, reverse, status] }

    private static let limit = CountParameter(
        "limit",
        most: 50,
        "The maximum number of places (default 15 for search, 1 for reverse)."
    )
    private static let layers = QueryParameter.list(
        "layer",
        .word(["house", "street", "locality", "district", "city", "county", "state", "country", "other"]),
        "Only places of these types; may be repeated."
    )
    private static let tags = QueryParameter.list(
        "osm_tag",
        .text(0...80),
        "Only places with this tag: `key:value`, `key` or `:value`. `!key`, `!key:value` and `:!value` exclude places."
    )
    private static let common: ParameterList = [limit, layers, tags, GeocoderCall.lang]

    private static let text = QueryParameter.required(
        "q",
        .text(1...GeocoderCall.longestText),
        "The text typed so far."
    )
    private static let nearLatitude = QueryParameter.optional(
        latitude.name,
        .number(-90...90),
        "A latitude, with lon. Places near the point rank higher."
    )
    private static let nearLongitude = QueryParameter.optional(
        longitude.name,
        .number(-180...180),
        "A longitude, with lat. Places near the point rank higher."
    )
    private static let box = QueryParameter.optional(
        "bbox",
        .text(0...120),
        "Only places in this box: west,south,east,north."
    )
    private static let countries = QueryParameter.list(
        "countrycode",
        .text(0...2),
        "Only places in these countries; may be repeated."
    )

    private static let latitude = QueryParameter.required("lat", .number(-90...90), "Latitude in degrees.")
    private static let longitude = QueryParameter.required("lon", .number(-180...180), "Longitude in degrees.")
    private static let radius = QueryParameter.optional(
        "radius",
        .number(0...5_000),
        "Only places whose centre is within this number of kilometres."
    )

    private static let answer = Endpoint.Success(
        status: .ok,
        mediaType: MediaType.json,
        schema: .named("PlaceFeatures"),
        description: "The places as GeoJSON."
    )

    private var search: Endpoint {
        Endpoint(
            method: .get,
            path: "/photon/api",
            name: "photonSearch",
            summary: "Returns places that complete the text typed so far (Photon format).",
            access: .anyone,
            scope: .geocodeRead,
            cost: .normal,
            caching: .revalidate,
            parameters: [
                Self.text, Self.nearLatitude, Self.nearLongitude, Self.box, Self.countries, Self.common,
            ],
            isLenient: true,
            success: [Self.answer],
            refusalTypes: [MediaType.json],
            handler: { call in
                let gazetteer = try gazetteer.loaded()
                let asked = GeocoderCall(call)
                guard let text = asked.text(Self.text) else {
                    return Self.refusal("missing search term 'q': /?q=berlin")
                }
                guard text.utf8.count <= GeocoderCall.longestText else {
                    return Self.refusal("search term 'q' is too long: at most \(GeocoderCall.longestText) bytes")
                }
                let count = asked.count(Self.limit, default: 15)
                var options = SearchOptions(
                    limit: asked.list(Self.layers).isEmpty && asked.list(Self.tags).isEmpty ? count : 100
                )
                if asked.text(Self.nearLatitude) != nil || asked.text(Self.nearLongitude) != nil {
                    guard let near = asked.position(Self.nearLatitude, Self.nearLongitude) else {
                        return Self.refusal("invalid lat/lon")
                    }
                    options.near = near
                }
                if asked.text(Self.box) != nil {
                    guard let box = asked.corners(Self.box) else { return Self.refusal("invalid bbox") }
                    options.boundingBox = box
                }
                options.countries = asked.countries(Self.countries)
                options.language = asked.language
                let places = Self.find(text, options, in: gazetteer)
                return Answer(body: Self.features(places, asked, in: gazetteer, most: count))
            }
        )
    }

    private var reverse: Endpoint {
        Endpoint(
            method: .get,
            path: "/photon/reverse",
            name: "photonReverse",
            summary: "Returns the place in which a position lies (Photon format).",
            access: .anyone,
            scope: .geocodeRead,
            cost: .normal,
            caching: .revalidate,
            parameters: [Self.latitude, Self.longitude, Self.radius, Self.common],
            isLenient: true,
            success: [Self.answer],
            refusalTypes: [MediaType.json],
            handler: { call in
                let gazetteer = try gazetteer.loaded()
                let asked = GeocoderCall(call)
                guard let position = asked.position(Self.latitude, Self.longitude) else {
                    return Self.refusal("missing or invalid search term 'lat' and/or 'lon': /?lat=51.5&lon=8.0")
                }
                let radius = asked.number(Self.radius) ?? .infinity
                let places = PlaceAnswer.around(position, in: gazetteer)
                    .filter { $0.match.kind != .water && ($0.distanceKilometres ?? 0) <= radius }
                let count = asked.count(Self.limit, default: 1)
                return Answer(body: Self.features(places, asked, in: gazetteer, most: count, namesOwnCity: true))
            }
        )
    }

    private var status: Endpoint {
        Endpoint(
            method: .get,
            path: "/photon/status",
            name: "photonStatus",
            summary: "Reports whether there is a gazetteer (Photon format).",
            access: .anyone,
            cost: .free,
            isLenient: true,
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .object([.init("status", .text(maxBytes: 20), required: true)], open: true),
                    description: "Ok."
                )
            ],
            handler: { _ in
                Answer(
                    status: gazetteer == nil ? .internalServerError : .ok,
                    body: Array("{\"status\":\"\(gazetteer == nil ? "Error" : "Ok")\"}".utf8)
                )
            }
        )
    }

    /// Returns the places that a text may mean and those that start with it, because users are still typing.
    static func find(_ text: String, _ options: SearchOptions, in gazetteer: PlaceSearch) -> [PlaceAnswer] {
        var seen: Set<String> = []
        var matches: [GazetteerMatch] = []
        let found = gazetteer.search(text, options: options)
        // A match of the whole name precedes names that start with the text; a partial or fuzzy match follows them.
        let isWhole = found.first.map { $0.unmatched.isEmpty && $0.matchType != .fuzzy } ?? false
        let started = gazetteer.suggest(text, options: options)
        for match in isWhole ? found + started : started + found where seen.insert(match.id).inserted {
            matches.append(match)
        }
        return matches.prefix(options.limit).map { PlaceAnswer($0, in: gazetteer.places) }
    }

    private static func features(
        _ places: [PlaceAnswer],
        _ asked: GeocoderCall,
        in gazetteer: PlaceSearch,
        most: Int,
        namesOwnCity: Bool = false
    ) -> [UInt8] {
        let layers = Set(asked.list(Self.layers))
        let tags = PhotonTags(asked.list(Self.tags))
        let shown =
            places.filter { place in
                let sort = NominatimSort(place)
                return (layers.isEmpty || layers.contains(sort.layer)) && tags.admit(sort.photonKey, sort.photonValue)
            }
            .prefix(most)
        var json = JSONWriter(capacity: 500 * shown.count + 64)
        json.beginObject()
        json.member("type", "FeatureCollection")
        json.key("features")
        json.beginArray()
        for place in shown {
            json.beginObject()
            json.member("type", "Feature")
            json.key("properties")
            properties(of: place.namingCity(in: gazetteer), namesOwnCity: namesOwnCity, to: &json)
            json.key("geometry")
            json.point(place.match.coordinate)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    private static func properties(of place: PlaceAnswer, namesOwnCity: Bool, to json: inout JSONWriter) {
        let sort = NominatimSort(place)
        json.beginObject()
        if let element = place.element {
            json.member("osm_type", element.kind.prefix(1).uppercased())
            json.member("osm_id", element.id)
        }
        json.member("osm_key", sort.photonKey)
        json.member("osm_value", sort.photonValue)
        json.member("type", sort.layer)
        if let number = place.match.houseNumber {
            json.member("housenumber", number)
            json.known("street", place.match.street)
        } else {
            json.member("name", place.match.name)
        }
        // The place's own level is omitted because its name is given. Around a position, a city is repeated as `city`
        // for clients that fill in addresses. A borough lies in a city: that one is named.
        if sort.layer != "district" { json.known("district", place.neighbourhood) }
        let around = sort.layer == "city" && place.match.city != place.match.name ? place.match.city : nil
        if sort.layer != "city" || namesOwnCity { json.known("city", place.city) } else { json.known("city", around) }
        if sort.layer != "county" { json.known("county", place.county) }
        if sort.layer != "state" { json.known("state", place.state) }
        json.known("country", place.country)
        json.known("postcode", place.postcode)
        json.known("countrycode", place.countryCode?.uppercased())
        json.key("extent")
        let box = place.box
        json.degrees([box.west, box.north, box.east, box.south])
        json.confidence(of: place)
        json.endObject()
    }

    private static func refusal(_ message: String) -> Answer {
        var json = JSONWriter(capacity: 64)
        json.beginObject()
        json.member("message", message)
        json.endObject()
        return Answer(status: .badRequest, body: json.bytes)
    }
}
