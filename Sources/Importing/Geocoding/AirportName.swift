/// The names of airports as archives and pilots write them.
enum AirportName {
    /// What pilots shorten, in lower case and without full stops.
    private static let abbreviations = [
        "cty": "County", "exec": "Executive", "fld": "Field", "intl": "International", "mem": "Memorial",
        "meml": "Memorial", "muni": "Municipal", "rgnl": "Regional",
    ]
    /// More words than that are a sentence.
    private static let mostWords = 10

    /// Returns whether a title is nothing but the name of an airport, and no sentence about one.
    static func isName(_ title: String) -> Bool {
        guard mayBeName(title) else { return false }
        let words = words(title)
        return (2...mostWords).contains(words.count) && words.allSatisfy { !isSmall($0) || small.contains($0) }
    }

    private static let small: Set<String> = ["and", "at", "de", "del", "la", "le", "of", "the", "y"]

    /// Returns the whole name, "Denver International Airport" for "Airport Denver Intl"; `nil` for anything that does not
    /// say that it is an airport.
    static func whole(_ name: String) -> String? {
        guard mayBeName(name) else { return nil }
        var words = words(name)
        guard (2...mostWords).contains(words.count),
            let place = [0, words.count - 1].first(where: { words[$0].lowercased() == "airport" })
        else { return nil }
        words.remove(at: place)
        let whole = words.map { word in abbreviations[word.lowercased().filter { $0 != "." }] ?? word }
        return (whole + ["Airport"]).joined(separator: " ")
    }

    /// Returns quickly whether a text begins or ends with "airport", as few titles do.
    private static func mayBeName(_ text: String) -> Bool {
        let bytes = text.utf8
        let word = "airport".utf8
        guard bytes.count > word.count else { return false }
        return zip(bytes, word).allSatisfy { $0.0 | 0x20 == $0.1 }
            || zip(bytes.suffix(word.count), word).allSatisfy { $0.0 | 0x20 == $0.1 }
    }

    /// Returns the words of a name, at most one more than it may have.
    private static func words(_ name: String) -> [String] {
        name.utf8.split { $0 <= 0x20 || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ",") }
            .prefix(mostWords + 1).map { String(Substring($0)) }
    }

    /// Returns whether a word begins with a small letter of ASCII.
    private static func isSmall(_ word: String) -> Bool { word.utf8.first.map { (0x61...0x7A).contains($0) } ?? false }
}
