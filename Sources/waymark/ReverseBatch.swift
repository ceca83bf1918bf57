import Formats
import Gazetteer
import Geometry

/// Names the position of every row of a CSV file.
struct ReverseBatch: Sendable {
    let input: String
    /// The columns of latitude and longitude.
    let columns: [String]
    let output: String?

    private static let added = [
        "label", "neighbourhood", "place", "county", "region", "country_code", "postcode", "water",
    ]

    /// Reads the table, names the positions and writes the result.
    ///
    /// - Throws: ``CommandFailure`` if a file cannot be read or written, or the table is not as expected.
    func run(_ search: PlaceSearch, bar: ProgressBar) async throws -> TableBatch.Counts {
        try await TableBatch(input: input, columns: columns, added: Self.added, output: output)
            .run(bar: bar) { rows in
                let positions = rows.map(ReverseBatch.position)
                var found = search.reverse(positions.compactMap { $0 })[...]
                return positions.map { position in
                    position == nil ? nil : found.popFirst().flatMap { $0 }.map(ReverseBatch.fields)
                }
            }
    }

    private static func position(_ row: [String]) -> Coordinate? {
        let degrees = row.compactMap { text in DecimalText.number(text.filter { !$0.isWhitespace }) }
        return degrees.count == 2 ? Coordinate(latitude: degrees[0], longitude: degrees[1]) : nil
    }

    private static func fields(_ match: ReverseMatch) -> [String] {
        let names = [
            match.label, match.neighbourhood, match.place.name, match.place.admin2, match.place.admin1,
            match.place.countryCode, match.postcode, match.water,
        ]
        return names.map { $0 ?? "" }
    }
}
