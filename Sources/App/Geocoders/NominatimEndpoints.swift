import Web
import Library
import Gazetteer
import Geometry
import HTTPTypes

/// The endpoints of Nominatim's interface, so that its clients work with this service.
struct NominatimEndpoints: Sendable {
    let gazetteer: PlaceSearch?

    var all: [Endpoint] { [search, reverse, lookup, status] }

    private typealias Asked = NominatimParameters

    private static let answer = Endpoint.Success(
        status: .ok,
        mediaType: MediaType.json,
        schema: .either([.array(.named("NominatimPlace")), .named("NominatimPlace"), .named("PlaceFeatures")]),
        description: "The places, in the requested format; XML is also possible.",
        otherTypes: [MediaType.xml, MediaType.javaScript]
    )

    /// The media types of errors.
    private static let refusalTypes = [MediaType.json, MediaType.xml]

    private var search: Endpoint {
        Endpoint(
            method: .get,
            path: "/nominatim/search",
            name: "nominatimSearch",
            summary: "Searches for places by text or by parts of an address (Nominatim format).",
            access: .anyone,
            scope: .geocodeRead,
            cost: .normal,
            caching: .revalidate,
            parameters: Asked.search,
            isLenient: true,
            success: [Self.answer],
            refusalTypes: Self.refusalTypes,
            handler: { call in
                let gazetteer = try gazetteer.loaded()
                return answer(to: call, usual: .jsonv2) { asked in
                    var matches = gazetteer.search(try Self.query(asked))
                    if let kinds = Self.kinds(asked.text(Asked.featureType)) {
                        matches.removeAll { !kinds.contains($0.kind) }
                    }
                    let excluded = Set(asked.list(Asked.excluded).compactMap { Int($0) })
                    let places = matches.map { PlaceAnswer($0, in: gazetteer.places) }
                        .filter { !excluded.contains($0.number) }
                    return Array(places.prefix(asked.count(Asked.limit, default: 10)))
                }
            }
        )
    }

    private var reverse: Endpoint {
        Endpoint(
            method: .get,
            path: "/nominatim/reverse",
            name: "nominatimReverse",
            summary: "Returns the place in which a position lies (Nominatim format).",
            access: .anyone,
            scope: .geocodeRead,
            cost: .normal,
            caching: .revalidate,
            parameters: [Asked.latitude, Asked.longitude, Asked.zoom, Asked.common],
            isLenient: true,
            success: [Self.answer],
            refusalTypes: Self.refusalTypes,
            handler: { call in
                let gazetteer = try gazetteer.loaded()
                return answer(to: call, usual: .xml, isReverse: true) { asked in
                    let (latitude, longitude) = (Asked.latitude, Asked.longitude)
                    for part in [latitude, longitude] where asked.text(part) == nil {
                        throw NominatimError(message: "Parameter '\(part.name)' missing.")
                    }
                    guard let position = asked.position(latitude, longitude) else {
                        let names = "'\(latitude.name)' and '\(longitude.name)'"
                        throw NominatimError(message: "Parameters \(names) must be numbers of degrees.")
                    }
                    let zoom = Int(min(18, max(0, asked.number(Asked.zoom) ?? 18)))
                    let rank = NominatimRank.ofZoom[zoom]
                    // Places at sea have no address.
                    return PlaceAnswer.around(position, in: gazetteer)
                        .filter { $0.match.kind != .water && NominatimRank.of($0.match.kind) <= max(4, rank) }
                        .prefix(1).map { $0 }
                }
            }
        )
    }

    private var lookup: Endpoint {
        Endpoint(
            method: .get,
            path: "/nominatim/lookup",
            name: "nominatimLookup",
            summary: "Returns places by the ids from earlier answers, in the order of the request (Nominatim format).",
            access: .anyone,
            scope: .geocodeRead,
            cost: .light,
            caching: .revalidate,
            parameters: [Asked.elements, Asked.places, Asked.common],
            isLenient: true,
            success: [Self.answer],
            refusalTypes: Self.refusalTypes,
            handler: { call in
                let gazetteer = try gazetteer.loaded()
                return answer(to: call, usual: .xml) { asked in
                    let elements = asked.list(Asked.elements).prefix(50).compactMap(Self.identifier(ofElement:))
                    let numbers = asked.list(Asked.places).prefix(50 - elements.count).compactMap { Int($0) }
                    let matches =
                        elements.compactMap { gazetteer.match(id: $0, language: asked.language) }
                        + numbers.flatMap { gazetteer.matches(number: $0, language: asked.language) }
                    return matches.map { PlaceAnswer($0, in: gazetteer.places) }
                }
            }
        )
    }

    /// Returns the gazetteer id of an OpenStreetMap element such as "N123".
    private static func identifier(ofElement text: String) -> String? {
        guard let letter = text.first, let id = Int(text.dropFirst()), id >= 0 else { return nil }
        let kinds: [Character: String] = ["N": "node", "W": "way", "R": "relation"]
        return kinds[Character(letter.uppercased())].map { "osm:\($0)/\(id)" }
    }

