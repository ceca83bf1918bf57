import Library
import Formats
import Gazetteer

/// Parts of Nominatim's answers.
enum NominatimJSON: Sendable {
    /// The answer if nothing is found at a position; clients recognise this exact text.
    static let nothing = Array(#"{"error":"Unable to geocode"}"#.utf8)

    /// Returns the answer to an invalid request.
    static func error(_ message: String) -> [UInt8] {
        var json = JSONWriter(capacity: 128)
        json.beginObject()
        json.key("error")
        json.beginObject()
        json.member("code", 400)
        json.member("message", message)
        json.endObject()
        json.endObject()
        return json.bytes
    }

    /// Returns the answer that reports whether a gazetteer is loaded.
    static func status(_ isReady: Bool) -> [UInt8] {
        var json = JSONWriter(capacity: 128)
        json.beginObject()
        json.member("status", isReady ? 0 : 700)
        json.member("message", isReady ? "OK" : "No database")
        json.member("software_version", Release.version)
        json.member("database_version", "\(GazetteerIndex.formatVersion)")
        json.endObject()
        return json.bytes
    }

    /// Returns the names of a place and of the areas it lies in, from small to large.
    static func address(_ place: PlaceAnswer) -> [(name: String, text: String)] {
        let city: String =
            switch place.cityKind {
            case .town: "town"
            case .village: "village"
            default: "city"
            }
        let site = place.match.kind == .street ? "road" : "tourism"
        let parts: [(String, String?)] = [
            ("house_number", place.match.houseNumber), ("road", place.match.street), (site, place.site),
            ("neighbourhood", place.neighbourhood), (city, place.city), ("county", place.county),
            ("state", place.state), ("ISO3166-2-lvl4", place.stateCode), ("postcode", place.postcode),
            ("country", place.country), ("country_code", place.countryCode),
        ]
        return parts.compactMap { part in part.1.map { (part.0, $0) } }
    }

    /// Returns the south, north, west and east edges as texts.
    static func box(_ place: PlaceAnswer) -> [String] {
        let box = place.box
        return [box.south, box.north, box.west, box.east].map(decimal)
    }

    /// Returns a number of degrees with seven decimals.
    static func decimal(_ degrees: Double) -> String {
        let units = Int64((degrees * 1e7).rounded())
        let digits = String(units.magnitude % 10_000_000)
        let zeros = String(repeating: "0", count: 7 - digits.count)
        return "\(units < 0 ? "-" : "")\(units.magnitude / 10_000_000).\(zeros)\(digits)"
    }
}
