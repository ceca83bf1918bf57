import Web
import Library
import Gazetteer
import Geometry
import HTTPTypes

/// The endpoints of Pelias's interface, so that its clients work with this service.
struct PeliasEndpoints: Sendable {
    let gazetteer: PlaceSearch?

    var all: [Endpoint] { [search, autocomplete, reverse] }

    private static let answer = Endpoint.Success(
        status: .ok,
        mediaType: MediaType.json,
        schema: .named("PlaceFeatures"),
        description: "The places as GeoJSON."
    )

    private static let text = QueryParameter.required(
        "text",
        .text(1...GeocoderCall.longestText),
        "The text to search for."
    )
    private static let size = CountParameter("size", most: 40, "The maximum number of places (default 10).")
    private static let focusLatitude = latitude(
        "focus.point.lat",
        "A latitude, with its longitude. Places near the point rank higher."
    )
    private static let focusLongitude = longitude(
        "focus.point.lon",
        "A longitude, with its latitude. Places near the point rank higher."
    )
    private static let countries = QueryParameter.optional(
        "boundary.country",
        .text(0...400),
        "Only places in these countries."
    )
    private static let south = latitude("boundary.rect.min_lat", "Only places in the box of these four parameters.")
    private static let west = longitude("boundary.rect.min_lon", "Only places in the box of these four parameters.")
    private static let north = latitude("boundary.rect.max_lat", "Only places in the box of these four parameters.")
    private static let east = longitude("boundary.rect.max_lon", "Only places in the box of these four parameters.")
    private static let centreLatitude = latitude("boundary.circle.lat", "Only places around this point.")
    private static let centreLongitude = longitude("boundary.circle.lon", "Only places around this point.")
    private static let radius = QueryParameter.optional(
        "boundary.circle.radius",
        .number(0...20_100),
        "The maximum distance from that point in kilometres (default 50)."
    )
    private static let layers = QueryParameter.optional(
        "layers",
        .text(0...400),
        "Only places of these types, such as locality,region."
    )
    private static let filters: ParameterList = [
        text, size, focusLatitude, focusLongitude, countries, south, west, north, east, centreLatitude, centreLongitude,
        radius, layers,
    ]

    private static let pointLatitude = QueryParameter.required("point.lat", .number(-90...90), "Latitude in degrees.")
    private static let pointLongitude = QueryParameter.required(
        "point.lon",
        .number(-180...180),
        "Longitude in degrees."
    )

    private static func latitude(_ name: String, _ description: String) -> QueryParameter<Double?> {
        .optional(name, .number(-90...90), description)
    }

    private static func longitude(_ name: String, _ description: String) -> QueryParameter<Double?> {
        .optional(name, .number(-180...180), description)
    }

    private var search: Endpoint {
        typed(path: "/pelias/v1/search", name: "peliasSearch", summary: "Finds places by text (Pelias format).") {
            text,
            options,
            gazetteer in
            gazetteer.search(text, options: options).map { PlaceAnswer($0, in: gazetteer.places) }
        }
    }

    private var autocomplete: Endpoint {
        typed(
            path: "/pelias/v1/autocomplete",
            name: "peliasAutocomplete",
            summary: "Returns places that complete the text typed so far (Pelias format).",
            find: PhotonEndpoints.find
        )
    }

    private func typed(
        path: String,
        name: String,
        summary: String,
        find: @escaping @Sendable (String, SearchOptions, PlaceSearch) -> [PlaceAnswer]
    ) -> Endpoint {
        Endpoint(
            method: .get,
            path: path,
            name: name,
            summary: summary,
            access: .anyone,
            scope: .geocodeRead,
            cost: .normal,
            caching: .revalidate,
            parameters: Self.filters,
            isLenient: true,
            success: [Self.answer],
            refusalTypes: [MediaType.json],
            handler: { call in
                let gazetteer = try gazetteer.loaded()
                let asked = GeocoderCall(call)
                let size = asked.count(Self.size, default: 10)
                var writer = PeliasWriter(gazetteer: gazetteer.places)
                writer.query = [(Self.text.name, asked.text(Self.text) ?? ""), (Self.size.name, "\(size)")]
                guard let text = asked.text(Self.text) else {
                    return writer.refusal("invalid param 'text': text length, must be >0")
                }
                guard text.utf8.count <= GeocoderCall.longestText else {
                    return writer.refusal("invalid param 'text': at most \(GeocoderCall.longestText) bytes")
                }
                for limit in Self.limits where asked.text(limit) != nil && asked.number(limit) == nil {
                    return writer.refusal("invalid param '\(limit.name)'")
                }
                var options = SearchOptions(limit: asked.list(Self.layers).isEmpty ? size : 100)
                options.near = asked.position(Self.focusLatitude, Self.focusLongitude)
                // There are no places in unknown countries.
                guard let countries = Self.countries(asked, in: gazetteer.places) else {
                    return Answer(body: writer.write([]))
                }
                options.countries = countries
                options.boundingBox = try Self.box(asked)
                let circle = Circle(asked)
                if let circle {
                    options.limit = 100
                    options.boundingBox = options.boundingBox ?? circle.box
                }
                let places = Self.shown(find(text, options, gazetteer), asked)
                    .filter { circle?.contains($0.match.coordinate) ?? true }
                return Answer(body: writer.write(Array(places.prefix(size))))
            }
        )
    }

