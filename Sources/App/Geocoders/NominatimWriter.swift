import Formats
import Gazetteer
import Geometry

/// Writes places in Nominatim's formats.
struct NominatimWriter: Sendable {
    let format: NominatimFormat
    let isReverse: Bool
    let asked: GeocoderCall
    let path: String

    func write(_ places: [PlaceAnswer]) -> [UInt8] {
        switch format {
        case .xml: NominatimXML(writer: self).write(places)
        case .json, .jsonv2: list(places)
        case .geojson: features(places, head: geoJSONHead, properties: geoJSONProperties)
        case .geocodejson: features(places, head: geocodeHead, properties: geocodeProperties)
        }
    }

    private func list(_ places: [PlaceAnswer]) -> [UInt8] {
        var json = JSONWriter(capacity: 600 * places.count + 64)
        guard !isReverse else {
            guard let place = places.first else { return NominatimJSON.nothing }
            write(place, to: &json)
            return json.bytes
        }
        json.beginArray()
        for place in places { write(place, to: &json) }
        json.endArray()
        return json.bytes
    }

    private func write(_ place: PlaceAnswer, to json: inout JSONWriter) {
        let sort = NominatimSort(place)
        json.beginObject()
        json.member("place_id", place.number)
        json.member("licence", PlaceAnswer.attribution)
        Self.element(of: place, to: &json)
        json.member("lat", NominatimJSON.decimal(place.match.coordinate.latitude))
        json.member("lon", NominatimJSON.decimal(place.match.coordinate.longitude))
        json.member(format == .json ? "class" : "category", sort.category)
        json.member("type", sort.type)
        json.member("place_rank", NominatimRank.of(place.match.kind))
        json.member("importance", place.match.importance)
        json.member("addresstype", sort.addressType)
        json.member("name", place.match.name)
        json.member("display_name", place.displayName)
        details(of: place, to: &json)
        json.key("boundingbox")
        json.value(NominatimJSON.box(place))
        if asked.flag(NominatimParameters.geometry) {
            json.key("geojson")
            json.point(place.match.coordinate)
        }
        json.confidence(of: place)
        json.endObject()
    }

    /// Writes the type and id of the place's OpenStreetMap element, if it has one; `lookup` accepts them.
    private static func element(of place: PlaceAnswer, to json: inout JSONWriter) {
        guard let element = place.element else { return }
        json.member("osm_type", element.kind)
        json.member("osm_id", element.id)
    }

    /// Writes the address, which clients expect without asking for it, and the requested details.
    private func details(of place: PlaceAnswer, to json: inout JSONWriter) {
        json.key("address")
        json.beginObject()
        for (name, text) in NominatimJSON.address(place) { json.member(name, text) }
        json.endObject()
        if asked.flag(NominatimParameters.extraTags) {
            json.key("extratags")
            json.beginObject()
            json.member("source", place.match.source)
            json.member(place.match.source, String(place.match.id.drop { $0 != ":" }.dropFirst()))
            json.known("start_date", place.match.fromYear.map(String.init))
            json.known("end_date", place.match.toYear.map(String.init))
            json.endObject()
        }
        if asked.flag(NominatimParameters.nameDetails) {
            json.key("namedetails")
            json.beginObject()
            json.member("name", place.match.name)
            json.endObject()
        }
    }
}

