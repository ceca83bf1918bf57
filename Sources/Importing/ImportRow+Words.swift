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
        // Lists of airports have their names as titles.
        if words.name.isEmpty, words.text.isEmpty, words.street.isEmpty, !words.city.isEmpty {
            let title = word(.title)
            if AirportName.isName(title) { words.name = title }
        }
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
        // A position in the place's column is read by `RowPositions`.
        return Self.saysNothing(line) ? "" : String(line.prefix(StoryLimits.nameLength))
    }

    /// Returns whether a line has no letter or digit, or is a word for the unknown, with any punctuation ("N/A", "(none)").
    private static func saysNothing(_ line: String) -> Bool {
        var letters: [UInt8] = []
        for scalar in line.unicodeScalars {
            switch scalar {
            case "a"..."z", "0"..."9": letters.append(UInt8(ascii: scalar))
            case "A"..."Z": letters.append(UInt8(ascii: scalar) | 0x20)
            // A letter with a mark is not the letter.
            case _ where !scalar.isASCII && saysSomething(scalar.properties.generalCategory): return false
            default: continue
            }
            if letters.count > longestNothing { return false }
        }
        return letters.isEmpty || nothing.contains(letters)
    }

    private static func saysSomething(_ category: Unicode.GeneralCategory) -> Bool {
        switch category {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
        case .nonspacingMark, .spacingMark, .decimalNumber, .letterNumber, .otherNumber: true
        default: false
        }
    }

    private static let nothing = Set(
        [
            "unknown", "na", "none", "null", "nil", "unspecified", "notrecorded", "notgiven", "various", "undetermined",
            "noplace", "sl", "tbd", "xx",
        ]
        .map { Array($0.utf8) }
    )
    private static let longestNothing = nothing.map(\.count).max() ?? 0
}
