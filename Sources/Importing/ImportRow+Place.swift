import Formats
import Geometry
import Stories

extension ImportRow {
    /// Returns the names of the location.
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

    /// Returns easting and northing, or longitude and latitude; `nil` if they are missing or invalid.
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

    /// Returns the accuracy in metres.
    mutating func accuracy() -> Double? {
        guard let text = record.values[.accuracy], let metres = number(text, .accuracy, false) else { return nil }
        if (0...StoryLimits.accuracy).contains(metres) { return metres }
        record.fail(.accuracy, "\(shown(text)) is not between 0 and \(Int(StoryLimits.accuracy)) metres")
        return nil
    }

    /// Returns the precision at which others see the location; an unknown word is an error, so that nothing is revealed
    /// by mistake.
    mutating func precision() -> LocationPrecision {
        guard let name = record.values[.precision] else { return precisionWithoutWord() }
        switch ImportField.normalized(name) {
        case "exact": return .exact
        case "hidden": return .hidden
        case "approximate":
            guard let text = record.values[.cell] else { return .approximate(.hundredth) }
            if let degrees = number(text, .cell, false), let cell = PublishedCell(degrees: degrees) {
                return .approximate(cell)
            }
            record.fail(.cell, "\(shown(text)) is not a cell size; use 0.01, 0.1 or 1")
        default: record.fail(.precision, "\(shown(name)) is not a precision; use exact, approximate or hidden")
        }
        return .hidden
    }

    /// Returns the precision of a row that names none.
    ///
    /// The size of a cell without the word is an error, because the point would be published. Other values of a column
    /// "cell", such as telephone numbers, mean nothing here.
    private mutating func precisionWithoutWord() -> LocationPrecision {
        guard let text = record.values[.cell], let degrees = Double(text), PublishedCell(degrees: degrees) != nil else {
            return .exact
        }
        record.fail(.cell, "\(shown(text)) belongs to an approximate location; set precision to approximate")
        return .hidden
    }

    /// Returns the source of the location; `nil` if the row does not give it, with a warning for an unknown word.
    mutating func locationSource() -> LocationSource? {
        guard let name = record.values[.locationSource] else { return nil }
        if let source = LocationSource(rawValue: ImportField.normalized(name)) { return source }
        let words = LocationSource.allCases.map(\.rawValue).joined(separator: ", ")
        record.warn(.locationSource, "\(shown(name)) is not one of \(words) and is ignored")
        return nil
    }

    /// Returns whether a field is set to yes.
    func isTrue(_ field: ImportField) -> Bool {
        ["true", "yes", "1"].contains(record.values[field]?.lowercased())
    }

    /// Parses a finite decimal number; anything else is an error.
    private mutating func number(_ text: String, _ field: ImportField, _ allowsDecimalComma: Bool) -> Double? {
        // A minus of typesetters, as Word and Wikipedia write it.
        var digits = text.replacing("−", with: "-")
        if allowsDecimalComma, !digits.contains("."), digits.count(where: { $0 == "," }) == 1 {
            digits = digits.replacing(",", with: ".")
        }
        if let number = DecimalText.number(digits) { return number }
        record.fail(field, "\(shown(text)) is not a number")
        return nil
    }
}
