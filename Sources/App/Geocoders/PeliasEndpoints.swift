import Gazetteer
import Geometry
import HTTPTypes

/// The interface of Pelias, so that its clients work with this service.
struct PeliasEndpoints: Sendable {
    let gazetteer: PlaceSearch?

    var all: [Endpoint] { [search, autocomplete, reverse] }

    private static let answer = Endpoint.Success(
        status: .ok,
        mediaType: MediaType.json,
        schema: .named("PlaceFeatures"),
        description: "The places as GeoJSON."
    )

    private static let filters: [Endpoint.Parameter] = [
        .init("text", .text(minBytes: 1, maxBytes: GeocoderCall.longestText), required: true, "What was typed."),
        .init("size", .integer(1...40), "The most places; 10 unless said."),
        .init("focus.point.lat", .number(-90...90), "With its longitude: places near there come earlier."),
        .init("focus.point.lon", .number(-180...180), "With its latitude: places near there come earlier."),
        .init("boundary.country", .text(maxBytes: 400), "Only in these countries."),
        .init("boundary.rect.min_lat", .number(-90...90), "Only in the box of these four."),
        .init("boundary.rect.min_lon", .number(-180...180), "Only in the box of these four."),
        .init("boundary.rect.max_lat", .number(-90...90), "Only in the box of these four."),
        .init("boundary.rect.max_lon", .number(-180...180), "Only in the box of these four."),
        .init("boundary.circle.lat", .number(-90...90), "Only around this point."),
        .init("boundary.circle.lon", .number(-180...180), "Only around this point."),
        .init("boundary.circle.radius", .number(0...20_100), "Only so many kilometres around it; 50 unless said."),
        .init("layers", .text(maxBytes: 400), "Only such places, such as locality,region."),
    ]

    private var search: Endpoint {
        typed(path: "/pelias/v1/search", name: "peliasSearch", summary: "Places for a text, as Pelias answers.") {
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
            summary: "Places for what has been typed so far, as Pelias answers.",
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
                let size = asked.count("size", default: 10, most: 40)
                var writer = PeliasWriter(gazetteer: gazetteer.places)
                writer.query = [("text", asked.text("text") ?? ""), ("size", "\(size)")]
                guard let text = asked.text("text") else {
                    return writer.refusal("invalid param 'text': text length, must be >0")
                }
                guard text.utf8.count <= GeocoderCall.longestText else {
                    return writer.refusal("invalid param 'text': at most \(GeocoderCall.longestText) bytes")
                }
                for name in Self.limits where asked.text(name) != nil && asked.number(name) == nil {
                    return writer.refusal("invalid param '\(name)'")
                }
                var options = SearchOptions(limit: asked.list("layers").isEmpty ? size : 100)
                options.near = asked.position("focus.point.lat", "focus.point.lon")
                // In countries that nobody knows there is nothing.
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
            summary: "The places a position lies in, the smallest first, as Pelias answers.",
            access: .anyone,
            scope: .geocodeRead,
            cost: .normal,
            caching: .revalidate,
            parameters: [
                .init("point.lat", .number(-90...90), required: true, "Latitude in degrees."),
                .init("point.lon", .number(-180...180), required: true, "Longitude in degrees."),
                .init("size", .integer(1...40), "The most places; 10 unless said."),
                .init("layers", .text(maxBytes: 400), "Only such places, such as locality,region."),
                .init("boundary.country", .text(maxBytes: 400), "Only in these countries."),
            ],
            isLenient: true,
            success: [Self.answer],
            refusalTypes: [MediaType.json],
            handler: { call in
                let gazetteer = try gazetteer.loaded()
                let asked = GeocoderCall(call)
                let size = asked.count("size", default: 10, most: 40)
                var writer = PeliasWriter(gazetteer: gazetteer.places)
                writer.query = [("size", "\(size)")]
                for name in ["point.lat", "point.lon"] {
                    guard let text = asked.text(name) else { return writer.refusal("missing param '\(name)'") }
                    guard let number = DecimalText.number(text) else {
                        return writer.refusal("invalid param '\(name)'")
                    }
                    writer.query.append((name, "\(number)"))
                }
                guard let position = Self.wrapped(asked) else {
                    return writer.refusal("invalid param 'point.lat' or 'point.lon'")
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

    /// A position; beyond a pole it goes on down the other side, as Pelias has it.
    private static func wrapped(_ asked: GeocoderCall) -> Coordinate? {
        guard var latitude = asked.number("point.lat"), var longitude = asked.number("point.lon"),
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
        let layers = Set(asked.list("layers"))
        guard !layers.isEmpty else { return places }
        let isCoarse = layers.contains("coarse")
        return places.filter { place in
            let layer = PeliasWriter.layer(of: place.match.kind)
            return layers.contains(layer) || (isCoarse && layer != "venue" && layer != "street")
        }
    }

    /// Codes of two letters for those of two or three; `nil` when there are some and none of them is known.
    private static func countries(_ asked: GeocoderCall, in gazetteer: GazetteerIndex) -> [String]? {
        let given = asked.list("boundary.country")
        let known = given.compactMap { code in
            code.utf8.count == 2 ? code.uppercased() : gazetteer.shortCode(ofCountry: code)
        }
        return known.isEmpty && !given.isEmpty ? nil : known
    }

    /// Parameters that are numbers and narrow what is found: one that cannot be read must not be passed over.
    private static let limits =
        ["boundary.circle.lat", "boundary.circle.lon", "boundary.circle.radius"]
        + ["min_lat", "min_lon", "max_lat", "max_lon"].map { "boundary.rect.\($0)" }

    /// A circle that places must lie in.
    private struct Circle: Sendable {
        let centre: Coordinate
        let kilometres: Double

        init?(_ asked: GeocoderCall) {
            guard let centre = asked.position("boundary.circle.lat", "boundary.circle.lon") else { return nil }
            self.centre = centre
            kilometres = min(20_100, max(0, asked.number("boundary.circle.radius") ?? 50))
        }

        func contains(_ position: Coordinate) -> Bool {
            GreatCircle.distance(centre, position) <= kilometres * 1_000
        }

        /// A box around it; `nil` when it reaches to a pole or half around the globe.
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
        guard let west = asked.number("boundary.rect.min_lon"), let east = asked.number("boundary.rect.max_lon"),
            let south = asked.number("boundary.rect.min_lat"), let north = asked.number("boundary.rect.max_lat")
        else { return nil }
        return BoundingBox(west: west, south: south, east: east, north: north)
    }
}
