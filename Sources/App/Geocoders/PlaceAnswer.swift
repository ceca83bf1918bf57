import Gazetteer
import Geometry

/// A place as the interfaces of other geocoders return it: the match, and the names of the areas it lies in.
struct PlaceAnswer: Sendable {
    /// The attribution of the place data, for the attribution fields of the answers.
    static let attribution = "Place data © GeoNames, CC BY 4.0, https://www.geonames.org/"

    var match: GazetteerMatch
    /// The part of a city that the place is or lies in.
    var neighbourhood: String?
    /// The place's own name if it is a street, a landmark, an airport or a park.
    var site: String?
    /// The settlement that the place is or lies in.
    var city: String?
    /// The kind of the settlement in ``city``.
    var cityKind = PlaceKind.city
    var county: String?
    var state: String?
    /// The ISO 3166-2 code of the state.
    var stateCode: String?
    var postcode: String?
    var country: String?
    /// The ISO 3166 code of the country, two lower-case letters.
    var countryCode: String?
    /// The distance from the requested position in kilometres.
    var distanceKilometres: Double?

    /// Creates the answer for a place found by a search.
    init(_ match: GazetteerMatch, in gazetteer: GazetteerIndex) {
        self.match = match
        (county, state, country, countryCode) = (match.admin2, match.admin1, match.country, match.countryCode)
        postcode = match.postcode
        city = match.city
        switch match.kind {
        case .neighbourhood: neighbourhood = match.name
        case .street, .landmark, .airport, .park: site = match.name
        case .city, .town, .village: (city, cityKind) = (match.name, match.kind)
        default: break
        }
        if match.kind != .country, match.countryCode == "us" {
            stateCode = gazetteer.regionCode(at: match.coordinate)
        }
    }

    /// Creates the answer for a place around a position.
    init(_ match: GazetteerMatch, around reverse: ReverseMatch, in gazetteer: GazetteerIndex) {
        self.init(match, in: gazetteer)
        // The names at the position take precedence, down to the level of the place.
        let level = match.kind
        let place = reverse.place
        country = place.country ?? country
        countryCode = place.countryCode ?? countryCode
        guard level != .country else { return }
        state = place.admin1 ?? state
        stateCode = reverse.regionCode ?? stateCode
        guard level != .admin1 else { return }
        county = place.admin2 ?? county
        guard level != .county, reverse.isSettlement, !reverse.isNear else { return }
        (city, cityKind) = (place.name, place.kind.isSettlement ? place.kind : .city)
        postcode = reverse.postcode ?? postcode
        neighbourhood = level.isSettlement || match.name == place.name ? nil : reverse.neighbourhood
    }

    /// The names of the place and of the areas it lies in, from small to large.
    var displayName: String {
        var parts: [String] = []
        for part in [match.name, site, neighbourhood, city, county, state, country].compactMap({ $0 })
        where !parts.contains(part) { parts.append(part) }
        return parts.joined(separator: ", ")
    }

    /// A number for the place, stable as long as its id is.
    var number: Int { PlaceNumber.of(match.id) }

    /// The type and id of its OpenStreetMap element, such as `node` and 123, if it came from an extract.
    var element: (kind: String, id: Int)? {
        guard match.id.hasPrefix("osm:") else { return nil }
        let parts = match.id.dropFirst(4).split(separator: "/")
        guard parts.count == 2, let id = Int(parts[1]) else { return nil }
        return (String(parts[0]), id)
    }

    /// The south, north, west and east edges; a place without a box gets a typical extent for its kind.
    var box: (south: Double, north: Double, west: Double, east: Double) {
        if let box = match.boundingBox {
            // Clients do not understand boxes across the antimeridian.
            return box.west > box.east ? (box.south, box.north, -180, 180) : (box.south, box.north, box.west, box.east)
        }
        let reach =
            switch match.kind {
            case .country: 7.0
            case .admin1: 2.6
            case .county: 0.7
            case .city, .postcode: 0.16
            case .town: 0.04
            case .village: 0.02
            case .neighbourhood: 0.01
            case .water, .area: 5.0
            case .island, .mountain, .river: 0.5
            case .park, .airport: 0.02
            case .coordinate, .street, .landmark, .address: 0.00005
            }
        let (latitude, longitude) = (match.coordinate.latitude, match.coordinate.longitude)
        return (
            max(-90, latitude - reach), min(90, latitude + reach), max(-180, longitude - reach),
            min(180, longitude + reach)
        )
    }
}

extension PlaceAnswer {
    /// Whether it can lie inside a settlement: everything but settlements, larger areas, and landforms that may extend
    /// through several.
    private var liesInOne: Bool {
        switch match.kind {
        case .neighbourhood, .postcode, .street, .landmark, .address, .park, .airport: true
        case .country, .admin1, .county, .city, .town, .village, .coordinate: false
        case .water, .river, .island, .mountain, .area: false
        }
    }

    /// Returns the place with the settlement around it, where the gazetteer does not say by itself which that is.
    func namingCity(in gazetteer: PlaceSearch) -> PlaceAnswer {
        guard city == nil, liesInOne, let found = gazetteer.surroundings(of: match.coordinate)?.match,
            found.isSettlement, !found.isNear, found.place.countryCode == countryCode || countryCode == nil
        else { return self }
        var answer = self
        (answer.city, answer.cityKind) = (found.place.name, found.place.kind.isSettlement ? found.place.kind : .city)
        return answer
    }

    /// Returns the places around a position with their distances, smallest first.
    static func around(_ coordinate: Coordinate, in gazetteer: PlaceSearch) -> [PlaceAnswer] {
        guard let found = gazetteer.surroundings(of: coordinate) else { return [] }
        let (reverse, around) = (found.match, found.places)
        // A position far from a settlement does not lie in it.
        let settlement = reverse.isNear ? nil : around.settlement
        let matches = [around.part, settlement, around.county, around.region, around.country].compactMap { $0 }
        let places = matches.isEmpty ? [reverse.place] : matches
        return places.map { match in
            var answer = PlaceAnswer(match, around: reverse, in: gazetteer.places)
            answer.distanceKilometres = GreatCircle.distance(match.coordinate, coordinate) / 1_000
            return answer
        }
    }
}