    private var reverse: Endpoint {
        Endpoint(
            method: .get,
            path: "/pelias/v1/reverse",
            name: "peliasReverse",
            summary: "Returns the places in which a position lies, smallest first (Pelias format).",
            access: .anyone,
            scope: .geocodeRead,
            cost: .normal,
            caching: .revalidate,
            parameters: [Self.pointLatitude, Self.pointLongitude, Self.size, Self.layers, Self.countries],
            isLenient: true,
            success: [Self.answer],
            refusalTypes: [MediaType.json],
            handler: { call in
                let gazetteer = try gazetteer.loaded()
                let asked = GeocoderCall(call)
                let size = asked.count(Self.size, default: 10)
                var writer = PeliasWriter(gazetteer: gazetteer.places)
                writer.query = [(Self.size.name, "\(size)")]
                for part in [Self.pointLatitude, Self.pointLongitude] {
                    guard let text = asked.text(part) else { return writer.refusal("missing param '\(part.name)'") }
                    guard let number = DecimalText.number(text) else {
                        return writer.refusal("invalid param '\(part.name)'")
                    }
                    writer.query.append((part.name, "\(number)"))
                }
                guard let position = Self.wrapped(asked) else {
                    return writer.refusal("invalid param '\(Self.pointLatitude.name)' or '\(Self.pointLongitude.name)'")
                }
                guard let codes = Self.countries(asked, in: gazetteer.places) else {
                    return Answer(body: writer.write([]))
                }
                let countries = Set(codes.map { $0.lowercased() })
                let places = Self.shown(PlaceAnswer.around(position, in: gazetteer), asked)
                    .filter { countries.isEmpty || countries.contains($0.countryCode ?? "") }
                return Answer(body: writer.write(Array(places.prefix(size))))
            }
        )
    }

    /// Returns the position; beyond a pole, a latitude continues down the other side, as in Pelias.
    private static func wrapped(_ asked: GeocoderCall) -> Coordinate? {
        guard var latitude = asked.number(Self.pointLatitude), var longitude = asked.number(Self.pointLongitude),
            abs(latitude) <= 1_080, abs(longitude) <= 1_080
        else { return nil }
        latitude = (latitude + 90).truncatingRemainder(dividingBy: 360)
        if latitude < 0 { latitude += 360 }
        if latitude > 180 {
            latitude = 360 - latitude
            longitude += 180
        }
        return Coordinate(wrappingLatitude: latitude - 90, longitude: longitude)
    }

    private static func shown(_ places: [PlaceAnswer], _ asked: GeocoderCall) -> [PlaceAnswer] {
        let layers = Set(asked.list(Self.layers))
        guard !layers.isEmpty else { return places }
        let isCoarse = layers.contains("coarse")
        return places.filter { place in
            let layer = PeliasWriter.layer(of: place.match.kind)
            return layers.contains(layer) || (isCoarse && layer != "venue" && layer != "street")
        }
    }

    /// Returns two-letter codes for codes of two or three letters; `nil` if codes are given but none is known.
    ///
    /// A code of two letters always counts as known.
    private static func countries(_ asked: GeocoderCall, in gazetteer: GazetteerIndex) -> [String]? {
        let given = asked.list(Self.countries)
        let known = given.compactMap { code in
            code.utf8.count == 2 ? code.uppercased() : gazetteer.shortCode(ofCountry: code)
        }
        return known.isEmpty && !given.isEmpty ? nil : known
    }

    /// Numeric parameters that narrow the results; an unreadable one must be rejected, not ignored.
    private static let limits = [centreLatitude, centreLongitude, radius, south, west, north, east]

    /// A circle that must contain the places.
    private struct Circle: Sendable {
        let centre: Coordinate
        let kilometres: Double

        init?(_ asked: GeocoderCall) {
            guard let centre = asked.position(centreLatitude, centreLongitude) else { return nil }
            self.centre = centre
            kilometres = min(20_100, max(0, asked.number(radius) ?? 50))
        }

        func contains(_ position: Coordinate) -> Bool {
            GreatCircle.distance(centre, position) <= kilometres * 1_000
        }

        /// The bounding box of the circle; `nil` if it comes within 5° of a pole or reaches almost around the globe.
        var box: BoundingBox? {
            let height = kilometres / 111
            let (south, north) = (centre.latitude - height, centre.latitude + height)
            guard south > -85, north < 85 else { return nil }
            let width = height / Math.cosine(Math.radians(max(abs(south), abs(north))))
            guard width < 170 else { return nil }
            return BoundingBox(
                west: Coordinate.wrap(longitude: centre.longitude - width),
                south: south,
                east: Coordinate.wrap(longitude: centre.longitude + width),
                north: north
            )
        }
    }

    private static func box(_ asked: GeocoderCall) throws -> BoundingBox? {
        guard let west = asked.number(west), let east = asked.number(east), let south = asked.number(south),
            let north = asked.number(north)
        else { return nil }
        return BoundingBox(west: west, south: south, east: east, north: north)
    }
}
