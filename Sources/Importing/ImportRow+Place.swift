import Formats
import Geometry
import Stories

extension ImportRow {
    /// The names that go with the location.
    mutating func placeNames() -> [LocationName: String] {
        let fields: [(LocationName, ImportField)] = [
            (.name, .place), (.address, .address), (.city, .city), (.state, .state), (.country, .country),
        ]
        var names: [LocationName: String] = [:]
        for (name, field) in fields where record.values[field] != nil {
            names[name] = line(field, limit: StoryLimits.nameLength)
        }
        return names
    }

    /// East and north, or longitude and latitude; `nil` when there are none or they are wrong.
    mutating func position(allowsDecimalComma: Bool) -> (x: Double, y: Double)? {
        if record.hasGeometry { return record.position.map { ($0.x, $0.y) } }
        switch (record.values[.latitude], record.values[.longitude]) {
        case (nil, nil): return nil
        case (nil, .some):
            record.fail(.latitude, "is missing while the longitude is given; give both or neither")
            return nil
        case (.some, nil):
            record.fail(.longitude, "is missing while the latitude is given; give both or neither")
            return nil
        case (.some(let latitude), .some(let longitude)):
            let y = number(latitude, .latitude, allowsDecimalComma)
            let x = number(longitude, .longitude, allowsDecimalComma)
            guard let x, let y else { return nil }
            return (x, y)
        }
    }

    /// The accuracy in metres.
    mutating func accuracy() -> Double? {
        guard let text = record.values[.accuracy], let metres = number(text, .accuracy, false) else { return nil }
        if (0...StoryLimits.accuracy).contains(metres) { return metres }
        record.fail(.accuracy, "\(shown(text)) is not between 0 and \(Int(StoryLimits.accuracy)) metres")
        return nil
    }

    /// How exactly others may see the point; a word that is none is an error, so that nothing is shown by mistake.
    mutating func precision() -> LocationPrecision {
        guard let name = record.values[.precision] else { return .exact }
        switch ImportField.normalized(name) {
        case "exact": return .exact
        case "hidden": return .hidden
        case "approximate":
            guard let text = record.values[.cell] else { return .approximate(.hundredth) }
            if let degrees = number(text, .cell, false), let cell = PublishedCell(degrees: degrees) {
                return .approximate(cell)
            }
            record.fail(.cell, "\(shown(text)) is none of 0.01, 0.1, 1")
        default: record.fail(.precision, "\(shown(name)) is none of exact, approximate, hidden")
        }
        return .hidden
    }

    /// Where the location came from; `nil` where the row does not say, with a warning for a word of somebody else's.
    mutating func locationSource() -> LocationSource? {
        guard let name = record.values[.locationSource] else { return nil }
        if let source = LocationSource(rawValue: ImportField.normalized(name)) { return source }
        let words = LocationSource.allCases.map(\.rawValue).joined(separator: ", ")
        record.warn(.locationSource, "\(shown(name)) is none of \(words); it is passed over")
        return nil
    }

    /// Whether the row says yes to something.
    func isTrue(_ field: ImportField) -> Bool {
        ["true", "yes", "1"].contains(record.values[field]?.lowercased())
    }

    /// A finite decimal number; anything else is an error.
    private mutating func number(_ text: String, _ field: ImportField, _ allowsDecimalComma: Bool) -> Double? {
        var digits = text
        if allowsDecimalComma, !text.contains("."), text.count(where: { $0 == "," }) == 1 {
            digits = text.replacing(",", with: ".")
        }
        if let number = DecimalText.number(digits) { return number }
        record.fail(field, "\(shown(text)) is not a number")
        return nil
    }
}
