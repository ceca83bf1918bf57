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
        guard whole(title) != nil else { return false }
        return title.split(whereSeparator: \.isWhitespace)
            .allSatisfy { word in
                word.first.map { !$0.isLetter || $0.isUppercase } ?? false || small.contains(String(word))
            }
    }

    private static let small: Set<String> = ["and", "at", "de", "del", "la", "le", "of", "the", "y"]

    /// Returns the whole name, "Denver International Airport" for "Airport Denver Intl"; `nil` for anything that does not
    /// say that it is an airport.
    static func whole(_ name: String) -> String? {
        var words = name.split { $0.isWhitespace || $0 == ":" || $0 == "," }.prefix(mostWords + 1).map(String.init)
        guard (2...mostWords).contains(words.count),
            let place = [0, words.count - 1].first(where: { words[$0].lowercased() == "airport" })
        else { return nil }
        words.remove(at: place)
        let whole = words.map { word in abbreviations[word.lowercased().filter { $0 != "." }] ?? word }
        return (whole + ["Airport"]).joined(separator: " ")
    }
}
