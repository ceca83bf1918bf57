import Gazetteer
import Geometry

/// Compares the confidence of results with their accuracy.
struct GeocodeCalibration {
    let index: GazetteerIndex
    let queries: GeocodeQueries

    /// A first result: its confidence, and whether it is correct.
    struct Claim {
        let confidence: Double
        let isRight: Bool
    }

    /// Returns the sets of queries by kind; a different salt gives different queries.
    func sets(salt: UInt64) -> [(name: String, queries: [GeneratedQuery])] {
        [
            ("US \"City, ST\"", queries.american(edits: 0, salt: salt + 1)),
            ("one edit", queries.american(edits: 1, salt: salt + 2)),
            ("one edit anywhere", queries.american(edits: 1, isAnywhere: true, salt: salt + 15)),
            ("two edits", queries.american(edits: 2, shortest: 8, salt: salt + 3)),
            ("world cities", queries.world(population: 100_000, edits: 0, salt: salt + 9)),
            ("world cities, one edit", queries.world(population: 100_000, edits: 1, salt: salt + 4)),
            ("names in any language", queries.names(importance: 0, salt: salt + 5)),
            ("bare US names", queries.bare(salt: salt + 6)),
            ("bare names everywhere", queries.anywhere(salt: salt + 11)),
            ("something unknown in a town", queries.inside(salt: salt + 10)),
            ("missing places", queries.missing(salt: salt + 12)),
            ("towns in the wrong state", queries.misplaced(salt: salt + 7)),
            ("nonsense", queries.nonsense(salt: salt + 8)),
            ("nonsense, one word", queries.nonsense(words: 1, salt: salt + 13)),
            ("nonsense, one word more", queries.nonsense(words: 1, salt: salt + 14)),
        ]
    }

    func rows() -> [BenchRow] {
        let sets = sets(salt: 30)
        var all: [Claim] = []
        var rows: [BenchRow] = []
        for (name, queries) in sets {
            let claims = queries.compactMap(claim)
            all += claims
            rows.append(row("confidence, \(name)", claims, of: queries.count))
        }
        rows.insert(BenchRow("calibration error, all query sets below", Self.error(all), unit: ""), at: 0)
        return rows
    }

    /// Returns the average confidence of the first results, compared with the fraction that are correct.
    func row(_ outcomes: [GeocodeAccuracy.Outcome]) -> BenchRow {
        let claims = outcomes.filter { $0.expectation.kind.hasPrefix("forward") }
            .compactMap { outcome in
                outcome.first.map { Claim(confidence: $0.confidence, isRight: outcome.rank == 0) }
            }
        return row("= confidence, cases found by search", claims, of: claims.count)
    }

    private func claim(_ query: GeneratedQuery) -> Claim? {
        guard let first = index.search(query.text, without: query.without).first else { return nil }
        let isRight = query.expected.map { GreatCircle.distance(first.coordinate, $0) <= 25_000 } ?? false
        return Claim(confidence: first.confidence, isRight: isRight)
    }

    private func row(_ name: String, _ claims: [Claim], of count: Int) -> BenchRow {
        let answered = Double(max(1, claims.count))
        return BenchRow(
            name,
            unit: "",
            values: [
                ("answered %", 100 * Double(claims.count) / Double(max(1, count))),
                ("right %", 100 * Double(claims.count { $0.isRight }) / answered),
                ("mean %", 100 * claims.reduce(0) { $0 + $1.confidence } / answered),
                ("max %", 100 * (claims.map(\.confidence).max() ?? 0)),
                ("sure %", 100 * Double(claims.count { $0.confidence >= 0.6 }) / answered),
                ("error", Self.error(claims)),
            ]
        )
    }

    /// Returns the expected calibration error with ten bins of equal width (Naeini, Cooper, Hauskrecht 2015).
    static func error(_ claims: [Claim]) -> Double {
        var bins = [(sum: Double, right: Int, count: Int)](repeating: (0, 0, 0), count: 10)
        for claim in claims {
            let bin = min(9, max(0, Int(claim.confidence * 10)))
            bins[bin].sum += claim.confidence
            bins[bin].right += claim.isRight ? 1 : 0
            bins[bin].count += 1
        }
        let error = bins.reduce(0) { $0 + abs($1.sum - Double($1.right)) }
        return error / Double(max(1, claims.count))
    }
}
