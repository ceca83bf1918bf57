import Gazetteer
import Geometry

/// Measures completions of the first letters of names: the fraction of places found, and whether the first result
/// starts as typed.
struct SuggestBench {
    let index: GazetteerIndex
    let queries: GeocodeQueries

    private static let letters = [3, 4, 5]

    /// Types the first letters of all US towns with a population over 5,000 and of all cities over 100,000.
    func rows() -> [BenchRow] {
        [
            ("US towns over 5,000", queries.all(country: "us", population: 5_000)),
            ("world cities over 100,000", queries.all(country: nil, population: 100_000)),
        ]
        .flatMap { name, places in Self.letters.map { row(name, places, letters: $0) } }
    }

    private func row(_ name: String, _ places: [QueriedPlace], letters: Int) -> BenchRow {
        var (typed, five, first, visible) = (0, 0, 0, 0)
        for place in places where place.name.count > letters {
            let start = String(place.name.prefix(letters))
            let found = index.suggest(start)
            typed += 1
            let rank = found.firstIndex { $0.coordinate == place.coordinate }
            if rank != nil { five += 1 }
            if rank == 0 { first += 1 }
            if let match = found.first, Self.begins(match.name, with: start) { visible += 1 }
        }
        func share(_ part: Int) -> Double { 100 * Double(part) / Double(max(1, typed)) }
        return BenchRow(
            "suggest, \(letters) letters, \(name)",
            unit: "%",
            values: [
                ("typed", Double(typed)), ("in 5", share(five)), ("first", share(first)),
                ("first starts so", share(visible)),
            ]
        )
    }

    /// Returns whether a displayed name starts as typed, ignoring accents and a leading article.
    private static func begins(_ name: String, with start: String) -> Bool {
        // Words as typed: "East" does not mean its abbreviation while the user is still typing.
        func plain(_ text: String) -> String { NameFolding.words(of: text).joined(separator: " ") }
        return [name, name.hasPrefix("The ") ? String(name.dropFirst(4)) : name]
            .contains { plain($0).hasPrefix(plain(start)) }
    }
}
