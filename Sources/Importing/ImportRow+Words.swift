import Gazetteer
import Stories

extension ImportRow {
    /// Returns what the row says about its place in words; each at most ``StoryLimits/nameLength`` characters.
    ///
    /// An address with commas, and without a city of its own, is read like a text as typed.
    func placeWords() -> PlaceWords {
        var words = PlaceWords()
        words.text = word(.placeText)
        words.name = word(.place)
        words.street = word(.street)
        words.city = word(.city)
        words.county = word(.county)
        words.state = word(.state)
        words.country = word(.country)
        words.postalCode = word(.postcode)
        if words.street.isEmpty { words.street = word(.address) }
        if words.text.isEmpty, words.city.isEmpty, words.county.isEmpty, words.street.contains(",") {
            let parts = [words.street, words.state, words.postalCode, words.country]
            words.text = parts.filter { !$0.isEmpty }.joined(separator: ", ")
        }
        return words
    }

    /// Returns a value as one line; empty for what archives write if they know nothing.
    private func word(_ field: ImportField) -> String {
        guard let value = record.values[field] else { return "" }
        let line = ImportText.line(value)
        let plain = line.lowercased().filter { $0.isLetter || $0.isNumber }
        if plain.isEmpty || Self.nothing.contains(plain) { return "" }
        // A position in the place's column is read by `RowPositions`.
        return String(line.prefix(StoryLimits.nameLength))
    }

    private static let nothing: Set<String> = [
        "unknown", "na", "none", "null", "nil", "unspecified", "notrecorded", "notgiven", "various", "undetermined",
        "noplace", "sl", "tbd", "xx",
    ]
}
