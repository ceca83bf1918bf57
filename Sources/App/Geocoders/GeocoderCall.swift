import Formats
import Gazetteer
import Geometry
import HTTPTypes

/// Reads parameters as clients of other geocoders send them.
struct GeocoderCall: Sendable {
    let query: [String: [String]]

    init(_ call: Call) { query = call.query }

    /// The last value that is not empty.
    func text(_ name: String) -> String? {
        query[name]?.last { value in value.contains { !$0.isWhitespace } }
    }

    /// Anything but 0 and nothing is yes.
    func flag(_ name: String) -> Bool { text(name).map { $0 != "0" } ?? false }

    /// A finite number.
    func number(_ name: String) -> Double? { text(name).flatMap { DecimalText.number($0) } }

    /// A number of results, brought into the range.
    func count(_ name: String, default usual: Int, most: Int) -> Int {
        number(name).map { Int(min(Double(most), max(1, $0))) } ?? usual
    }

    /// A position; a longitude beyond the antimeridian is the same one on this side.
    func position(_ latitude: String, _ longitude: String) -> Coordinate? {
        guard let north = number(latitude), let east = number(longitude), abs(north) <= 90, abs(east) <= 1_080
        else { return nil }
        return Coordinate(wrappingLatitude: north, longitude: east)
    }

    /// Codes of two letters, from every value and between commas.
    func countries(_ name: String) -> [String] {
        (query[name] ?? []).flatMap { $0.split(separator: ",") }
            .map { $0.filter { !$0.isWhitespace }.uppercased() }
            .filter { !$0.isEmpty }
    }

    /// Every value and what is between commas.
    func list(_ name: String) -> [String] {
        (query[name] ?? []).flatMap { $0.split(separator: ",") }.map { String($0.filter { !$0.isWhitespace }) }
    }

    /// The first language that is asked for, without its country.
    var language: String? {
        let text = text("accept-language") ?? text("lang")
        return text.map { String($0.lowercased().prefix { $0.isASCII && $0.isLetter }) }
            .flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Two corners, in any order: x1,y1,x2,y2.
    func corners(_ name: String) -> BoundingBox? {
        let texts = list(name)
        let numbers = texts.compactMap { DecimalText.number($0) }
        guard texts.count == 4, numbers.count == 4 else { return nil }
        let (xs, ys) = ([numbers[0], numbers[2]], [numbers[1], numbers[3]])
        return BoundingBox(
            west: max(-180, min(xs[0], xs[1])),
            south: max(-90, min(ys[0], ys[1])),
            east: min(180, max(xs[0], xs[1])),
            north: min(90, max(ys[0], ys[1]))
        )
    }

    /// The longest text that is looked for, in bytes.
    static let longestText = 2_000
}

extension PlaceSearch? {
    /// The gazetteer, or the reason why there is none.
    func loaded() throws -> PlaceSearch {
        guard let self else {
            throw Problem(
                .serviceUnavailable,
                "no-gazetteer",
                "This service runs without place names; its log says why."
            )
        }
        return self
    }
}

extension JSONWriter {
    /// Writes what this geocoder knows more than others, as further members of an open object.
    mutating func confidence(of place: PlaceAnswer) {
        member("confidence", (place.match.confidence * 1_000).rounded() / 1_000)
        member("match_type", place.match.matchType.rawValue)
        member("unmatched", place.match.unmatched)
        member("ambiguous", place.match.isAmbiguous)
        if let distance = place.distanceKilometres { member("distance_km", (distance * 1_000).rounded() / 1_000) }
    }

    /// Writes a member only where there is something to write.
    mutating func known(_ name: String, _ text: String?) {
        if let text { member(name, text) }
    }

    /// Writes a point as GeoJSON.
    mutating func point(_ coordinate: Coordinate) {
        beginObject()
        member("type", "Point")
        key("coordinates")
        coordinates(coordinate)
        endObject()
    }

    /// Writes numbers of degrees as a list.
    mutating func degrees(_ values: [Double]) {
        beginArray()
        for value in values { degrees(value) }
        endArray()
    }
}
