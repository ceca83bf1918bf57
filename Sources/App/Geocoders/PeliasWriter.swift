import Web
import Library
import Formats
import Gazetteer
import Geometry
import HTTPTypes

/// Writes places in Pelias's format.
struct PeliasWriter: Sendable {
    let gazetteer: GazetteerIndex
    /// The query as the service understood it.
    var query: [(name: String, text: String)] = []

    init(gazetteer: GazetteerIndex) { self.gazetteer = gazetteer }

    func write(_ places: [PlaceAnswer]) -> [UInt8] {
        var json = JSONWriter(capacity: 700 * places.count + 300)
        json.beginObject()
        head(nil, to: &json)
        json.member("type", "FeatureCollection")
        json.key("features")
        json.beginArray()
        for place in places { write(place, to: &json) }
        json.endArray()
        if !places.isEmpty {
            let boxes = places.map(\.box)
            json.key("bbox")
            json.degrees([
                boxes.map(\.west).min() ?? -180, boxes.map(\.south).min() ?? -90, boxes.map(\.east).max() ?? 180,
                boxes.map(\.north).max() ?? 90,
            ])
        }
        json.endObject()
        return json.bytes
    }

    /// Returns the answer to an invalid request.
    func refusal(_ message: String) -> Answer {
        var json = JSONWriter(capacity: 300)
        json.beginObject()
        head(message, to: &json)
        json.member("type", "FeatureCollection")
        json.key("features")
        json.value([String]())
        json.endObject()
        return Answer(status: .badRequest, body: json.bytes)
    }

    private func head(_ error: String?, to json: inout JSONWriter) {
        json.key("geocoding")
        json.beginObject()
        json.member("version", "0.2")
        json.member("attribution", PlaceAnswer.attribution)
        json.key("query")
        json.beginObject()
        for (name, text) in query {
            if name == "text" {
                json.member(name, text)
            } else {
                json.member(name, DecimalText.number(text))
            }
        }
        json.endObject()
        if let error { json.member("errors", [error]) }
        json.key("engine")
        json.beginObject()
        json.member("name", "Waymark")
        json.member("version", Release.version)
        json.endObject()
        json.endObject()
    }

    private func write(_ place: PlaceAnswer, to json: inout JSONWriter) {
        json.beginObject()
        json.member("type", "Feature")
        json.key("geometry")
        json.point(place.match.coordinate)
        json.key("properties")
        properties(of: place, to: &json)
        json.key("bbox")
        let box = place.box
        json.degrees([box.west, box.south, box.east, box.north])
        json.endObject()
    }

    private func properties(of place: PlaceAnswer, to json: inout JSONWriter) {
        let match = place.match
        let layer = Self.layer(of: match.kind)
        let number = String(match.id.drop { $0 != ":" }.dropFirst())
        let longCode = place.countryCode.flatMap { gazetteer.longCode(ofCountry: $0) }
        let stateCode = place.stateCode.map { String($0.drop { $0 != "-" }.dropFirst()) }
        json.beginObject()
        json.member("id", number)
        json.member("gid", "\(match.source):\(layer):\(number)")
        json.member("layer", layer)
        json.member("source", match.source)
        json.member("source_id", number)
        json.known("country_code", place.countryCode?.uppercased())
        json.member("name", match.name)
        json.member("confidence", (match.confidence * 1_000).rounded() / 1_000)
        json.member("match_type", match.matchType.rawValue)
        if let distance = place.distanceKilometres { json.member("distance", (distance * 1_000).rounded() / 1_000) }
        json.member("accuracy", match.houseNumber == nil ? "centroid" : "point")
        json.known("housenumber", match.houseNumber)
        json.known("street", match.street)
        json.known("country", place.country)
        json.known("country_a", longCode)
        json.known("region", place.state)
        json.known("region_a", stateCode)
        json.known("county", place.county)
        json.known("locality", place.city)
        json.known("neighbourhood", place.neighbourhood)
        json.known("postalcode", place.postcode)
        json.member("label", label(of: place, stateCode: stateCode, longCode: longCode))
        json.member("unmatched", match.unmatched)
        json.member("ambiguous", match.isAmbiguous)
        json.endObject()
    }

    /// Returns a label such as "Sweet Auburn, Atlanta, GA, USA", or one with full names where codes are unknown.
    private func label(of place: PlaceAnswer, stateCode: String?, longCode: String?) -> String {
        let match = place.match
        guard let stateCode, let longCode else { return match.label }
        let names: [String?] =
            match.kind == .admin1 ? [match.name, longCode] : [match.name, place.city, stateCode, longCode]
        var parts: [String] = []
        for name in names.compactMap({ $0 }) where !parts.contains(name) { parts.append(name) }
        return parts.joined(separator: ", ")
    }

    /// Returns Pelias's layer for a kind of place.
    static func layer(of kind: PlaceKind) -> String {
        switch kind {
        case .country: "country"
        case .admin1: "region"
        case .county: "county"
        case .city, .town, .village: "locality"
        case .neighbourhood: "neighbourhood"
        case .postcode: "postalcode"
        case .street: "street"
        case .address: "address"
        case .landmark, .coordinate, .airport, .park, .mountain, .river: "venue"
        case .water: "marinearea"
        case .island, .area: "macroregion"
        }
    }
}
