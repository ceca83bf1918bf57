import Geometry

/// The confidence in a result.
struct Confidence: Sendable {
    var value: Double
    var isAmbiguous: Bool
}

extension GazetteerIndex {
    /// The change in the logarithm of the odds for each order of magnitude of score.
    private static let steepness = 1.6
    /// The minimum likelihood of a second place, relative to the first, that makes the result ambiguous.
    private static let rivalry = 0.4

    /// Returns each candidate's share of the odds, and whether it is the first or a close rival elsewhere.
    ///
    /// `candidates` must be sorted, best first. Places within 25 km of each other, and places within each other, are
    /// not rivals.
    func shares(of candidates: [SearchCandidate]) -> [(share: Double, isRival: Bool)] {
        guard let top = candidates.first else { return [] }
        let weights = candidates.map { Math.exponential(Self.steepness * ($0.score - top.score)) }
        var rivals: [Int] = []
        for index in candidates.indices.dropFirst() where weights[index] > 0.01 {
            // A rival city and the region around it count as one rival.
            guard rivals.count < 12, areRivals(top, candidates[index]) else { continue }
            if rivals.allSatisfy({ areRivals(candidates[$0], candidates[index]) }) { rivals.append(index) }
        }
        let sum = rivals.reduce(1) { $0 + weights[$1] }
        return candidates.indices
            .map { index in
                // A candidate that is not a rival shares the odds with the first candidate and all rivals.
                let others = index == 0 || rivals.contains(index) ? sum : sum + weights[index]
                return (
                    weights[index] / others, index == 0 || (rivals.contains(index) && weights[index] >= Self.rivalry)
                )
            }
    }

    /// Returns the confidence in each candidate; their sum does not exceed one.
    func confidences(of candidates: [SearchCandidate], in query: ParsedQuery) -> [Confidence] {
        let shares = shares(of: candidates)
        let isAmbiguous = shares.dropFirst().contains { $0.isRival }
        let others = shares.dropFirst().reduce(0) { $0 + $1.share }
        var first = 0.0
        return zip(candidates, shares).prefix(100).enumerated()
            .map { index, found in
                let (candidate, share) = found
                let features = ConfidenceModel.features(of: candidate, share: share.share, in: query)
                // With two possible meanings, no result is certain, however well the name matches.
                var value = min(ConfidenceModel.standard.probability(features), share.share.squareRoot())
                value = min(value, ConfidenceModel.most(for: candidate, in: query))
                if index == 0 {
                    first = value
                } else {
                    value = min(value, first, (1 - first) * share.share / max(others, 1e-9))
                }
                return Confidence(value: value, isAmbiguous: isAmbiguous && share.isRival)
            }
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
