import Geometry

/// How sure an answer is.
struct Confidence: Sendable {
    var value: Double
    var isAmbiguous: Bool
}

extension GazetteerIndex {
    /// An order of magnitude of score is worth this much in the logarithm of the odds.
    private static let steepness = 1.6
    /// A second place this likely, compared with the first, makes the answer ambiguous.
    private static let rivalry = 0.4

    /// Returns how sure each candidate is: its share of the odds, times how well the query was understood.
    ///
    /// `candidates` are in order. Records of one spot, and what lies in each other, do not compete.
    func confidences(of candidates: [SearchCandidate], in query: ParsedQuery) -> [Confidence] {
        guard let top = candidates.first else { return [] }
        let weights = candidates.map { Math.exponential(Self.steepness * ($0.score - top.score)) }
        var rivals: [Int] = []
        for index in candidates.indices.dropFirst() where areRivals(top, candidates[index]) {
            // A rival city and the region around it are one rival.
            if rivals.allSatisfy({ areRivals(candidates[$0], candidates[index]) }) { rivals.append(index) }
        }
        let isAmbiguous = rivals.contains { weights[$0] >= Self.rivalry }
        return candidates.indices.prefix(100)
            .map { index in
                let candidate = candidates[index]
                // Against the first, only real rivals count; the others stand behind whatever is better.
                let sum =
                    index == 0
                    ? weights[0] + rivals.reduce(0) { $0 + weights[$1] }
                    : weights.reduce(0, +)
                let value = weights[index] / max(sum, 1e-12) * understanding(of: candidate, in: query)
                return Confidence(
                    value: min(1, max(0, value)),
                    isAmbiguous: isAmbiguous && weights[index] >= Self.rivalry
                )
            }
    }

    /// The probability that a query so understood means this place, were it the only one of its name.
    private func understanding(of candidate: SearchCandidate, in query: ParsedQuery) -> Double {
        var value: Double =
            switch candidate.quality {
            case .primary: 0.98
            case .variant: 0.95
            case .alias: 0.93
            case .short: 0.75
            case .code, .countryCode: 0.8
            }
        if candidate.contexts == 0, candidate.place.kind.isSettlement {
            // A bare name of a hamlet is rather something that is not in the gazetteer.
            value *= min(1, 0.6 + 0.4 * candidate.place.importance * GazetteerFormat.fullImportance / 5.5)
        }
        if candidate.edits > 0 { value *= candidate.edits == 1 ? 0.8 : 0.6 }
        let words = query.text.tokens.count
        let left = candidate.unmatched.nonzeroBitCount + words - query.count
        if left > 0 {
            value *= 0.65 * max(0, 1 - Double(left) / Double(max(1, words)))
        } else if candidate.cost > 0 {
            value *= 0.95
        }
        return value
    }

    private func areRivals(_ first: SearchCandidate, _ second: SearchCandidate) -> Bool {
        let (a, b) = (first.place, second.place)
        func holds(_ outer: PlaceRecord, _ inner: PlaceRecord) -> Bool {
            inner.admin1 == outer.number || inner.admin2 == outer.number || inner.city == outer.number
                || countryPlace(of: inner)?.number == outer.number
        }
        if holds(a, b) || holds(b, a) { return false }
        return !isNear(a, b, kilometres: 25)
    }
}
