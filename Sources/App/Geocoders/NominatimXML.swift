import Gazetteer
import Geometry

/// Nominatim's answers in XML.
struct NominatimXML: Sendable {
    let writer: NominatimWriter

    private static let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\" ?>\n"

    /// Returns the answer to an invalid request.
    static func error(_ message: String) -> [UInt8] {
        Array("\(declaration)<error><code>400</code><message>\(escape(message))</message></error>".utf8)
    }

    func write(_ places: [PlaceAnswer]) -> [UInt8] {
        Array((Self.declaration + (writer.isReverse ? reverse(places.first) : search(places))).utf8)
    }

    private func search(_ places: [PlaceAnswer]) -> String {
        let query = Self.attributes([
            ("attribution", PlaceAnswer.attribution),
            ("querystring", writer.asked.text(NominatimParameters.text) ?? ""),
        ])
        let inside = places.map { place in
            "<place\(attributes(of: place))>\(Self.elements(of: place))</place>"
        }
        return "<searchresults\(query)>\(inside.joined())</searchresults>"
    }

    private func reverse(_ place: PlaceAnswer?) -> String {
        let query = writer.asked.query.sorted { $0.key < $1.key }
            .flatMap { name, values in values.map { "\(name)=\($0)" } }
        let head = Self.attributes([
            ("attribution", PlaceAnswer.attribution), ("querystring", query.joined(separator: "&")),
        ])
        guard let place else { return "<reversegeocode\(head)><error>Unable to geocode</error></reversegeocode>" }
        let rank = "\(NominatimRank.of(place.match.kind))"
        let attributes = Self.attributes(
            [
                ("place_id", "\(place.number)")
            ] + Self.element(of: place) + [
                ("ref", place.match.name),
                ("lat", NominatimJSON.decimal(place.match.coordinate.latitude)),
                ("lon", NominatimJSON.decimal(place.match.coordinate.longitude)),
                ("boundingbox", NominatimJSON.box(place).joined(separator: ",")), ("place_rank", rank),
                ("address_rank", rank),
            ]
        )
        return "<reversegeocode\(head)><result\(attributes)>\(Self.escape(place.displayName))</result>"
            + "<addressparts>\(Self.elements(of: place))</addressparts></reversegeocode>"
    }

    private func attributes(of place: PlaceAnswer) -> String {
        let sort = NominatimSort(place)
        let rank = "\(NominatimRank.of(place.match.kind))"
        return Self.attributes(
            [
                ("place_id", "\(place.number)")
            ] + Self.element(of: place) + [
                ("place_rank", rank), ("address_rank", rank),
                ("boundingbox", NominatimJSON.box(place).joined(separator: ",")),
                ("lat", NominatimJSON.decimal(place.match.coordinate.latitude)),
                ("lon", NominatimJSON.decimal(place.match.coordinate.longitude)), ("display_name", place.displayName),
                ("class", sort.category), ("type", sort.type), ("importance", "\(place.match.importance)"),
            ]
        )
    }

    private static func element(of place: PlaceAnswer) -> [(name: String, text: String)] {
        place.element.map { [("osm_type", $0.kind), ("osm_id", "\($0.id)")] } ?? []
    }

    private static func elements(of place: PlaceAnswer) -> String {
        NominatimJSON.address(place)
            .map { name, text in "<\(name)>\(escape(text))</\(name)>" }
            .joined()
    }

    private static func attributes(_ pairs: [(name: String, text: String)]) -> String {
        pairs.map { " \($0.name)=\"\(escape($0.text))\"" }.joined()
    }

    /// Escapes a text for XML and drops characters that XML cannot represent.
    private static func escape(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\t", "\n", "\r": escaped += "&#\(scalar.value);"
            case "\u{0}"..."\u{1F}", "\u{FFFE}"..."\u{FFFF}": continue
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
