import Formats
import Gazetteer
import Geometry
import HTTPTypes

/// Reads parameters as clients of other geocoders send them.
struct GeocoderCall: Sendable {
    /// The wanted language, as Nominatim and Photon call it.
    static let acceptLanguage = QueryParameter.optional("accept-language", .text(0...100), languageText)
    static let lang = QueryParameter.optional("lang", .text(0...20), languageText)
    private static let languageText = "A language: names are in it where the added data has them."

    let query: [String: [String]]

    init(_ call: Call) { query = call.query.all }

    /// Returns the last value that is not empty.
    func text<Value>(_ parameter: QueryParameter<Value>) -> String? { text(undeclared: parameter.name) }

    /// Returns the last value that is not empty of a parameter that is not in the document.
    func text(undeclared name: String) -> String? {
        query[name]?.last { value in value.contains { !$0.isWhitespace } }
    }

    /// Returns whether there is a value other than 0.
    func flag<Value>(_ parameter: QueryParameter<Value>) -> Bool { text(parameter).map { $0 != "0" } ?? false }

    /// Returns a finite number.
    func number<Value>(_ parameter: QueryParameter<Value>) -> Double? {
        text(parameter).flatMap { DecimalText.number($0) }
    }

    /// Returns a number of results, brought into the range.
    func count(_ count: CountParameter, default usual: Int) -> Int {
        number(count.parameter).map { Int(min(Double(count.most), max(1, $0))) } ?? usual
    }

    /// Returns a position; a longitude beyond the antimeridian is the same one on this side.
    func position<Value>(_ latitude: QueryParameter<Value>, _ longitude: QueryParameter<Value>) -> Coordinate? {
        guard let north = number(latitude), let east = number(longitude), abs(north) <= 90, abs(east) <= 1_080
        else { return nil }
        return Coordinate(wrappingLatitude: north, longitude: east)
    }

    /// Returns codes of two letters, from every value and between commas.
    func countries<Value>(_ parameter: QueryParameter<Value>) -> [String] {
        (query[parameter.name] ?? []).flatMap { $0.split(separator: ",") }
            .map { $0.filter { !$0.isWhitespace }.uppercased() }
            .filter { !$0.isEmpty }
    }

    /// Returns all values, and those between commas.
    func list<Value>(_ parameter: QueryParameter<Value>) -> [String] { list(named: parameter.name) }

    private func list(named name: String) -> [String] {
        (query[name] ?? []).flatMap { $0.split(separator: ",") }.map { String($0.filter { !$0.isWhitespace }) }
    }

    /// The first language that is asked for, without its country.
    var language: String? {
        let text = text(GeocoderCall.acceptLanguage) ?? text(GeocoderCall.lang)
        return text.map { String($0.lowercased().prefix { $0.isASCII && $0.isLetter }) }
            .flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the box of two corners in any order: x1,y1,x2,y2.
    func corners<Value>(_ parameter: QueryParameter<Value>) -> BoundingBox? { corners(undeclared: parameter.name) }

    /// Returns the box of a parameter that is not in the document.
    func corners(undeclared name: String) -> BoundingBox? {
        let texts = list(named: name)
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

    /// The maximum length of a text to look for, in bytes.
    static let longestText = 2_000
}

/// The wanted number of places; a number outside of the range is brought into it.
struct CountParameter: DeclaresParameters {
    fileprivate let parameter: QueryParameter<Int?>
    fileprivate let most: Int

    init(_ name: String, most: Int, _ description: String) {
        self.most = most
        parameter = .optional(name, .integer(1...most), description)
    }

    var declarations: [ParameterDeclaration] { parameter.declarations }
    /// The name in the query.
    var name: String { parameter.name }
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
