import Gazetteer
import Geometry

/// Finds a place for every row of a CSV file.
struct GeocodeBatch: Sendable {
    let input: String
    let column: String
    let output: String?
    let options: SearchOptions

    /// Reads the table, geocodes it and writes the result.
    ///
    /// - Throws: ``CommandFailure`` if a file cannot be read or written, or the table is not as expected.
    func run(_ index: PlaceSearch, bar: ProgressBar) async throws -> TableBatch.Counts {
        let added = ["lat", "lon", "name", "kind", "confidence"]
        var options = options
        options.limit = 1
        return try await TableBatch(input: input, columns: [column], added: added, output: output)
            .run(bar: bar) { [options] rows in
                rows.map { row in
                    index.search(row.first ?? "", options: options).first.map(GeocodeBatch.fields)
                }
            }
    }

    private static func fields(_ match: GazetteerMatch) -> [String] {
        let confidence = (match.confidence * 1_000).rounded() / 1_000
        return [
            degrees(match.coordinate.latitude), degrees(match.coordinate.longitude), match.label, match.kind.name,
            "\(confidence)",
        ]
    }

    private static func degrees(_ value: Double) -> String { "\((value * 1e6).rounded() / 1e6)" }
}