// The two formats that are GeoJSON.
extension NominatimWriter {
    private func features(
        _ places: [PlaceAnswer],
        head: (inout JSONWriter) -> Void,
        properties: (PlaceAnswer, inout JSONWriter) -> Void
    ) -> [UInt8] {
        if isReverse, places.isEmpty { return NominatimJSON.nothing }
        var json = JSONWriter(capacity: 600 * places.count + 128)
        json.beginObject()
        json.member("type", "FeatureCollection")
        head(&json)
        json.key("features")
        json.beginArray()
        for place in places {
            json.beginObject()
            json.member("type", "Feature")
            json.key("properties")
            json.beginObject()
            properties(place, &json)
            json.endObject()
            json.key("bbox")
            let box = place.box
            json.degrees([box.west, box.south, box.east, box.north])
            json.key("geometry")
            json.point(place.match.coordinate)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    private func geoJSONHead(_ json: inout JSONWriter) { json.member("licence", PlaceAnswer.attribution) }

    private func geoJSONProperties(_ place: PlaceAnswer, _ json: inout JSONWriter) {
        let sort = NominatimSort(place)
        json.member("place_id", place.number)
        Self.element(of: place, to: &json)
        json.member("place_rank", NominatimRank.of(place.match.kind))
        json.member("category", sort.category)
        json.member("type", sort.type)
        json.member("importance", place.match.importance)
        json.member("addresstype", sort.addressType)
        json.member("name", place.match.name)
        json.member("display_name", place.displayName)
        details(of: place, to: &json)
        json.confidence(of: place)
    }

    private func geocodeHead(_ json: inout JSONWriter) {
        json.key("geocoding")
        json.beginObject()
        json.member("version", "0.1.0")
        json.member("attribution", PlaceAnswer.attribution)
        json.member("licence", "CC BY 4.0")
        json.member("query", asked.text(NominatimParameters.text) ?? "")
        json.endObject()
    }

    private func geocodeProperties(_ place: PlaceAnswer, _ json: inout JSONWriter) {
        let sort = NominatimSort(place)
        json.key("geocoding")
        json.beginObject()
        json.member("place_id", place.number)
        Self.element(of: place, to: &json)
        json.member("osm_key", sort.category)
        json.member("osm_value", sort.type)
        json.member("type", sort.layer)
        if let distance = place.distanceKilometres { json.member("accuracy", Int((distance * 1_000).rounded())) }
        json.member("label", place.displayName)
        json.member("name", place.match.name)
        json.known("housenumber", place.match.houseNumber)
        json.known("street", place.match.street)
        json.known("locality", place.site)
        json.known("district", place.neighbourhood)
        json.known("city", place.city)
        json.known("county", place.county)
        json.known("state", place.state)
        json.known("country", place.country)
        json.known("postcode", place.postcode)
        json.known("country_code", place.countryCode)
        json.key("admin")
        json.beginObject()
        json.known("level6", place.county)
        json.known("level4", place.state)
        json.known("level2", place.country)
        json.endObject()
        json.confidence(of: place)
        json.endObject()
    }
}

/// Nominatim's names for a kind of place, and Photon's, which derive from them.
struct NominatimSort: Sendable {
    let category: String
    let type: String
    /// The member of the address that names the place itself.
    let addressType: String
    /// The coarser kind in Photon and geocodejson.
    let layer: String

    init(_ place: PlaceAnswer) {
        (category, type, addressType, layer) =
            switch place.match.kind {
            case .country: ("boundary", "administrative", "country", "country")
            case .admin1: ("boundary", "administrative", "state", "state")
            case .county: ("boundary", "administrative", "county", "county")
            case .city: ("place", "city", "city", "city")
            case .town: ("place", "town", "town", "city")
            case .village: ("place", "village", "village", "city")
            case .neighbourhood: ("place", "neighbourhood", "neighbourhood", "district")
            case .postcode: ("place", "postcode", "postcode", "other")
            case .address: ("place", "house", "place", "house")
            case .street: ("highway", "residential", "road", "street")
            case .landmark: ("tourism", "attraction", "tourism", "locality")
            case .coordinate: ("place", "locality", "locality", "locality")
            case .water: ("natural", "water", "natural", "other")
            case .river: ("waterway", "river", "waterway", "other")
            case .island: ("place", "island", "island", "other")
            case .mountain: ("natural", "peak", "natural", "other")
            case .park: ("leisure", "park", "leisure", "other")
            case .area: ("place", "region", "region", "other")
            case .airport: ("aeroway", "aerodrome", "aeroway", "other")
            }
    }
}

extension NominatimSort {
    /// The key in Photon's answers, where boundaries are places.
    var photonKey: String { category == "boundary" ? "place" : category }
    /// The value in Photon's answers.
    var photonValue: String { category == "boundary" ? addressType : type }
}