    private var status: Endpoint {
        Endpoint(
            method: .get,
            path: "/nominatim/status",
            name: "nominatimStatus",
            summary: "Reports whether there is a gazetteer (Nominatim format).",
            access: .anyone,
            cost: .free,
            parameters: [Asked.statusFormat],
            isLenient: true,
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.text,
                    schema: nil,
                    description: "OK, or the same as JSON.",
                    otherTypes: [MediaType.json]
                )
            ],
            refusalTypes: [MediaType.text, MediaType.json],
            handler: { call in
                // Any other text selects the default.
                let isJSON = (try? call[Asked.statusFormat]) == "json"
                let body =
                    isJSON
                    ? NominatimJSON.status(gazetteer != nil)
                    : Array((gazetteer == nil ? "ERROR: No database" : "OK").utf8)
                return Answer(
                    status: gazetteer != nil || isJSON ? .ok : .internalServerError,
                    mediaType: isJSON ? MediaType.json : MediaType.text,
                    body: body
                )
            }
        )
    }

    /// Finds the places and writes them, or the error in the request, in the requested format.
    private func answer(
        to call: Call,
        usual: NominatimFormat,
        isReverse: Bool = false,
        find: (GeocoderCall) throws -> [PlaceAnswer]
    ) -> Answer {
        let asked = GeocoderCall(call)
        let callback = asked.text(Asked.callback)
        var format = usual
        do {
            if let name = asked.text(Asked.format) {
                guard let known = NominatimFormat(rawValue: name) else {
                    let names = NominatimFormat.allCases.map(\.rawValue).joined(separator: ", ")
                    throw NominatimError(message: "Parameter '\(Asked.format.name)' must be one of: \(names)")
                }
                format = known
            }
            if let callback, !callback.utf8.allSatisfy(Self.isName) {
                throw NominatimError(message: "Invalid \(Asked.callback.name) value")
            }
            let writer = NominatimWriter(format: format, isReverse: isReverse, asked: asked, path: call.path)
            let bytes = writer.write(try find(asked))
            guard format != .xml else { return Answer(mediaType: MediaType.xml, body: bytes) }
            guard let callback else { return Answer(body: bytes) }
            let script = Array("\(callback)(".utf8) + bytes + Array(")".utf8)
            return Answer(mediaType: MediaType.javaScript, body: script)
        } catch {
            let message = (error as? NominatimError)?.message ?? "The request cannot be read."
            return Answer(
                status: .badRequest,
                mediaType: format == .xml ? MediaType.xml : MediaType.json,
                body: format == .xml ? NominatimXML.error(message) : NominatimJSON.error(message)
            )
        }
    }

    /// Returns whether a byte may occur in the name of a JavaScript function.
    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "$"): true
        default: false
        }
    }

    private static func query(_ asked: GeocoderCall) throws -> PlaceQuery {
        var options = SearchOptions(limit: asked.count(Asked.limit, default: 10))
        // Leaves room for the places that are filtered out afterwards.
        if asked.text(Asked.featureType) != nil || asked.text(Asked.excluded) != nil { options.limit = 100 }
        options.countries = asked.countries(Asked.countries)
        options.language = asked.language
        let box = try [Asked.viewbox.name, "viewboxlbrt"].first { asked.text(undeclared: $0) != nil }
            .map { name in
                guard let box = asked.corners(undeclared: name) else {
                    throw NominatimError(message: "Parameter '\(name)' must be four numbers: x1,y1,x2,y2.")
                }
                return box
            }
        options.near = box?.center
        if asked.flag(Asked.bounded) { options.boundingBox = box }
        let parts = PlaceParts(
            street: asked.text(Asked.street) ?? asked.text(undeclared: "amenity") ?? "",
            city: asked.text(Asked.city) ?? "",
            county: asked.text(Asked.county) ?? "",
            state: asked.text(Asked.state) ?? "",
            country: asked.text(Asked.country) ?? "",
            postalCode: asked.text(Asked.postalCode) ?? ""
        )
        guard let text = asked.text(Asked.text) else {
            guard parts != PlaceParts() else { throw NominatimError(message: "Nothing to search for.") }
            return PlaceQuery(parts: parts, options: options)
        }
        guard parts == PlaceParts() else {
            throw NominatimError(
                message:
                    "Structured query parameters (amenity, street, city, county, state, postalcode, country) cannot be used together with 'q' parameter."
            )
        }
        guard text.utf8.count <= GeocoderCall.longestText else {
            throw NominatimError(message: "Parameter 'q' is too long.")
        }
        return PlaceQuery(text, options: options)
    }

    private static func kinds(_ featureType: String?) -> Set<PlaceKind>? {
        switch featureType {
        case "country": [.country]
        case "state": [.admin1]
        case "city": [.city, .town, .village]
        case "settlement": [.city, .town, .village, .neighbourhood]
        default: nil
        }
    }
}

/// An error in a request.
struct NominatimError: Error {
    /// The message, in Nominatim's wording.
    let message: String
}

/// The formats of answers.
enum NominatimFormat: String, CaseIterable, Sendable {
    case xml, json, jsonv2, geojson, geocodejson
}

/// Nominatim's ranks, which increase as places get smaller: 4 for a country, 30 for a house.
enum NominatimRank: Sendable {
    /// The rank of the smallest places returned at each zoom from 0 to 18.
    static let ofZoom = [2, 2, 2, 4, 4, 8, 10, 10, 12, 12, 16, 17, 18, 19, 22, 25, 26, 27, 30]

    static func of(_ kind: PlaceKind) -> Int {
        switch kind {
        case .country: 4
        case .admin1: 8
        case .county: 12
        case .city: 16
        case .town: 18
        case .village: 19
        case .neighbourhood: 20
        case .postcode: 21
        case .street: 26
        case .landmark, .coordinate, .address: 30
        case .water, .area: 2
        case .island: 17
        case .mountain, .park, .river: 22
        case .airport: 26
        }
    }
}
