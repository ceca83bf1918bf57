import Web
import Formats
import Gazetteer
import Geometry
import HTTPTypes

/// Reads query parameters as clients of other geocoders send them.
struct GeocoderCall: Sendable {
    /// The preferred language: `accept-language` in Nominatim, `lang` in Photon.
    static let acceptLanguage = QueryParameter.optional("accept-language", .text(0...100), languageText)
    static let lang = QueryParameter.optional("lang", .text(0...20), languageText)
    private static let languageText = "The preferred language of names, used where the added data includes it."

    let query: [String: [String]]

    init(_ call: Call) { query = call.query.all }

    /// Returns the last value that is not blank.
    func text<Value>(_ parameter: QueryParameter<Value>) -> String? { text(undeclared: parameter.name) }

    /// Returns the last non-blank value of a parameter that the OpenAPI document does not contain.
    func text(undeclared name: String) -> String? {
        query[name]?.last { value in value.contains { !$0.isWhitespace } }
    }

    /// Returns whether the parameter has a value other than 0.
    func flag<Value>(_ parameter: QueryParameter<Value>) -> Bool { text(parameter).map { $0 != "0" } ?? false }

    /// Returns the value if it is a finite number.
    func number<Value>(_ parameter: QueryParameter<Value>) -> Double? {
        text(parameter).flatMap { DecimalText.number($0) }
    }

    /// Returns the wanted number of results, clamped to its range.
    func count(_ count: CountParameter, default usual: Int) -> Int {
        number(count.parameter).map { Int(min(Double(count.most), max(1, $0))) } ?? usual
    }

    /// Returns a position; a longitude beyond the antimeridian is wrapped.
    func position<Value>(_ latitude: QueryParameter<Value>, _ longitude: QueryParameter<Value>) -> Coordinate? {
        guard let north = number(latitude), let east = number(longitude), abs(north) <= 90, abs(east) <= 1_080
        else { return nil }
        return Coordinate(wrappingLatitude: north, longitude: east)
    }

    /// Returns country codes in upper case; each value may contain several, separated by commas.
    func countries<Value>(_ parameter: QueryParameter<Value>) -> [String] {
        (query[parameter.name] ?? []).flatMap { $0.split(separator: ",") }
            .map { $0.filter { !$0.isWhitespace }.uppercased() }
            .filter { !$0.isEmpty }
    }

    /// Returns all values, split at commas.
    func list<Value>(_ parameter: QueryParameter<Value>) -> [String] { list(named: parameter.name) }

    private func list(named name: String) -> [String] {
        (query[name] ?? []).flatMap { $0.split(separator: ",") }.map { String($0.filter { !$0.isWhitespace }) }
    }

    /// The first preferred language, without its country.
    var language: String? {
        let text = text(GeocoderCall.acceptLanguage) ?? text(GeocoderCall.lang)
        return text.map { String($0.lowercased().prefix { $0.isASCII && $0.isLetter }) }
            .flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the box between two corners in any order: x1,y1,x2,y2.
    func corners<Value>(_ parameter: QueryParameter<Value>) -> BoundingBox? { corners(undeclared: parameter.name) }

    /// Returns the box between the corners in a parameter that is not in the OpenAPI document.
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

    /// The maximum length of a search text in bytes.
    static let longestText = 2_000
}

/// The wanted number of places; a number outside the range is clamped.
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
    /// Returns the gazetteer.
    ///
    /// - Throws: ``Problem`` (503) if none is loaded.
    func loaded() throws -> PlaceSearch {
        guard let self else {
            throw Problem(
                .serviceUnavailable,
                "no-gazetteer",
                "This service is running without place names. The operator finds the reason in its log."
            )
        }
        return self
    }
}

extension JSONWriter {
    /// Writes the data that only this geocoder provides, as additional members of an open object.
    mutating func confidence(of place: PlaceAnswer) {
        member("confidence", (place.match.confidence * 1_000).rounded() / 1_000)
        member("match_type", place.match.matchType.rawValue)
        member("unmatched", place.match.unmatched)
        member("ambiguous", place.match.isAmbiguous)
        if let distance = place.distanceKilometres { member("distance_km", (distance * 1_000).rounded() / 1_000) }
    }

    /// Writes a member unless its text is `nil`.
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

    /// Writes numbers in degrees as an array.
    mutating func degrees(_ values: [Double]) {
        beginArray()
        for value in values { degrees(value) }
        endArray()
    }
}
