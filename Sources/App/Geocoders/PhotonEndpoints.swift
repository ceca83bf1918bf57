import Formats
import Gazetteer
import Geometry
import HTTPTypes

/// The interface of Photon, so that its clients work with this service.
struct PhotonEndpoints: Sendable {
    let gazetteer: PlaceSearch?

    var all: [Endpoint] { [search, reverse, status] }

    private static let common: [Endpoint.Parameter] = [
        .init("limit", .integer(1...50), "The most places."),
        .init(
            "layer",
            .word(["house", "street", "locality", "district", "city", "county", "state", "country", "other"]),
            list: true,
            "Only such places; may be repeated."
        ),
        .init(
            "osm_tag",
            .text(maxBytes: 80),
            list: true,
            "Only places of such a key and value, as `key:value`, `key` or `:value`; `!` before either leaves them out."
        ),
        .init("lang", .text(maxBytes: 20), "A language: names are in it where the added data has them."),
    ]

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
            summary: "Places for what has been typed so far, as Photon answers.",
            access: .anyone,
            scope: .geocodeRead,
            cost: .normal,
            caching: .revalidate,
            parameters: [
                .init(
                    "q",
                    .text(minBytes: 1, maxBytes: GeocoderCall.longestText),
                    required: true,
                    "What has been typed."
                ),
                .init("lat", .number(-90...90), "With lon: places near there come earlier."),
                .init("lon", .number(-180...180), "With lat: places near there come earlier."),
                .init("bbox", .text(maxBytes: 120), "Only in this box, west,south,east,north."),
                .init("countrycode", .text(maxBytes: 2), list: true, "Only in these countries; may be repeated."),
            ] + Self.common,
            isLenient: true,
            success: [Self.answer],
            refusalTypes: [MediaType.json],
            handler: { call in
                let gazetteer = try gazetteer.loaded()
                let asked = GeocoderCall(call)
                guard let text = asked.text("q") else { return Self.refusal("missing search term 'q': /?q=berlin") }
                guard text.utf8.count <= GeocoderCall.longestText else {
                    return Self.refusal("search term 'q' is too long: at most \(GeocoderCall.longestText) bytes")
                }
                let count = asked.count("limit", default: 15, most: 50)
                var options = SearchOptions(
                    limit: asked.list("layer").isEmpty && asked.list("osm_tag").isEmpty ? count : 100
                )
                if asked.text("lat") != nil || asked.text("lon") != nil {
                    guard let near = asked.position("lat", "lon") else { return Self.refusal("invalid lat/lon") }
                    options.near = near
                }
                if asked.text("bbox") != nil {
                    guard let box = asked.corners("bbox") else { return Self.refusal("invalid bbox") }
                    options.boundingBox = box
                }
                options.countries = asked.countries("countrycode")
                options.language = asked.language
                let places = Self.find(text, options, in: gazetteer)
                return Answer(body: Self.features(places, asked, most: count))
            }
        )
    }

    private var reverse: Endpoint {
        Endpoint(
            method: .get,
            path: "/photon/reverse",
            name: "photonReverse",
            summary: "The place a position lies in, as Photon answers.",
            access: .anyone,
            scope: .geocodeRead,
            cost: .normal,
            caching: .revalidate,
            parameters: [
                .init("lat", .number(-90...90), required: true, "Latitude in degrees."),
                .init("lon", .number(-180...180), required: true, "Longitude in degrees."),
                .init("radius", .number(0...5_000), "Only places whose middle is within so many kilometres."),
            ] + Self.common,
            isLenient: true,
            success: [Self.answer],
            refusalTypes: [MediaType.json],
            handler: { call in
                let gazetteer = try gazetteer.loaded()
                let asked = GeocoderCall(call)
                guard let position = asked.position("lat", "lon") else {
                    return Self.refusal("missing or invalid search term 'lat' and/or 'lon': /?lat=51.5&lon=8.0")
                }
                let radius = asked.number("radius") ?? .infinity
                let places = PlaceAnswer.around(position, in: gazetteer)
                    .filter { $0.match.kind != .water && ($0.distanceKilometres ?? 0) <= radius }
                let count = asked.count("limit", default: 1, most: 50)
                return Answer(body: Self.features(places, asked, most: count, namesOwnCity: true))
            }
        )
    }

    private var status: Endpoint {
        Endpoint(
            method: .get,
            path: "/photon/status",
            name: "photonStatus",
            summary: "Whether there is a gazetteer, as Photon says it.",
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

    /// What may be meant by a text, and what starts with it: people are still typing.
    static func find(_ text: String, _ options: SearchOptions, in gazetteer: PlaceSearch) -> [PlaceAnswer] {
        var seen: Set<String> = []
        var matches: [GazetteerMatch] = []
        let found = gazetteer.search(text, options: options)
        // A name found whole comes before names that start so, one found in part after them.
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
        most: Int,
        namesOwnCity: Bool = false
    ) -> [UInt8] {
        let layers = Set(asked.list("layer"))
        let tags = PhotonTags(asked.list("osm_tag"))
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
            properties(of: place, namesOwnCity: namesOwnCity, to: &json)
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
        // What the place is itself stands in its name; a city around a position is told as one as well, for who fills in
        // an address.
        if sort.layer != "district" { json.known("district", place.neighbourhood) }
        if sort.layer != "city" || namesOwnCity { json.known("city", place.city) }
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
